package worker

import (
	"slices"
	"strings"
	"testing"
	"time"

	"iemesh/api"
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

func TestTablesThatCannotBeRead(t *testing.T) {
	b := share(t)
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
