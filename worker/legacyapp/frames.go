package legacyapp

func (a *App) frames() {
	a.static("/frames/nested", "/frames/outer", "/frames/middle", "/frames/inner")
	a.static("/frameset", "/frameset/menu", "/frameset/main")
}
