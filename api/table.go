package api

// Limits of [ReadTableResult].
const (
	MaxRows       = 2000       // rows in one result
	MaxCell       = 1000       // characters (UTF-16 code units) of a cell; a longer one ends in "…"
	MaxTableBytes = 512 * 1024 // of JSON when a limit is given; without one it is [MaxResult]
)

type rowLimit int

// ReadTableInput names a table and the part of it to read.
type ReadTableInput struct {
	Target Locator  `json:"target"`
	Frame  Frames   `json:"frame,omitempty"`
	Offset offset   `json:"offset,omitempty" jsonschema:"Skip this many rows."`
	Limit  rowLimit `json:"limit,omitempty" jsonschema:"Rows at most. Default: as many as fit in 16 KiB."`
}

// Audit names the table.
func (in ReadTableInput) Audit() map[string]any { return map[string]any{"selector": in.Target} }

// ReadTableResult is a table as texts. Rows and header have ColumnCount cells
// each; a merged cell stands in each place that it covers. Truncated is set
// when rows remain after those that are here.
type ReadTableResult struct {
	Header      []string   `json:"header"` // empty when the table has none
	Rows        [][]string `json:"rows"`
	RowCount    int        `json:"rowCount"` // of the whole table, without the header
	ColumnCount int        `json:"columnCount"`
	Offset      int        `json:"offset"`
	Truncated   bool       `json:"truncated"`
}

// ReadTable is the operation on tables.
var ReadTable = declare[ReadTableInput, ReadTableResult](Meta{
	Name: "read_table", Title: "Read a table",
	Description: "Reads the rows of a table as text.",
	Scope:       Page, Effect: Read, Lane: Queued, Profile: Core,
})
