package worker

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"iemesh/api"
)

// otherSite serves pages by path.
func otherSite(t *testing.T, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(pages[r.URL.Path]))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const secret = "himitsu"

func TestSessionBeginsOnAnEmptyPage(t *testing.T) {
	b := open(t)
	b.call.Policy.Origins = []string{b.site}
	if page := ask(b, api.Inspect, api.InspectInput{}); page.Text != "" || len(page.Elements) != 0 {
		t.Errorf("%+v", page)
	}
	ask(b, api.Screenshot, api.Empty{})
}

func TestAForgedOpenerTellsNothing(t *testing.T) {
	b := open(t)
	evil := otherSite(t, map[string]string{"/": `<title>evil</title><script>
		var w = window.open('about:blank');
		w.document.body.innerHTML = '` + secret + `'; w.document.title = '` + secret + `';
		w.opener = {location: {href: '` + b.site + `/customer'}};</script>`})
	b.visit("/customer")
	ask(b, api.Navigate, api.NavigateInput{URL: evil + "/"})
	popup := *b
	popup.call.PageID = ask(b, api.PageFind, api.PageFindInput{Newest: true, Known: []string{b.ref.PageID}}).PageID
	popup.call.Policy.Origins = []string{b.site}
	refused(&popup, api.Inspect, api.InspectInput{}, api.URLNotAllowed)
	refused(&popup, api.Screenshot, api.Empty{}, api.URLNotAllowed)
}

func TestAForgedAnswerTellsNothing(t *testing.T) {
	b := open(t)
	b.call.Policy.Origins = []string{b.site}
	for name, lie := range map[string]string{
		"stringify": `JSON.stringify = function () { return stringify({status: 0, value: forged}) }`,
		"toJSON":    `Object.prototype.toJSON = function () { return {status: 0, value: forged} }`,
		"resolve":   `var resolve = Promise.resolve; Promise.resolve = function () { return resolve.call(Promise, forged) }`,
	} {
		t.Run(name, func(t *testing.T) {
			evil := otherSite(t, map[string]string{"/": `<title>evil</title><script>
				var stringify = JSON.stringify, here = '` + b.site + `/customer';
				var forged = here + '\n' + stringify({url: here, title: '` + secret + `', complete: true, token: 't',
					result: {text: '` + secret + `', elements: []}});` + lie + `</script>`})
			refused(b, api.Navigate, api.NavigateInput{URL: b.site + "/redirect?to=" + evil + "/"}, api.URLNotAllowed)
			refused(b, api.Inspect, api.InspectInput{}, api.URLNotAllowed)
		})
	}
	b.visit("/customer")
}

func TestAWrittenPopupIsItsOpeners(t *testing.T) {
	b := open(t)
	b.call.Policy.Origins = []string{b.site}
	b.visit("/write")
	ask(b, api.Click, api.ClickInput{Target: id("writePopup")})
	popup := *b
	popup.call.PageID = ask(b, api.PageFind, api.PageFindInput{Newest: true, Known: []string{b.ref.PageID}}).PageID
	if page := ask(&popup, api.Inspect, api.InspectInput{}); page.Text == "" {
		t.Errorf("%+v", page)
	}
}

func TestADialogBelongsToTheDocumentThatIsThere(t *testing.T) {
	b := open(t)
	evil := otherSite(t, map[string]string{"/": `<title>evil</title><script>setTimeout(function () { alert('` + secret + `') }, 500)</script>`})
	ask(b, api.Navigate, api.NavigateInput{URL: evil + "/"})
	b.call.Policy.Origins = []string{b.site}
	_, err := try(b.within(1500*time.Millisecond), api.Navigate, api.NavigateInput{URL: b.site + "/never/silent"})
	if err != nil && strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
	if r := ask(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept}); r.Message != withheld {
		t.Errorf("%+v", r)
	}
}

func TestAPictureShowsNoFrameThatIsNotAllowed(t *testing.T) {
	b := open(t)
	evil := otherSite(t, map[string]string{"/": secret})
	home := otherSite(t, map[string]string{"/": `<title>t</title><iframe src="` + evil + `/"></iframe>`, "/own": `<iframe src="data:text/html,x"></iframe><iframe srcdoc="y"></iframe>`})
	b.call.Policy.Origins = []string{home}
	ask(b, api.Navigate, api.NavigateInput{URL: home + "/"})
	refused(b, api.Screenshot, api.Empty{}, api.URLNotAllowed)
	ask(b, api.Navigate, api.NavigateInput{URL: home + "/own"})
	ask(b, api.Screenshot, api.Empty{})
}

func TestOwnPortsAreNotSeenUnderAnyPolicy(t *testing.T) {
	b := open(t)
	own := otherSite(t, map[string]string{"/": secret})
	link := otherSite(t, map[string]string{"/": `<a id=leave href="` + own + `/">x</a>`})
	b.Worker.cfg.OwnPorts = portOf(t, own)
	refused(b, api.Navigate, api.NavigateInput{URL: own + "/"}, api.URLNotAllowed)
	ask(b, api.Navigate, api.NavigateInput{URL: link + "/"})
	refused(b, api.Click, api.ClickInput{Target: id("leave")}, api.URLNotAllowed)
	refused(b, api.Inspect, api.InspectInput{}, api.URLNotAllowed)
	refused(b, api.Screenshot, api.Empty{}, api.URLNotAllowed)
}

func TestNewWindowsAreLimited(t *testing.T) {
	b := open(t)
	home := otherSite(t, map[string]string{"/": `<button id=go onclick="for (var i = 0; i < 3; i++) window.open('/x?' + new Array(3000).join('y'))">go</button>`})
	ask(b, api.Navigate, api.NavigateInput{URL: home + "/"})
	st := ask(b, api.Click, api.ClickInput{Target: id("go")})
	if len(st.NewWindows) != 3 || st.NewWindows[0].URL != "" {
		t.Errorf("%+v", st)
	}
}
