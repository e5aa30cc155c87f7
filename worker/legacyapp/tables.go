package legacyapp

import (
	"fmt"
	"net/http"
)

const (
	// TableRows is the number of rows of /table/2000 without its header row.
	TableRows = 2000
	// RowNodes is the number of nodes that each row costs: the row, three cells, a link, three texts, and the line
	// break after it.
	RowNodes = 9
	// ManyNodes is the number of elements and texts below the body of /table/20000nodes.
	ManyNodes = 20004

	manyRows = 2220
)

type row struct {
	Number int
	Code   string
}

func (a *App) tables() {
	a.mux.HandleFunc("GET /table/2000", a.table(TableRows))
	a.mux.HandleFunc("GET /table/20000nodes", a.table(manyRows))
}

func (a *App) table(count int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		rows := make([]row, count)
		for i := range rows {
			rows[i] = row{Number: i + 1, Code: fmt.Sprintf("D%05d", i+1)}
		}
		a.render(w, "/table", rows)
	}
}
