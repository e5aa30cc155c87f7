package page

import (
	"context"
	"slices"
	"strings"

	"iemesh/api"
)

// Table is a table that was looked for, and what it shows.
type Table struct {
	Found
	api.ReadTableResult
}

// ReadTable reads the rows of a table: those that are displayed, with the cells
// that are, of at most 300 columns. A table inside a cell is left out, and values
// of fields are no text. The header is made of the rows of thead, or else of the first
// rows that have nothing but th; several header rows become one. Without a limit
// the JSON has at most [api.MaxResult] bytes, with one [api.MaxTableBytes]; there is
// always one row of those that remain, its cells cut short if need be.
func ReadTable(ctx context.Context, ex Executor, guard Guard, in api.ReadTableInput, ref Ref) (Table, error) {
	most := api.MaxResult
	if in.Limit > 0 {
		most = api.MaxTableBytes
	}
	input := struct {
		targetInput
		Offset   int `json:"offset"`
		Limit    int `json:"limit"`
		MaxCell  int `json:"maxCell"`
		MaxChars int `json:"maxChars"`
	}{targetInput{Locator: in.Target}, int(in.Offset), int(in.Limit), api.MaxCell, most}
	if in.Limit == 0 {
		input.Limit = api.MaxRows
	}
	var out struct {
		Found
		Titles      [][]string `json:"titles"`
		Rows        [][]string `json:"rows"`
		RowCount    int        `json:"rowCount"`
		ColumnCount int        `json:"columnCount"`
	}
	err := look(ctx, ex, guard, tableScript, input, ref, &out, &out.Found)
	t := Table{Found: out.Found, ReadTableResult: api.ReadTableResult{RowCount: out.RowCount, ColumnCount: out.ColumnCount, Offset: input.Offset}}
	if err == nil && t.Status == OK {
		t.ReadTableResult = fitTable(t.ReadTableResult, joined(out.Titles, out.ColumnCount), out.Rows, most)
	}
	return t, err
}

// joined makes one header of several rows: what stands above each other, once.
func joined(titles [][]string, columns int) []string {
	header := []string{}
	if len(titles) == 0 {
		return header
	}
	for c := range columns {
		var parts []string
		for _, row := range titles {
			if c < len(row) && row[c] != "" && !slices.Contains(parts, row[c]) {
				parts = append(parts, row[c])
			}
		}
		header = append(header, strings.Join(parts, " "))
	}
	return header
}

// fitTable takes as many rows as fit into most bytes. If not even one does, it
// cuts the cells.
func fitTable(r api.ReadTableResult, header []string, rows [][]string, most int) api.ReadTableResult {
	for longest := api.MaxCell; ; longest /= 2 {
		r.Header, r.Rows = shaped(header, len(header), longest), [][]string{}
		r.Truncated = false // the longer word
		size := jsonSize(r)
		for _, row := range rows {
			row = shaped(row, r.ColumnCount, longest)
			if size += jsonSize(row) + len(","); size > most {
				break
			}
			r.Rows = append(r.Rows, row)
		}
		if len(r.Rows) > 0 || len(rows) == 0 || longest == 1 {
			r.Truncated = r.Offset+len(r.Rows) < r.RowCount
			return r
		}
	}
}

// shaped is a row with that many cells, of that many characters at most.
func shaped(row []string, columns, longest int) []string {
	cells := make([]string, columns)
	copy(cells, row)
	if longest == api.MaxCell {
		return cells // as the script cut them
	}
	for i, cell := range cells {
		if r := []rune(cell); len(r) > longest {
			cells[i] = string(r[:longest]) + "…"
		}
	}
	return cells
}
