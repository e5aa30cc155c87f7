package legacyapp

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
)

func (a *App) images() {
	a.static("/click")
	a.picture("/image/button.png", 80, 24)
	a.picture("/image/map.png", 200, 100)
	a.mux.HandleFunc("GET /image", func(w http.ResponseWriter, r *http.Request) {
		result := r.FormValue("area")
		if x, y := r.FormValue("go.x"), r.FormValue("go.y"); x != "" {
			result = fmt.Sprintf("座標 %s,%s", x, y)
		}
		a.render(w, "/image", result)
	})
}

// picture serves a PNG whose left half is darker than its right.
func (a *App) picture(path string, width, height int) {
	a.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
		picture := image.NewRGBA(image.Rect(0, 0, width, height))
		draw.Draw(picture, picture.Bounds(), image.NewUniform(color.RGBA{0x99, 0xbb, 0xdd, 0xff}), image.Point{}, draw.Src)
		left := image.Rect(0, 0, width/2, height)
		draw.Draw(picture, left, image.NewUniform(color.RGBA{0x33, 0x66, 0x99, 0xff}), image.Point{}, draw.Src)
		w.Header().Set("Content-Type", "image/png")
		png.Encode(w, picture)
	})
}
