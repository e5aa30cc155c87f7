package page

import (
	"testing"

	"iemesh/api"
)

func TestSeed(t *testing.T) {
	open(t, `<title>顧客検索</title><h1>顧客検索</h1><form><label for=customerName>顧客名</label> <input id=customerName name=customerName>
	<label>支店</label><select id=branch name=branch><option>大阪</option><option selected value=13>東京支店</option></select>
	<button id=searchButton>検索</button></form><iframe name=mainFrame></iframe><input type=hidden name=x><div style="display:none"><a href=x>no</a></div>`)
	for _, ex := range []Executor{chromium, oldMode{chromium}} {
		r, doc, err := Inspect(t.Context(), ex, guardSite, api.InspectInput{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v\n%+v", r, doc)
	}
}
