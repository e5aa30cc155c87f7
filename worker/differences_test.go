package worker

import (
	"slices"
	"strings"
	"time"

	"iemesh/api"
	"iemesh/worker/driver"
)

// differences checks each: how it is with an engine that has it, and without.
var differences = map[driver.Difference]func(p place, differs bool){
	driver.DocumentModes:  place.documentMode,
	driver.LateWindows:    place.lateWindow,
	driver.SilentWindows:  place.silentWindow,
	driver.AssumedDialogs: place.assumedDialog,
	driver.BelievedOpener: place.believedOpener,
	driver.BlackPictures:  place.blackPicture,
	driver.UncheckedParts: place.uncheckedParts,
	driver.UnclearArrival: place.unclearArrival,
	driver.HTMLDialogs:    place.htmlDialog,
}

func (p place) documentMode(differs bool) {
	p.visit("/customer")
	if got := p.inspect().DocumentMode; (got > 0) != differs || got != p.engine.mode {
		p.t.Errorf("document mode %d", got)
	}
}

func (p place) lateWindow(differs bool) {
	if differs {
		p.engine.set(`"popupDelayMs":1600`)
		defer p.engine.set(quickly)
	}
	p.visit("/popup")
	st := p.click(id("openPopup"))
	if (len(st.NewWindows) == 0) != differs {
		p.t.Errorf("%+v", st)
	}
	popup := p.newest(p.ref.PageID)
	popup.click(id("closeButton"))
}

func (p place) silentWindow(differs bool) {
	p.visit("/popup")
	for _, w := range ask(p.browser, api.PagesList, api.Empty{}).Pages {
		if (w.URL == "") != differs {
			p.t.Errorf("%+v", w)
		}
	}
}

// assumedDialog: the page behind a dialog is not allowed, but none was read since.
func (p place) assumedDialog(differs bool) {
	elsewhere := strings.Replace(p.site, "127.0.0.1", "localhost", 1)
	p.browser.call.Policy.Origins = []string{p.site}
	p.visit("/redirect/link?to=" + elsewhere + "/dialog/onload")
	st := p.click(id("leave"))
	if st.Dialog == nil || (st.Dialog.Message != withheld) != differs {
		p.t.Errorf("%+v", st)
	}
	_, _ = try(p.browser, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})
	refused(p.browser, api.Inspect, api.InspectInput{}, api.URLNotAllowed)
}

func (p place) believedOpener(differs bool) {
	evil := otherSite(p.t, map[string]string{"/": `<title>evil</title><script>
		var w = window.open('about:blank');
		w.document.body.innerHTML = '` + secret + `<button id=close onclick="window.close()">x</button>';
		w.opener = {location: {href: '` + p.site + `/customer'}};</script>`})
	ask(p.browser, api.Navigate, api.NavigateInput{URL: evil + "/"})
	popup := p.newest(p.ref.PageID)
	popup.browser.call.Policy.Origins = []string{p.site}
	if _, err := try(popup.browser, api.Inspect, api.InspectInput{}); (err == nil) != differs || err != nil && code(err) != api.URLNotAllowed {
		p.t.Errorf("inspect: %v", err)
	}
	popup.browser.call.Policy = p.call.Policy
	popup.click(id("close"))
}

func (p place) blackPicture(differs bool) {
	ask(p.browser, api.Navigate, api.NavigateInput{URL: blackSite(p.t)})
	if _, err := try(p.browser, api.Screenshot, api.Empty{}); (err != nil) != differs || err != nil && code(err) != api.UnsupportedByEngine {
		p.t.Errorf("screenshot: %v", err)
	}
}

func (p place) uncheckedParts(differs bool) {
	evil := otherSite(p.t, map[string]string{"/": secret})
	home := otherSite(p.t, map[string]string{"/": `<title>t</title><iframe src="` + evil + `/"></iframe>`})
	p.browser.call.Policy.Origins = []string{home}
	ask(p.browser, api.Navigate, api.NavigateInput{URL: home + "/"})
	if _, err := try(p.browser, api.Screenshot, api.Empty{}); (err == nil) != differs || err != nil && code(err) != api.URLNotAllowed {
		p.t.Errorf("screenshot: %v", err)
	}
	p.browser.call.Policy.Origins = []string{p.site}
	refused(p.browser, api.Screenshot, api.Empty{}, api.URLNotAllowed)
	p.browser.call.Policy.Origins = []string{"*"}
	p.Worker.cfg.OwnPorts = portOf(p.t, home)
	defer func() { p.Worker.cfg.OwnPorts = nil }()
	refused(p.browser, api.Screenshot, api.Empty{}, api.URLNotAllowed)
}

func (p place) unclearArrival(differs bool) {
	p.visit("/customer")
	st, err := try(p.browser.within(1500*time.Millisecond), api.Navigate, api.NavigateInput{URL: p.site + "/never/half"})
	if (err != nil) != differs || err == nil && !st.Loading || err != nil && code(err) != api.Timeout {
		p.t.Errorf("%+v, %v", st, err)
	}
	p.visit("/customer")
}

func (p place) htmlDialog(differs bool) {
	p.visit("/dialog/modal")
	st := p.click(id("modalButton"))
	if !differs {
		p.wait(api.TextHas, id("modalResult"), "モーダルダイアログがありません")
		return
	}
	if len(st.NewWindows) != 1 || st.URL != "" {
		p.t.Errorf("%+v", st)
	}
	refused(p.browser, api.Inspect, api.InspectInput{}, api.DialogOpen)
	dialog := p.newest(p.ref.PageID)
	if got := dialog.held("branch"); got != "東京支店" {
		p.t.Errorf("the dialog holds %q", got)
	}
	dialog.click(id("chooseButton"))
	p.wait(api.TextHas, id("modalResult"), "選択: 東京支店")
	if list := ask(p.browser, api.PagesList, api.Empty{}).Pages; !slices.ContainsFunc(list, func(w api.Window) bool { return w.PageID == p.ref.PageID }) {
		p.t.Errorf("%+v", list)
	}
}

// countCommands: how many commands each operation may take.
func (p place) countCommands() {
	count := func(what string, most int, do func()) {
		p.t.Helper()
		before := len(p.engine.commands())
		do()
		if sent := p.engine.commands()[before:]; len(sent) > most {
			p.t.Errorf("%s takes %d commands, more than %d: %s", what, len(sent), most, strings.Join(sent, "\n"))
		} else {
			p.t.Logf("%s: %d", what, len(sent))
		}
	}
	byDriver := 0 // in modes without a search by CSS
	if p.engine.mode > 0 && p.engine.mode < 8 {
		byDriver = 1
	}
	p.visit("/customer")
	count("inspect", 1, func() { p.inspect() })
	count("fill", 4, func() { p.fill(id("customerName"), "山田") })
	count("fill by css", 4+byDriver, func() { p.fill(css("#customerName"), "山田太郎") })
	choose := func(at api.Locator, branch api.OptionKey) func() {
		return func() {
			ask(p.browser, api.SelectOption, api.SelectInput{Target: at, By: api.OptionText, Value: branch})
		}
	}
	count("select", 4, choose(id("branch"), "東京支店"))
	count("select by css", 4+byDriver, choose(css("#branch"), "大阪支店"))
	p.visit("/click")
	count("click", 4, func() { p.click(id("spanButton")) })
	count("click by css", 4+byDriver, func() { p.click(css("#spanButton")) })
	p.visit("/fields/form?token=counted")
	count("fill_form of 10 fields", 22, func() { ask(p.browser, api.FillForm, tenFields()) })
	p.visit("/table/merged2000")
	in, read, pages := api.ReadTableInput{Target: id("mergedTable")}, 0, 0
	for read < 2000 {
		count("a page of read_table", 1, func() {
			r := ask(p.browser, api.ReadTable, in)
			for range r.Rows {
				in.Offset++
			}
			read += len(r.Rows)
		})
		if pages++; pages > 50 {
			p.t.Fatalf("%d rows after %d pages", read, pages)
		}
	}
}
