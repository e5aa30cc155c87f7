package driver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"
)

const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// Element is the driver's reference to an element. As JSON it is the W3C
// reference, so it can be a script's argument and be read out of a script's result.
type Element struct{ id string }

// MarshalJSON implements json.Marshaler.
func (e Element) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{elementKey: e.id})
}

// UnmarshalJSON implements json.Unmarshaler. It refuses what is no reference, null included.
func (e *Element) UnmarshalJSON(b []byte) error {
	var reference map[string]string
	if err := json.Unmarshal(b, &reference); err != nil {
		return err
	}
	if e.id = reference[elementKey]; e.id == "" {
		return errors.New("no element reference")
	}
	return nil
}

// Navigate loads a page under the driver's page-load limit of limit, rounded up to
// whole seconds (IEDriver's unit). When the limit passes, chromedriver stops the
// load; the error is a Timeout. When ctx ends first, the load is stopped likewise
// where the engine has a debugger, so that the driver is soon free again.
//
// Success does not mean that the page is there. Chromium answers it at once when the
// page opens a dialog as it loads, and also when it shows an error page of its own
// (bad certificates, unsafe ports, missing files): then location.href is
// "chrome-error://chromewebdata/" while Locations gives the URL asked for.
func (s *Session) Navigate(ctx context.Context, url string, limit time.Duration) error {
	limit = max((limit + time.Second - 1).Truncate(time.Second), time.Second)
	return s.doWithin(ctx, limit, "navigate", null, func(o *op) error {
		o.leave = s.stopLoading
		return s.wd.Get(url)
	})
}

// AllowLoads gives page loads the time that every action needs: under the shorter
// limit that Navigate leaves behind, chromedriver would stop a load that a page
// begins, and with it the answer to a form. It sends nothing when that limit is not in force.
func (s *Session) AllowLoads(ctx context.Context) error {
	return s.doWithin(ctx, commandLimit, "timeouts", null, func(*op) error { return nil })
}

// Execute runs a script in the current frame and returns its result as JSON.
func (s *Session) Execute(ctx context.Context, script string, args []any) (result json.RawMessage, err error) {
	if args == nil {
		args = []any{}
	}
	// Raw: tebeka takes a result that has a member "error" for a failure.
	in := map[string]any{"script": script, "args": args}
	err = s.raw(ctx, "execute", anything, http.MethodPost, "/execute/sync", in, &result)
	return result, err
}

// Find returns the first match in the current frame, without waiting. using is
// one of the five W3C strategies: "css selector", "xpath", "link text",
// "partial link text", "tag name".
func (s *Session) Find(ctx context.Context, using, value string) (e Element, err error) {
	if !slices.Contains([]string{"css selector", "xpath", "link text", "partial link text", "tag name"}, using) {
		// tebeka would turn "id" and "name" into CSS without escaping.
		return e, &Error{Kind: InvalidArgument, Command: "find", Message: "no such locator strategy: " + using}
	}
	err = s.do(ctx, "find", object, func(*op) error {
		found, err := s.wd.FindElement(using, value)
		if err != nil {
			return err
		}
		reference, err := json.Marshal(found)
		if err != nil {
			return err
		}
		return json.Unmarshal(reference, &e)
	})
	return e, err
}

// Click clicks the middle of an element. The driver answers when the navigation that
// it starts is over: measured with chromedriver 156, a link to a server that never
// answers holds it until the page-load limit, which stops the load, and a Timeout is
// the answer; a click that opens a dialog is answered at once.
func (s *Session) Click(ctx context.Context, e Element) error {
	return s.do(ctx, "click", null, func(*op) error {
		found, err := s.element(e)
		if err != nil {
			return err
		}
		return found.Click()
	})
}

// SendKeys types into an element; characters of the W3C key table ("\ue007" is
// Enter) are keys. If the element has the focus already, its selection stays, so that
// the keys replace it, and "\ue003" (Backspace) deletes it; if not, they go to the end.
func (s *Session) SendKeys(ctx context.Context, e Element, keys string) error {
	return s.do(ctx, "send keys", null, func(*op) error {
		found, err := s.element(e)
		if err != nil {
			return err
		}
		return found.SendKeys(keys)
	})
}

// SwitchFrame enters the frame of an <iframe> or <frame>; nil is the top document.
func (s *Session) SwitchFrame(ctx context.Context, frame *Element) error {
	return s.raw(ctx, "switch frame", null, http.MethodPost, "/frame", map[string]any{"id": frame}, nil)
}

// ParentFrame leaves the current frame.
func (s *Session) ParentFrame(ctx context.Context) error {
	return s.raw(ctx, "parent frame", null, http.MethodPost, "/frame/parent", nil, nil)
}

// Window returns the handle of the current window.
func (s *Session) Window(ctx context.Context) (handle string, err error) {
	err = s.do(ctx, "window", token, func(*op) (err error) {
		handle, err = s.wd.CurrentWindowHandle()
		s.window = handle
		return err
	})
	return handle, err
}

// Windows returns the handles of all windows, in no order that means anything. Do not
// call it while a dialog is open: if the same script opened a window before the dialog,
// chromedriver never answers (measured), and that costs the session. Locations tells
// the handles then.
func (s *Session) Windows(ctx context.Context) (handles []string, err error) {
	err = s.do(ctx, "windows", list, func(*op) (err error) { handles, err = s.wd.WindowHandles(); return err })
	return handles, err
}

// SwitchWindow makes a window the current one, at its top document.
func (s *Session) SwitchWindow(ctx context.Context, handle string) error {
	return s.do(ctx, "switch window", null, func(*op) error {
		s.window = "" // unless it is told that it worked
		err := s.wd.SwitchWindow(handle)
		if err == nil {
			s.window = handle
		}
		return err
	})
}

// CloseWindow closes the current window and returns the handles left; afterwards no
// window is current. Closing the last one ends the session.
func (s *Session) CloseWindow(ctx context.Context) (left []string, err error) {
	err = s.raw(ctx, "close window", list, http.MethodDelete, "/window", nil, &left)
	return left, err
}

// NewWindow opens an empty tab and returns its handle. It does not become current.
func (s *Session) NewWindow(ctx context.Context) (string, error) {
	var window struct{ Handle string }
	err := s.raw(ctx, "new window", object, http.MethodPost, "/window/new", map[string]string{"type": "tab"}, &window)
	return window.Handle, err
}

// Screenshot returns the viewport as PNG.
func (s *Session) Screenshot(ctx context.Context) (png []byte, err error) {
	err = s.raw(ctx, "screenshot", picture, http.MethodGet, "/screenshot", nil, &png)
	return png, err
}

// DialogText returns the message of the open dialog.
func (s *Session) DialogText(ctx context.Context) (message string, err error) {
	err = s.raw(ctx, "dialog text", text, http.MethodGet, "/alert/text", nil, &message)
	return message, err
}

// AcceptDialog presses OK. It is answered at once; if the page goes on to a server that
// does not answer, it is the next command that waits.
func (s *Session) AcceptDialog(ctx context.Context) error {
	return s.do(ctx, "accept dialog", null, func(*op) error { return s.wd.AcceptAlert() })
}

// DismissDialog presses Cancel, or OK where there is no Cancel.
func (s *Session) DismissDialog(ctx context.Context) error {
	return s.do(ctx, "dismiss dialog", null, func(*op) error { return s.wd.DismissAlert() })
}

// SendDialogText fills in a prompt without closing it.
func (s *Session) SendDialogText(ctx context.Context, value string) error {
	// Raw: tebeka encodes the body twice.
	return s.raw(ctx, "send dialog text", null, http.MethodPost, "/alert/text", map[string]string{"text": value}, nil)
}

// Back goes one step back in the history.
func (s *Session) Back(ctx context.Context) error {
	return s.do(ctx, "back", null, func(*op) error { return s.wd.Back() })
}

// Forward goes one step forward in the history.
func (s *Session) Forward(ctx context.Context) error {
	return s.do(ctx, "forward", null, func(*op) error { return s.wd.Forward() })
}

// Refresh loads the page again.
func (s *Session) Refresh(ctx context.Context) error {
	return s.do(ctx, "refresh", null, func(*op) error { return s.wd.Refresh() })
}
