package worker

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"iemesh/api"
	"iemesh/worker/legacyapp"
)

// header is one of several header rows, as read_table tells it.
func header(rows [][]string) []string {
	joined := []string{}
	for c := range slices.Max(append(widths(rows), 0)) {
		var parts []string
		for _, row := range rows {
			if !slices.Contains(parts, row[c]) {
				parts = append(parts, row[c])
			}
		}
		joined = append(joined, strings.Join(parts, " "))
	}
	return joined
}

func widths(rows [][]string) (list []int) {
	for _, row := range rows {
		list = append(list, len(row))
	}
	return list
}

func TestReadTable(t *testing.T) {
	b := open(t)
	check := func(want legacyapp.Table, limit int) {
		t.Helper()
		in := api.ReadTableInput{Target: id(want.ID)}
		for range limit {
			in.Limit++
		}
		r := ask(b, api.ReadTable, in)
		if !reflect.DeepEqual(r.Header, header(want.Header)) || !reflect.DeepEqual(r.Rows, want.Rows) || r.RowCount != len(want.Rows) || r.Truncated {
			t.Errorf("%s: %.500q and %d of %d rows: %.500q", want.ID, r.Header, len(r.Rows), r.RowCount, r.Rows)
		}
	}
	b.visit("/table/small")
	for _, want := range legacyapp.SmallTables() {
		check(want, 0)
	}
	b.visit("/table/merged")
	check(legacyapp.MergedTable(legacyapp.MergedRows), 0)
	b.visit("/table/merged2000")
	start := time.Now()
	check(legacyapp.MergedTable(legacyapp.TableRows), legacyapp.TableRows)
	t.Logf("2,000 rows: %v", time.Since(start))
	first := ask(b, api.ReadTable, api.ReadTableInput{Target: css("table table, #mergedTable"), Offset: 1000})
	if first.RowCount != 2000 || !first.Truncated || first.Rows[0][2] != "D01001" || first.ColumnCount != 6 {
		t.Errorf("%+v", first)
	}
}

func TestTablesThatCannotBeRead(t *testing.T) {
	b := open(t)
	b.visit("/table/small")
	hurried := b.within(300 * time.Millisecond)
	refused(hurried, api.ReadTable, api.ReadTableInput{Target: id("nothing")}, api.ElementNotFound)
	refused(b, api.ReadTable, api.ReadTableInput{Target: css("body")}, api.ElementNotInteractable)
	b.show(`<iframe name=f srcdoc="<table id=t><tr><td>in the frame</table>"></iframe>`)
	at := api.Locator{By: api.ByXPath, Value: "//table"}
	if r := ask(b, api.ReadTable, api.ReadTableInput{Target: at, Frame: api.Frames{{By: api.ByName, Value: "f"}}}); len(r.Rows) != 1 || r.Rows[0][0] != "in the frame" {
		t.Errorf("%+v", r)
	}
}
