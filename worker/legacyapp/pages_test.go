package legacyapp

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// nodes counts the elements and texts below n.
func nodes(n *html.Node) int {
	count := 0
	for d := range n.Descendants() {
		if d.Type == html.ElementNode || d.Type == html.TextNode {
			count++
		}
	}
	return count
}

func TestTables(t *testing.T) {
	app := New()
	for target, want := range map[string]struct{ rows, nodes int }{
		"/table/2000":       {TableRows, ManyNodes - (manyRows-TableRows)*RowNodes},
		"/table/20000nodes": {manyRows, ManyNodes},
	} {
		root := page(t, app, target, "伝票一覧")
		rows := elements(element(byID(t, root, "dataTable"), "tbody", "", ""), "tr", "", "")
		if len(rows) != want.rows {
			t.Errorf("%s has %d rows, want %d", target, len(rows), want.rows)
		}
		for _, row := range rows {
			if got := nodes(row) + 2; got != RowNodes || element(row, "a", "", "") == nil {
				t.Fatalf("%s: a row of %d nodes, want %d, one of them a link", target, got, RowNodes)
			}
		}
		if got := nodes(element(root, "body", "", "")); got != want.nodes {
			t.Errorf("%s has %d nodes, want %d", target, got, want.nodes)
		}
	}
}

func TestRedirects(t *testing.T) {
	app := New()
	const to = "http://localhost:9/a?b=1&c=日本"
	query := "?to=" + url.QueryEscape(to)
	w := request(app, "GET", "/redirect"+query, nil)
	if w.Code != http.StatusFound || w.Header().Get("Location") != "http://localhost:9/a?b=1&c=%e6%97%a5%e6%9c%ac" {
		t.Errorf("%d to %s", w.Code, w.Header().Get("Location"))
	}
	if got := attribute(byID(t, page(t, app, "/redirect/link"+query, "外部サイト"), "leave"), "href"); got != "http://localhost:9/a?b=1&c=%e6%97%a5%e6%9c%ac" {
		t.Errorf("the link leads to %s", got)
	}
	meta := element(page(t, app, "/redirect/meta"+query, "移動中"), "meta", "http-equiv", "refresh")
	if got := attribute(meta, "content"); got != "0; url="+to {
		t.Errorf("meta says %s", got)
	}
	const script = `location.href = "http://localhost:9/a?b=1\u0026c=日本";`
	for _, path := range []string{"/redirect/script", "/redirect/timer"} {
		if got := text(element(page(t, app, path+query, "移動中"), "script", "", "")); !strings.Contains(got, script) {
			t.Errorf("%s runs %s", path, got)
		}
	}
	onload := attribute(element(page(t, app, "/redirect/timer?to=about:blank&ms=40", "移動中"), "body", "", ""), "onload")
	if strings.ReplaceAll(onload, " ", "") != "setTimeout(leave,40)" {
		t.Errorf("the timer is %s", onload)
	}
	// Whatever the scheme, the page must not soften it: what a guard makes of it is to be seen.
	if got := attribute(byID(t, page(t, app, "/redirect/link?to=javascript:leave", "外部サイト"), "leave"), "href"); got != "javascript:leave" {
		t.Errorf("the link leads to %s", got)
	}
}

// The ids that tests and newcomers name, on the pages that show no data.
func TestIDs(t *testing.T) {
	app := New()
	for target, want := range map[string]struct{ title, ids string }{
		"/popup":         {"顧客選択", "openPopup chosenCustomer"},
		"/popup/detail":  {"顧客詳細", "chooseButton closeButton"},
		"/popup/alert":   {"帳票出力", "openThenAlert result"},
		"/dialog":        {"メッセージ確認", "alertButton alertResult confirmButton confirmResult"},
		"/dialog/onload": {"お知らせ", "message"},
		"/dialog/timer":  {"自動ログアウト", "message"},
		"/slow/form":     {"受付", "submitButton"},
		"/obscured":      {"処理状況", "target cover uncover result"},
		"/late":          {"集計", "status vanish appear lateButton result"},
		"/order":         {"順序の確認", "field press log"},
		"/fields": {"入力項目", "plain preset password locked off secret memo number date five upper revert wrapped hinted" +
			" agree mail kindPerson kindCompany days area jump picked push undo events"},
		"/frames/inner":  {"内側の画面", "deep result"},
		"/frameset/menu": {"メニュー", "menuTop menuCustomer menuRegister"},
		"/frameset/main": {"トップ", "welcome mainButton"},

		"/login/open":          {"業務ポータル", "openLogin"},
		"/login":               {"ログイン", "userId password loginButton message"},
		"/login/main?userId=x": {"メインメニュー", "user menuCustomer logoutButton"},
		"/dialog/prompt":       {"担当者入力", "promptButton promptResult"},
		"/dialog/leave":        {"編集中", "memo leaveLink leaveButton saveButton message"},
		"/dialog/modal":        {"支店参照", "modalButton modalResult"},
		"/dialog/modal/detail": {"支店選択", "branch chooseButton closeButton"},
		"/dialog/select":       {"支店変更", "alertBranch alertResult confirmBranch confirmResult"},
		"/upload":              {"ファイル添付", "file uploadButton"},
		"/upload/multiple":     {"複数ファイル添付", "file uploadButton"},
		"/upload/hidden":       {"書類添付", "file chooseLabel chosenName uploadButton"},
		"/image":               {"営業地域", "imageButton areaImage areaWest areaEast result"},
		"/click": {"クリックの種類", "scriptLink voidLink hashLink leaveLink cell line lineCell spanButton picture" +
			" pressed"},
		"/write":         {"帳票の書き出し", "writePopup writeFrame chosen blank"},
		"/write/control": {"帳票の操作", "writeFrame chosen"},
		"/fields/masked": {"書式のある入力", "plain dateMask amount limited digits phone1 phone2 phone3 quantity" +
			" prefecture city"},
		"/fields/form": {"顧客情報入力", "customerName kana phone password memo branch rank kindPerson kindCompany" +
			" mail agree saveButton changes"},
		"/keyboard": {"キー操作", "command selected tabFirst tabThird tabSecond saveButton sendButton clearButton loads submits" +
			" keys focused done"},
		"/mode/quirks": {"互換表示", "documentMode compatMode features customerName copyButton copied"},
		"/mode/5":      {"文書モード", "documentMode compatMode features customerName copyButton copied"},
	} {
		root := page(t, app, target, want.title)
		for id := range strings.FieldsSeq(want.ids) {
			byID(t, root, id)
		}
		for _, label := range elements(root, "label", "", "") {
			if id := attribute(label, "for"); id != "" {
				byID(t, root, id)
			}
		}
	}
}

func TestTimersTakeTheirTime(t *testing.T) {
	app := New()
	for target, want := range map[string]string{
		"/dialog/timer":       "setTimeout(expire,500)",
		"/dialog/timer?ms=20": "setTimeout(expire,20)",
		"/obscured":           "",
		"/obscured?ms=800":    "setTimeout(uncover,800)",
		"/late":               "setTimeout(finish,800)",
		"/late?ms=0":          "setTimeout(finish,0)",
	} {
		root, err := html.Parse(request(app, "GET", target, nil).Body)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(attribute(element(root, "body", "", ""), "onload"), " ", ""); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

func TestFieldsShowWhatWasPicked(t *testing.T) {
	if got := text(byID(t, page(t, New(), "/fields?picked=%3Cb%3E", "入力項目"), "picked")); got != "<b>" {
		t.Errorf("picked is %q", got)
	}
}

func TestFrames(t *testing.T) {
	app := New()
	target := "/frames/nested"
	for _, name := range []string{"outer", "middle", "inner"} {
		root, err := html.Parse(request(app, "GET", target, nil).Body)
		if err != nil {
			t.Fatal(err)
		}
		frame := element(root, "iframe", "name", name)
		if frame == nil {
			t.Fatalf("%s has no frame %s", target, name)
		}
		target = attribute(frame, "src")
	}
	byID(t, page(t, app, target, "内側の画面"), "deep")

	set := page(t, app, "/frameset", "業務システム")
	for _, name := range []string{"menu", "main"} {
		if got := attribute(element(set, "frame", "name", name), "src"); got != "/frameset/"+name {
			t.Errorf("the frame %s shows %q", name, got)
		}
	}
}
