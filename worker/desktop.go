package worker

import (
	"bytes"
	"image"
	"image/png"

	"iemesh/api"
	"iemesh/worker/desktop"
)

// engineDesktop reads the desktop that an engine needs; nil when it needs none.
func engineDesktop(engine string) func() desktop.Facts {
	if engine == "ie" {
		return desktop.Read
	}
	return nil
}

// desktopFit refuses what would hang, or do nothing, on the desktop as it is now.
// Nothing is lost by that: the same works when the desktop is back.
func (w *Worker) desktopFit() error {
	if w.cfg.Desktop == nil {
		return nil
	}
	if o, fatal := w.cfg.Desktop().Fatal(); fatal {
		return api.Errorf(api.DesktopUnavailable, "%s", o)
	}
	return nil
}

// warnOfDesktop logs what does not prevent sessions, each once.
func (w *Worker) warnOfDesktop() {
	if w.cfg.Desktop == nil {
		return
	}
	for _, o := range w.cfg.Desktop().Obstacles() {
		if o.Fatal {
			continue
		}
		if _, known := w.warned.LoadOrStore(o.ID, true); !known {
			w.cfg.Log.Warn("desktop", "message", o.String())
		}
	}
}

// black says whether a picture shows nothing: every pixel is black.
func black(picture []byte) bool {
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return false
	}
	b := decoded.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		if !blackRow(decoded, b, y) {
			return false
		}
	}
	return true
}

func blackRow(picture image.Image, b image.Rectangle, y int) bool {
	for x := b.Min.X; x < b.Max.X; x++ {
		if r, g, b, _ := picture.At(x, y).RGBA(); r|g|b != 0 {
			return false
		}
	}
	return true
}
