package page

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"iemesh/api"
)

// readTable reads a table that must be there.
func readTable(t *testing.T, ex Executor, in api.ReadTableInput) Table {
	t.Helper()
	table, err := ReadTable(t.Context(), ex, guardSite, in, nil)
	if err != nil || table.Status != OK {
		t.Fatalf("%+v %v", table, err)
	}
	return table
}

func TestReadTable(t *testing.T) {
	for _, c := range []struct{ name, html, want string }{
		{"plain", `<tr><td>a<td> b　<b>c</b><tr><td>1<br>2<td>`, `{"header":[],"rows":[["a","b c"],["1 2",""]],"rowCount":2,"columnCount":2,"offset":0,"truncated":false}`},
		{"thead", `<caption>題</caption><thead><tr><td>番号<td>名<tbody><tr><th>1<th>山田<tfoot><tr><td>計<td>1`,
			`{"header":["番号","名"],"rows":[["1","山田"],["計","1"]],"rowCount":2,"columnCount":2,"offset":0,"truncated":false}`},
		{"th rows", `<tr><th rowspan=2>支店<th colspan=2>売上<tr><th>上期<th>下期<tr><th>東京<td>1<td>2<tr><th>a<th>b<th>c`,
			`{"header":["支店","売上 上期","売上 下期"],"rows":[["東京","1","2"],["a","b","c"]],"rowCount":2,"columnCount":3,"offset":0,"truncated":false}`},
		{"merged", `<tr><td rowspan=3>A<td>1<td colspan=2 rowspan=2>B<tr><td>2<tr><td>3<td>x<td>y<tr><td colspan=4>計<tr><td>z`,
			`{"header":[],"rows":[["A","1","B","B"],["A","2","B","B"],["A","3","x","y"],["計","計","計","計"],["z","","",""]],"rowCount":5,"columnCount":4,"offset":0,"truncated":false}`},
		{"merged to the end", `<tbody><tr><td rowspan=0>A<td>1<tr><td>2</tbody><tbody><tr><td>B<td>3<tr><td colspan=99>なし`,
			`{"header":[],"rows":[["A","1"],["A","2"],["B","3"],["なし","なし"]],"rowCount":4,"columnCount":2,"offset":0,"truncated":false}`},
		{"hidden", `<tr><td rowspan=2>A<td>1<tr style="display:none"><td>no<tr><td style="display:none">no<td>2<tr style="visibility:hidden"><td>no<td>no<tr><td>B<td><i style="display:none">no</i>3`,
			`{"header":[],"rows":[["A","1"],["A","2"],["B","3"]],"rowCount":3,"columnCount":2,"offset":0,"truncated":false}`},
		{"nested", `<tr><td>a<table><tr><th>in<td>side<tr><td>it</table>b<td>c<tr><td>d<td>e`,
			`{"header":[],"rows":[["a b","c"],["d","e"]],"rowCount":2,"columnCount":2,"offset":0,"truncated":false}`},
		{"empty", ``, `{"header":[],"rows":[],"rowCount":0,"columnCount":0,"offset":0,"truncated":false}`},
		{"header alone", `<thead><tr><th>a<th>b`, `{"header":["a","b"],"rows":[],"rowCount":0,"columnCount":2,"offset":0,"truncated":false}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			open(t, `<table id=x>`+c.html+`</table>`)
			bothModes(t, func(t *testing.T, ex Executor) {
				table := readTable(t, ex, api.ReadTableInput{Target: id("x")})
				if got, _ := json.Marshal(table.ReadTableResult); string(got) != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			})
		})
	}
}

func TestReadTableRefuses(t *testing.T) {
	open(t, `<div id=div><table id=none style="display:none"><tr><td>x</table></div>`)
	for field, want := range map[string]Status{"div": NotTable, "none": Hidden, "nothing": Missing} {
		if table, err := ReadTable(t.Context(), chromium, guardSite, api.ReadTableInput{Target: id(field)}, nil); err != nil || table.Status != want {
			t.Errorf("%s: %+v %v", field, table, err)
		}
	}
	openOn(t, foreign, `<table id=x><tr><td>x</table>`)
	if table, err := ReadTable(t.Context(), chromium, guardSite, api.ReadTableInput{Target: id("x")}, nil); err != errRefused || len(table.Rows) > 0 {
		t.Errorf("%+v %v", table, err)
	}
}

// Pages of rows, read one after the other, are the table.
func TestReadTableByPages(t *testing.T) {
	open(t, strings.Replace(table(2000), "<table>", "<table id=x>", 1))
	bothModes(t, func(t *testing.T, ex Executor) {
		var rows [][]string
		pages := 0
		for in := (api.ReadTableInput{Target: id("x")}); ; pages++ {
			r := readTable(t, ex, in)
			if n := jsonSize(r.ReadTableResult); n > api.MaxResult || r.RowCount != 2000 || r.ColumnCount != 4 || r.Offset != int(in.Offset) {
				t.Fatalf("%d bytes, %d rows, %d columns from %d", n, r.RowCount, r.ColumnCount, r.Offset)
			}
			rows = append(rows, r.Rows...)
			if !r.Truncated {
				break
			}
			if jsonSize(r.ReadTableResult)+jsonSize(r.Rows[0])+8 < api.MaxResult {
				t.Errorf("%d more bytes would have held a row", api.MaxResult-jsonSize(r.ReadTableResult))
			}
			for range r.Rows {
				in.Offset++
			}
		}
		whole := readTable(t, ex, api.ReadTableInput{Target: id("x"), Limit: api.MaxRows})
		if len(rows) != 2000 || !slices.EqualFunc(rows, whole.Rows, slices.Equal) || whole.Truncated || rows[1999][1] != "顧客 1999" {
			t.Errorf("%d rows by pages, %d at once", len(rows), len(whole.Rows))
		}
		if r := readTable(t, ex, api.ReadTableInput{Target: id("x"), Offset: 1990, Limit: 3}); len(r.Rows) != 3 || r.Rows[0][0] != "01990" || !r.Truncated {
			t.Errorf("%+v", r.ReadTableResult)
		}
		if r := readTable(t, ex, api.ReadTableInput{Target: id("x"), Offset: 5000}); len(r.Rows) != 0 || r.Truncated {
			t.Errorf("%+v", r.ReadTableResult)
		}
		t.Logf("%d pages", pages+1)
	})
}

func TestReadTableHasLimits(t *testing.T) {
	long := strings.Repeat("長", 3000)
	open(t, `<table id=long><tr><td>`+long+`<td>b<tr><td>c</table>
	<table id=wide><tr>`+strings.Repeat("<td>"+long[:900], 400)+`<tr><td>x</table>
	<table id=spanned><tr><td colspan=1000 rowspan=60000>`+long+`</table>`)
	bothModes(t, func(t *testing.T, ex Executor) {
		if r := readTable(t, ex, api.ReadTableInput{Target: id("long")}); len(r.Rows) != 2 || r.Rows[0][0] != long[:3*api.MaxCell]+"…" || r.Truncated {
			t.Errorf("%+v", r.ReadTableResult)
		}
		if r := readTable(t, ex, api.ReadTableInput{Target: id("wide")}); len(r.Rows) != 1 || r.ColumnCount != 300 || jsonSize(r.ReadTableResult) > api.MaxResult || !r.Truncated || !strings.HasSuffix(r.Rows[0][299], "…") {
			t.Errorf("%d rows, %d columns, %d bytes", len(r.Rows), r.ColumnCount, jsonSize(r.ReadTableResult))
		}
		if r := readTable(t, ex, api.ReadTableInput{Target: id("spanned")}); len(r.Rows) != 1 || r.ColumnCount != 1 {
			t.Errorf("%d rows, %d columns", len(r.Rows), r.ColumnCount)
		}
	})
}

func TestReadTableIsFast(t *testing.T) {
	open(t, strings.Replace(table(2000), "<table>", "<table id=x>", 1))
	const runs = 15
	var visits, reads []time.Duration
	for range runs {
		start := time.Now()
		js(t, visitAll)
		visits = append(visits, time.Since(start))
		start = time.Now()
		readTable(t, chromium, api.ReadTableInput{Target: id("x"), Offset: 1500})
		reads = append(reads, time.Since(start))
	}
	slices.Sort(visits)
	slices.Sort(reads)
	visit, read := visits[runs/2], reads[runs/2]
	t.Logf("visit %v, read %v", visit, read)
	if read > 20*visit {
		t.Errorf("a page of rows takes %v, more than 20 times the %v of a visit of every node", read, visit)
	}
}
