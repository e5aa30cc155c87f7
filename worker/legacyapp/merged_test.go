package legacyapp

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// grid reads a table independently of the data that it was made from, by the rules that Table states.
func grid(table *html.Node) (header, rows [][]string) {
	type place struct{ row, column int }
	filled := map[place]string{}
	number := 0
	for _, line := range elements(table, "tr", "", "") {
		if owner(line) != table || attribute(line, "style") == "display: none;" || attribute(line, "class") == "off" {
			continue
		}
		column, heads := 0, line.Parent.Data == "thead"
		allHeads := true
		for cell := range line.ChildNodes() {
			if cell.Type != html.ElementNode {
				continue
			}
			allHeads = allHeads && cell.Data == "th"
			for filled[place{number, column}] != "" {
				column++
			}
			for r := range span(cell, "rowspan") {
				for c := range span(cell, "colspan") {
					filled[place{number + r, column + c}] = "=" + own(cell, table)
				}
			}
		}
		var cells []string
		for c := 0; filled[place{number, c}] != ""; c++ {
			cells = append(cells, filled[place{number, c}][1:])
		}
		if heads || allHeads {
			header = append(header, cells)
		} else {
			rows = append(rows, cells)
		}
		number++
	}
	return header, rows
}

// owner is the table that n belongs to.
func owner(n *html.Node) *html.Node {
	for n = n.Parent; n.Data != "table"; n = n.Parent {
	}
	return n
}

func span(cell *html.Node, key string) int {
	n, err := strconv.Atoi(attribute(cell, key))
	if err != nil {
		return 1
	}
	return n
}

func own(cell, table *html.Node) string {
	var b strings.Builder
	for n := range cell.Descendants() {
		if n.Type == html.TextNode && owner(n) == table {
			b.WriteString(n.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestTablesReadAsTold(t *testing.T) {
	app := New()
	small := page(t, app, "/table/small", "小さな表")
	for _, want := range SmallTables() {
		header, rows := grid(byID(t, small, want.ID))
		if !reflect.DeepEqual(header, want.Header) || !reflect.DeepEqual(rows, want.Rows) {
			t.Errorf("%s reads %q and %q", want.ID, header, rows)
		}
	}
	if got := len(elements(small, "table", "", "")) - 1; got != len(SmallTables()) {
		t.Errorf("%d tables, %d told", got, len(SmallTables()))
	}
	for target, count := range map[string]int{"/table/merged": MergedRows, "/table/merged2000": TableRows} {
		table := byID(t, page(t, app, target, "支店別伝票"), "mergedTable")
		want := MergedTable(count)
		header, rows := grid(table)
		if len(rows) != count || !reflect.DeepEqual(header, want.Header) || !reflect.DeepEqual(rows, want.Rows) {
			t.Errorf("%s reads %q and %d rows, the first %q", target, header, len(rows), rows[:min(8, len(rows))])
		}
		for _, tag := range []string{"caption", "table", "a"} {
			if element(table, tag, "", "") == nil {
				t.Errorf("%s: no %s within the table", target, tag)
			}
		}
		for _, kind := range []string{"text", "checkbox"} {
			if element(table, "input", "type", kind) == nil {
				t.Errorf("%s: no field of type %s", target, kind)
			}
		}
		if element(table, "tr", "style", "display: none;") == nil {
			t.Errorf("%s: no hidden row", target)
		}
	}
}
