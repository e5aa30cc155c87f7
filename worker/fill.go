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
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(in.Text)
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
	if field.OneLine && strings.Contains(text, "\n") {
		return api.FillResult{}, api.Errorf(api.InvalidArgument, "text has a line break, but %s is a field of one line.", in.Target)
	}
	result := api.FillResult{Method: api.Keys}
	if field.Kind == page.TextField && typeable(text) {
		keys := text
		if keys == "" && in.Replaces() && !field.Empty {
			keys = backspace
		}
		if keys != "" {
			done, err := op.acted(op.session.driver.SendKeys(ctx, element, keys))
			if driver.KindOf(err) == driver.Stale {
				err = unclear(err) // before the first key, or after the one that made the page replace its field
			}
			if err != nil || !done {
				result.Loading = err == nil
				return result, err
			}
		}
	}
	result.PageState, err = op.review(ctx, func(ctx context.Context) (page.Doc, error) {
		seen, err := page.Filled(ctx, op.session.driver, op.guard, text, in.Replaces())
		if err == nil && !seen.Gone {
			result.Method, result.Differs = seen.Method, seen.Differs
		}
		return seen.Doc, err
	})
	return result, err
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
