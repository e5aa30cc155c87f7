package page

import (
	"context"
	"encoding/json"
	"testing"

	"iemesh/api"
)

// counting counts round trips.
type counting struct {
	Executor
	trips int
}

func (c *counting) Execute(ctx context.Context, script string, args []any) (json.RawMessage, error) {
	c.trips++
	return c.Executor.Execute(ctx, script, args)
}

// What was typed and stands there is seen by its checksum, in one round trip.
func TestFilledIsOneRoundTripForWhatArrived(t *testing.T) {
	for _, c := range []struct {
		old, typed string
		clear      bool
	}{{"", "abc", true}, {"old", "山田太郎", true}, {"old", "+新", false}, {"", "", true}} {
		open(t, `<input id=f value="`+c.old+`">`)
		locator := api.Locator{By: api.ByID, Value: "f"}
		if _, err := Editable(t.Context(), chromium, guardSite, locator, nil, c.clear); err != nil {
			t.Fatal(err)
		}
		value := c.typed
		if !c.clear {
			value = c.old + c.typed
		}
		js(t, "document.getElementById('f').value = '"+value+"'; return ''")
		ex := &counting{Executor: chromium}
		f, err := Filled(t.Context(), ex, guardSite, c.typed, c.clear)
		if err != nil || f.Gone || f.Differs || f.Method != api.Keys || ex.trips != 1 {
			t.Errorf("%+v: %+v, %v, %d round trips", c, f, err, ex.trips)
		}
	}
}
