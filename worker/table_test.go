package worker

import (
	"testing"
	"time"

	"iemesh/api"
)

func TestReadTable(t *testing.T) {
	b := open(t)
	b.visit("/table/2000")
	first := ask(b, api.ReadTable, api.ReadTableInput{Target: id("dataTable")})
	if first.RowCount != 2000 || first.ColumnCount != 3 || !first.Truncated || first.Header[1] != "伝票" || first.Rows[0][1] != "D00001" {
		t.Errorf("%+v", first)
	}
	all := ask(b, api.ReadTable, api.ReadTableInput{Target: api.Locator{By: api.ByXPath, Value: "//table[@id='dataTable']"}, Limit: 2000})
	if len(all.Rows) != 2000 || all.Truncated || all.Rows[1999][1] != "D02000" {
		t.Errorf("%d rows", len(all.Rows))
	}
	hurried := b.within(300 * time.Millisecond)
	refused(hurried, api.ReadTable, api.ReadTableInput{Target: id("nothing")}, api.ElementNotFound)
	refused(hurried, api.ReadTable, api.ReadTableInput{Target: api.Locator{By: api.ByCSS, Value: "body"}}, api.ElementNotInteractable)
	b.show(`<iframe name=f srcdoc="<table id=t><tr><td>in the frame</table>"></iframe>`)
	if r := ask(b, api.ReadTable, api.ReadTableInput{Target: id("t"), Frame: api.Frames{{By: api.ByName, Value: "f"}}}); len(r.Rows) != 1 || r.Rows[0][0] != "in the frame" {
		t.Errorf("%+v", r)
	}
}
