package desktop

import (
	"testing"
)

// A test that runs has a desktop, if not always one that it can ask about.
func TestRead(t *testing.T) {
	f := Read()
	t.Logf("%+v", f)
	if f.Session == "" || f.Session == "0" {
		t.Errorf("session %q", f.Session)
	}
}
