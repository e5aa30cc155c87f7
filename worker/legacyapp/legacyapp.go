// Package legacyapp is a small web application of the kind that runs in IE mode: tables for layout,
// inline event handlers, Japanese texts, framesets, popups, message boxes. It serves tests, which need pages that
// behave badly in known ways, and a newcomer, who needs something to drive.
//
// Its scripts are ES3, so the pages work in IE document modes 5 to 11 as well as in Chromium.
//
//	path                          what it is for
//	/                             links to everything below
//	/customer                     search form (customerName, branch, searchButton) with an iframe (mainFrame)
//	/customer/frame               what the iframe shows; its own searchButton, and what was clicked in the field clicked
//	/customer/search              results in resultTable; customerName= part of a name, branch= code, empty for any
//	/customer/detail?id=          one customer, title 顧客詳細
//	/popup                        openPopup opens /popup/detail; the popup writes into chosenCustomer
//	/popup/detail                 closeButton closes the window, chooseButton sets the opener's field
//	/popup/alert                  openThenAlert: window.open and alert in one click
//	/dialog                       alertButton, confirmButton; confirmResult tells the answer
//	/dialog/onload                alert while loading
//	/dialog/timer?ms=500          alert by a timer
//	/register                     registerButton asks, then posts; token= chooses the token, confirm=no does not ask,
//	                              delayMs= delays the answer, never the counting
//	/register/count?token=        how often that token was submitted, as text
//	/slow/form?delayMs=5000       submitButton posts; counted at once, answered after the delay; token= as above
//	/never/half                   half a document, then silence
//	/never/silent                 not a byte
//	/never/image                  a complete document whose image never comes, so that load never fires
//	/never/links                  links (half, silent, image) and buttons (halfButton, …) that lead to those
//	/table/2000                   dataTable with TableRows rows below its header
//	/table/20000nodes             dataTable in a body of ManyNodes nodes
//	/redirect?to=                 302 to any URL
//	/redirect/script?to=          the same by script
//	/redirect/meta?to=            by meta refresh
//	/redirect/link?to=            by a link (leave)
//	/redirect/timer?to=&ms=300    by a timer
//	/obscured?ms=                 target lies under cover; uncover removes it, with ms= a timer does
//	/late?ms=800                  lateButton becomes enabled, appear appears, vanish goes, status changes
//	/fields?picked=               every kind of field; events tells what fired
//	/order                        each press appends the value of field to log
//	/frames/nested                iframes outer, middle, inner; the button deep writes into the innermost
//	/frames/outer, middle, inner  their documents
//	/frameset                     frames menu and main
//	/frameset/menu, main          their documents
//	/frameset/search?page=        frames banner, menu and main, a frameset within a frameset; main shows page=, /customer
//	                              without it
//	/frameset/twice?page=         frames banner and work; work is /frameset/work?page=, with frames menu and main
//	/charset/sjis, eucjp          in Shift_JIS and EUC-JP: postText with postButton, getText with getButton; token=
//	/charset/sjis/received        what they sent (received, method); GET and POST; eucjp the same
//	/login/open                   openLogin opens /login in a window that may close itself
//	/login                        userId, password; loginButton opens /login/main and closes the window
//	/login/main?userId=           user; logoutButton closes the window
//	/dialog/prompt                promptButton asks; promptResult tells the answer
//	/dialog/leave                 asks on leaving by leaveLink or leaveButton once memo was touched; saveButton ends that
//	/dialog/modal                 modalButton: showModalDialog of /dialog/modal/detail where there is one; modalResult
//	/dialog/modal/detail          branch; chooseButton returns it, closeButton nothing
//	/dialog/select                alertBranch alerts on a choice, confirmBranch asks and goes back; …Result
//	/upload                       file, uploadButton; the answer lists name, size and SHA-256 in fileTable; token=
//	/upload/multiple              file takes several
//	/upload/hidden                file is hidden behind its label chooseLabel; chosenName
//	/table/merged                 mergedTable, all that makes tables hard, 8 rows; see MergedTable
//	/table/merged2000             the same with TableRows rows
//	/table/small                  a table for each difficulty; see SmallTables
//	/image                        imageButton (type=image), areaEast and areaWest of an image map; result
//	/image/button.png, map.png    their pictures
//	/click                        scriptLink, voidLink, hashLink, cell, line, spanButton, picture tell in pressed;
//	                              leaveLink leads to /order by javascript:
//	/write                        writePopup and writeFrame write documents with a button choose into a blank popup and
//	                              the iframe blank; choose sets the field chosen of this page
//	/write/frameset               frames control and blank; writeFrame in control writes into blank, as above
//	/write/control                the document of control
//	/fields/masked?ms=300         plain, dateMask, amount, limited, digits, phone1 to phone3, quantity (goes back to the
//	                              old value), prefecture fills city after ms
//	/fields/form                  ten fields of all kinds, saveButton; changes counts their changes; token=
//	/keyboard?token=              command (access key N), saveButton (access key S), sendButton, tabFirst to tabThird;
//	                              keys, loads, submits, selected, focused and done tell what happened
//	/mode/quirks                  without doctype: documentMode, compatMode, features; customerName, copyButton
//	/mode/5, 8, 11                the same with a doctype and X-UA-Compatible
//
// A page's template is named after its path: /popup/detail is pages/popup_detail.html.
package legacyapp

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/encoding"
)

// Longest is the limit on every request that is held open and on every delay that a page may be asked for.
const Longest = 60 * time.Second

//go:embed pages/*.html
var files embed.FS

// App is the application. Its zero value is not usable; call New.
type App struct {
	mux    *http.ServeMux
	pages  *template.Template
	closed context.Context
	close  context.CancelFunc

	mu            sync.Mutex
	registrations map[string]int
	received      map[string][]url.Values
	uploads       map[string][][]File
	loads         map[string]int
	slowAnswers   int
	held          int
}

// New returns an application that has counted nothing.
func New() *App {
	closed, cancel := context.WithCancel(context.Background())
	a := &App{
		mux:           http.NewServeMux(),
		pages:         template.Must(template.ParseFS(files, "pages/*.html")),
		closed:        closed,
		close:         cancel,
		registrations: map[string]int{},
		received:      map[string][]url.Values{},
		uploads:       map[string][][]File{},
		loads:         map[string]int{},
	}
	a.mux.HandleFunc("GET /{$}", a.index)
	a.customers()
	a.popups()
	a.dialogs()
	a.registers()
	a.nevers()
	a.tables()
	a.redirects()
	a.timings()
	a.fields()
	a.frames()
	a.charsets()
	a.logins()
	a.uploadForms()
	a.mergedTables()
	a.images()
	a.keyboard()
	a.modes()
	return a
}

// ServeHTTP serves the pages. Nothing that it serves may be cached.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	a.mux.ServeHTTP(w, r)
}

// Close releases every request that is held open or waits for its delay, those to come included; their connections are
// closed without an answer. The other pages stay up. Close may be called more than once.
func (a *App) Close() { a.close() }

// Held is the number of requests that are being held open or wait for their delay at this moment.
func (a *App) Held() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.held
}

// index needs a second origin for its redirects: the same server has two names on loopback.
func (a *App) index(w http.ResponseWriter, r *http.Request) {
	name, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		name, port = r.Host, "80"
	}
	other := "127.0.0.1"
	if name == other {
		other = "localhost"
	}
	a.render(w, "/index", "http://"+net.JoinHostPort(other, port)+"/customer")
}

// static serves pages that need no data.
func (a *App) static(paths ...string) {
	for _, path := range paths {
		a.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			a.render(w, path, nil)
		})
	}
}

// render answers with the template of path.
func (a *App) render(w http.ResponseWriter, path string, data any) {
	a.renderIn(w, "utf-8", encoding.Nop, path, data)
}

// renderIn is render in another charset; characters outside it become character references.
func (a *App) renderIn(w http.ResponseWriter, charset string, in encoding.Encoding, path string, data any) {
	name := strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "_") + ".html"
	var page bytes.Buffer
	err := a.pages.ExecuteTemplate(&page, name, data)
	var encoded []byte
	if err == nil {
		encoded, err = encoding.HTMLEscapeUnsupported(in.NewEncoder()).Bytes(page.Bytes())
	}
	if err != nil {
		http.Error(w, "the page "+path+" could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset="+charset)
	w.Write(encoded)
}

// hold waits for d, at most Longest, and tells whether all of it passed: false when the client went away or the
// application was closed.
func (a *App) hold(r *http.Request, d time.Duration) bool {
	a.mu.Lock()
	a.held++
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.held--
		a.mu.Unlock()
	}()
	timer := time.NewTimer(min(d, Longest))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-a.closed.Done():
	}
	return false
}

// hangUp closes the connection, so that an answer that never came does not turn into an empty one.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		conn.Close()
	}
}

// milliseconds reads a form value as a duration; absent, it is missing.
func milliseconds(r *http.Request, name string, missing time.Duration) (time.Duration, error) {
	value := r.FormValue(name)
	if value == "" {
		return missing, nil
	}
	ms, err := strconv.Atoi(value)
	if err != nil || ms < 0 || ms > int(Longest.Milliseconds()) {
		return 0, fmt.Errorf("%s must be a number of milliseconds from 0 to %d", name, Longest.Milliseconds())
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// timed serves pages whose data is the number of milliseconds in ms=.
func (a *App) timed(path string, missing time.Duration) {
	a.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		after, err := milliseconds(r, "ms", missing)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		a.render(w, path, after.Milliseconds())
	})
}
