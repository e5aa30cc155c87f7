package legacyapp

import "time"

// timings are the pages where the moment of an action matters.
func (a *App) timings() {
	a.static("/order")
	a.timed("/obscured", 0)
	a.timed("/late", 800*time.Millisecond)
}
