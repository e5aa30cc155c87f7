package desktop

import (
	"slices"
	"strings"
	"testing"
)

func TestObstacles(t *testing.T) {
	for _, c := range []struct {
		name  string
		facts Facts
		want  string // ids; those in capitals are fatal
	}{
		{"nothing known", Facts{}, ""},
		{"as it must be", Facts{Session: "1", Connection: "active", ScalePercent: 100}, ""},
		{"service", Facts{Session: "0", Connection: "disconnected", Unseen: true, ScalePercent: 100}, "SESSION_ZERO"},
		{"over SSH", Facts{Session: "2", Connection: "active", Unseen: true}, "UNSEEN_DESKTOP"},
		{"remote desktop", Facts{Session: "2", Connection: "active", Remote: true}, "remote_session"},
		{"remote desktop, closed", Facts{Session: "2", Connection: "disconnected", Locked: true, Remote: true}, "DISCONNECTED LOCKED"},
		{"nobody logged on", Facts{Session: "1", Connection: "connected, with nobody logged on"}, "DISCONNECTED"},
		{"locked", Facts{Session: "1", Connection: "active", Locked: true}, "LOCKED"},
		{"run as administrator, scaled", Facts{Session: "1", Connection: "active", Elevated: true, ScalePercent: 150}, "ELEVATED scale"},
	} {
		var got []string
		for _, o := range c.facts.Obstacles() {
			id := o.ID
			if !slices.Contains(Checks(), id) {
				t.Errorf("%s: Checks lacks %s", c.name, id)
			}
			if o.Fatal {
				id = strings.ToUpper(id)
			}
			got = append(got, id)
			if o.Found == "" || o.Wanted == "" || o.Why == "" || !strings.HasSuffix(o.String(), o.Remedy) {
				t.Errorf("%s: %+v", c.name, o)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
		first, fatal := c.facts.Fatal()
		if fatal != (strings.ToLower(c.want) != c.want) || fatal && !strings.HasPrefix(c.want, strings.ToUpper(first.ID)) {
			t.Errorf("%s: fatal %v: %+v", c.name, fatal, first)
		}
	}
}
