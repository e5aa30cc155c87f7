package worker

import (
	"context"
	"strings"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/page"
)

var _ = bind(api.Fill, fill)

// backspace deletes what is selected (W3C key table).
const backspace = "\ue003"

func fill(ctx context.Context, op *operation, in api.FillInput) (api.FillResult, error) {
	text := in.Text
	if err := op.enter(ctx, in.Frame); err != nil {
		return api.FillResult{}, err
	}
	var field page.Field
	element, err := op.await(ctx, in.Target, func(ref page.Ref) (_ page.Found, err error) {
		field, err = page.Editable(ctx, op.session.driver, op.guard, in.Target, ref, in.Replaces())
		return field.Found, err
	})
	if err != nil {
		return api.FillResult{}, err
	}
	result := api.FillResult{Method: api.Keys}
	if done, err := op.enterText(ctx, field, element, text, in.Replaces()); err != nil || !done {
		result.Loading = err == nil
		return result, err
	}
	var nothing error // why nothing was done, neither by keys nor by script
	result.PageState, err = op.review(ctx, func(ctx context.Context) (page.Doc, error) {
		seen, err := page.Filled(ctx, op.session.driver, op.guard, text, in.Replaces())
		op.done = op.done || seen.Sent
		switch {
		case err != nil && !op.done:
			nothing = err
		case err == nil && seen.Gone && !op.done:
			nothing = api.Errorf(api.StaleElementReference, "The page replaced the field when it got the focus; nothing was typed. Look at it again.")
		case err == nil && !seen.Gone:
			result.Method, result.Differs = seen.Method, seen.Differs
		}
		return seen.Doc, err
	})
	if nothing != nil {
		return api.FillResult{}, nothing
	}
	return result, err
}

// enterText types a text into a field that was made ready. What the keyboard
// cannot do is left to the page's script that looks at the field afterwards. done
// is false when the keys were delivered and the driver still works on them.
func (op *operation) enterText(ctx context.Context, field page.Field, element driver.Element, text string, replace bool) (done bool, err error) {
	keys := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if field.OneLine && strings.Contains(keys, "\n") {
		return false, api.Errorf(api.InvalidArgument, "The text has a line break, but %s is a field of one line.", op.target)
	}
	if keys == "" && replace && !field.Empty {
		keys = backspace
	} else if keys == "" || !typeable(keys) {
		return true, nil
	}
	if field.Kind != page.TextField {
		return true, nil
	}
	return op.sendKeys(ctx, element, keys)
}

// sendKeys types into an element.
func (op *operation) sendKeys(ctx context.Context, element driver.Element, keys string) (done bool, err error) {
	done, err = op.acted(op.session.driver.SendKeys(ctx, element, keys))
	if driver.KindOf(err) == driver.Stale {
		err = unclear(err) // before the first key, or after the one that made the page replace its element
	}
	return done, err
}

// maxTyped is the longest text that is typed; a longer one would take the
// driver many seconds.
const maxTyped = 4096

// typeable tells whether the keyboard of WebDriver has every character: it has
// none outside the basic plane, and takes private-use ones (in Japan, gaiji)
// for special keys and a tab for the next field.
func typeable(text string) bool {
	return len(text) <= maxTyped && !strings.ContainsFunc(text, func(r rune) bool {
		return r > 0xFFFF || r >= 0xE000 && r <= 0xF8FF || r < ' ' && r != '\n' || r == 0x7F
	})
}
