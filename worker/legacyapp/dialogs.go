package legacyapp

import "time"

func (a *App) dialogs() {
	a.static("/dialog", "/dialog/onload")
	a.timed("/dialog/timer", 500*time.Millisecond)
}
