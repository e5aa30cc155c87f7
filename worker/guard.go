package worker

import (
	"context"
	"errors"
	"time"

	"iemesh/api"
	"iemesh/api/origin"
	"iemesh/worker/driver"
	"iemesh/worker/page"
)

// guard decides whether the content of a document may leave it, by where the
// document says that it is, and by where the browser knows it to be.
func (op *operation) guard(href string, ofOpener bool) (string, error) {
	from, err := op.judge(href)
	switch {
	case err != nil || from == "" || op.unrestricted(): // of the start page nothing is read
	case ofOpener:
		err = op.confirmOpener()
	case !op.session.inFrame:
		err = op.confirmTop()
	}
	return from, err
}

// judge decides by an address alone. A blank document that no page opened is the
// driver's start page.
func (op *operation) judge(href string) (string, error) {
	from, err := op.policy.Page(href, op.worker.own())
	if e, ok := errors.AsType[*origin.Error](err); ok && op.isStartPage(e.Reason, href) {
		return "", nil
	}
	return from, err
}

// confirmTop checks the top document by where it is as the browser knows it.
// chromedriver carries what a script returns through Promise.resolve and
// JSON.stringify, which a page can replace by what puts another address, and
// another content, into the answer. Nobody tells which document a frame has.
func (op *operation) confirmTop() error {
	if op.session.driver.Differs(driver.BelievedOpener) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	href, ok := op.session.driver.Committed(ctx, op.window.handle)
	if !ok {
		return page.ErrNoAnswer
	}
	_, err := op.policy.Page(href, op.worker.own())
	if e, ok := errors.AsType[*origin.Error](err); ok && e.Reason == origin.Blank {
		return op.confirmOpener() // a page wrote it, and so gave it its own address
	}
	return err
}

// confirmOpener checks a blank page by the window that opened it as the browser
// knows it: what the page itself says of its opener can be forged. Where the
// browser does not tell, that has to do.
func (op *operation) confirmOpener() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	opener, ok := op.session.driver.Opener(ctx, op.window.handle)
	if !ok && op.session.driver.Differs(driver.BelievedOpener) {
		return nil
	}
	href, _ := op.session.driver.Committed(ctx, opener)
	_, err := op.policy.Page(href, op.worker.own())
	return err
}

func (op *operation) isStartPage(reason origin.Reason, href string) bool {
	first := op.window.index == 0 && !op.window.visited
	switch {
	case href == op.session.driver.StartPage():
		return first || reason != origin.OwnPort && op.unrestricted()
	case reason == origin.Blank:
		return first || op.unrestricted()
	}
	return false
}

// unrestricted tells whether every plain URL is allowed.
func (op *operation) unrestricted() bool {
	entries := op.policy.Entries()
	return len(entries) == 1 && entries[0] == "*"
}

// own names the ports of this process and of its drivers and browsers.
func (w *Worker) own() origin.Own {
	own := origin.Own{Ports: w.cfg.OwnPorts}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sessions {
		own.Ports = append(own.Ports[:len(own.Ports):len(own.Ports)], s.listening()...)
	}
	return own
}

// dialog describes the open dialog that e reports. The message of a page that
// is not allowed is withheld. While a dialog is open no script answers, so
// where the page is comes from the browser's debugger; or it is where a
// navigation under way leads, or what was seen last.
func (op *operation) dialog(ctx context.Context, e *driver.Error) *api.Dialog {
	text, _ := e.Dialog()
	return &api.Dialog{Message: op.permit(ctx, text)}
}

// maxMessage is the longest dialog text that is told, in characters.
const maxMessage = 2000

const withheld = "(withheld: the page is not on the list of allowed origins)"

func (op *operation) permit(ctx context.Context, message string) string {
	if r := []rune(message); len(r) > maxMessage {
		message = string(r[:maxMessage]) + "…"
	}
	if op.window == nil {
		return withheld
	}
	href, ok := op.session.driver.Committed(ctx, op.window.handle)
	switch {
	case ok:
	case op.unrestricted():
		return message
	case op.heading != "":
		href = op.heading
	default:
		href = op.window.url
	}
	if _, err := op.judge(href); err != nil {
		return withheld
	}
	return message
}
