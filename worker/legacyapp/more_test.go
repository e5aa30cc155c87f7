package legacyapp

import (
	"image/png"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestSearchInFramesets(t *testing.T) {
	app := New()
	for _, c := range []struct{ query, main string }{
		{"", "/customer"},
		{"?page=/customer/search%3FcustomerName=%E5%B1%B1%E7%94%B0%26branch=13", "/customer/search?customerName=%e5%b1%b1%e7%94%b0&branch=13"},
	} {
		set := page(t, app, "/frameset/search"+c.query, "顧客業務")
		if len(elements(set, "frameset", "", "")) != 2 {
			t.Error("/frameset/search is not a frameset in a frameset")
		}
		outer := page(t, app, "/frameset/twice"+c.query, "統合業務")
		inner := page(t, app, attribute(element(outer, "frame", "name", "work"), "src"), "業務画面")
		for _, set := range []*html.Node{set, inner} {
			main := attribute(element(set, "frame", "name", "main"), "src")
			if !strings.EqualFold(main, c.main) || request(app, "GET", main, nil).Code != 200 {
				t.Errorf("main shows %q, want %q", main, c.main)
			}
			page(t, app, attribute(element(set, "frame", "name", "menu"), "src"), "メニュー")
		}
	}
}

func TestImages(t *testing.T) {
	app := New()
	root := page(t, app, "/image", "営業地域")
	for id, want := range map[string]int{"imageButton": 80, "areaImage": 200} {
		w := request(app, "GET", attribute(byID(t, root, id), "src"), nil)
		picture, err := png.Decode(w.Body)
		if err != nil || picture.Bounds().Dx() != want || w.Header().Get("Content-Type") != "image/png" {
			t.Errorf("%s shows no PNG of width %d: %v", id, want, err)
		}
	}
	for target, want := range map[string]string{
		"/image?go.x=12&go.y=5":                      "座標 12,5",
		attribute(byID(t, root, "areaEast"), "href"): "東日本",
		attribute(byID(t, root, "areaWest"), "href"): "西日本",
	} {
		if got := text(byID(t, page(t, app, target, "営業地域"), "result")); got != want {
			t.Errorf("%s shows %q", target, got)
		}
	}
}

func TestKeyboardCountsLoads(t *testing.T) {
	app := New()
	page(t, app, "/keyboard?token=x", "キー操作")
	root := page(t, app, "/keyboard?token=x", "キー操作")
	if text(byID(t, root, "loads")) != "2" || app.Loads("x") != 2 || app.Loads("") != 0 {
		t.Error("two loads are not counted as two")
	}
}

func TestModes(t *testing.T) {
	app := New()
	for _, mode := range []string{"5", "8", "11"} {
		root := page(t, app, "/mode/"+mode, "文書モード")
		meta := element(root, "meta", "http-equiv", "X-UA-Compatible")
		if meta == nil || attribute(meta, "content") != "IE="+mode {
			t.Errorf("/mode/%s does not ask for its mode", mode)
		}
		// The document mode is chosen before anything but a title or another meta is read.
		for before := meta.PrevSibling; before != nil; before = before.PrevSibling {
			if before.Type == html.ElementNode && before.Data != "meta" && before.Data != "title" {
				t.Errorf("/mode/%s asks too late", mode)
			}
		}
	}
}

func TestLoginShowsTheUser(t *testing.T) {
	if got := text(byID(t, page(t, New(), "/login/main?userId=%3Cb%3E", "メインメニュー"), "user")); got != "<b>" {
		t.Errorf("user is %q", got)
	}
}
