package legacyapp

import "time"

func (a *App) dialogs() {
	a.static("/dialog", "/dialog/onload", "/dialog/prompt", "/dialog/leave", "/dialog/select")
	a.static("/dialog/modal", "/dialog/modal/detail")
	a.timed("/dialog/timer", 500*time.Millisecond)
}
