package legacyapp

func (a *App) popups() {
	a.static("/popup", "/popup/detail", "/popup/alert")
	a.static("/write", "/write/frameset", "/write/control")
}
