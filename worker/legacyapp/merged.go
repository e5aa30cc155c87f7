package legacyapp

import (
	"fmt"
	"net/http"
)

// MergedRows is the number of rows of /table/merged: every kind of row once.
const MergedRows = 8

// Table is what a reader of a table should find: merged cells repeat their text in every row and column that they
// cover, hidden rows are left out, the text of a table inside a cell is not the cell's, the value of a field is no
// text, white space around a text and a no-break space alone are nothing.
type Table struct {
	ID     string
	Header [][]string // the rows above the data; nil if there is none
	Rows   [][]string
}

// slip is a row of mergedTable.
type slip struct {
	Branch, Clerk         string // in the first row that they span
	Code, Amount, Note    string
	Cancelled             bool // amount and note are one cell
	Parts, Input, Hidden  bool // a table or a field in the note; a hidden row above
	branchText, clerkText string
}

func slips(count int) []slip {
	rows := make([]slip, count)
	for i := range rows {
		all := branches()
		s := slip{
			Code:       fmt.Sprintf("D%05d", i+1),
			Amount:     fmt.Sprintf("%d 円", (i+1)*100),
			Cancelled:  i%4 == 2,
			Parts:      i%8 == 3,
			Input:      i%8 == 7,
			Hidden:     i%8 == 4,
			branchText: all[i/4%len(all)].Name,
			clerkText:  fmt.Sprintf("担当%d", i/2+1),
		}
		if i%4 == 0 {
			s.Branch = s.branchText
		}
		if i%2 == 0 {
			s.Clerk = s.clerkText
		}
		switch {
		case s.Parts:
			s.Note = "内訳"
		case s.Input:
			s.Note = "要確認"
		case i%4 == 0:
			s.Note = "通常"
		}
		rows[i] = s
	}
	return rows
}

// MergedTable is the table of /table/merged2000 with rows = TableRows, and that of /table/merged with
// MergedRows.
func MergedTable(rows int) Table {
	t := Table{
		ID: "mergedTable",
		Header: [][]string{
			{"支店", "担当", "明細", "明細", "明細", "選択"},
			{"支店", "担当", "伝票", "金額", "備考", "選択"},
		},
	}
	for _, s := range slips(rows) {
		if s.Cancelled {
			s.Amount, s.Note = "取消", "取消"
		}
		t.Rows = append(t.Rows, []string{s.branchText, s.clerkText, s.Code, s.Amount, s.Note, ""})
	}
	return t
}

// SmallTables are those of /table/small, in document order; insideTable is inside nestedTable.
func SmallTables() []Table {
	return []Table{
		{"spansTable", [][]string{{"地域", "支店", "上期", "下期"}}, [][]string{
			{"関東", "東京", "10", "20"},
			{"関東", "横浜", "集計中", "集計中"},
			{"関西", "関西", "30", "40"},
			{"関西", "関西", "50", "40"},
		}},
		{"nestedTable", [][]string{{"伝票", "内容"}}, [][]string{{"D00001", "内訳あり"}, {"D00002", "内訳なし"}}},
		{"insideTable", [][]string{{"品名", "数量"}}, [][]string{{"鉛筆", "12"}, {"消しゴム", "3"}}},
		{"headersTable", [][]string{{"支店", "売上", "売上"}, {"支店", "上期", "下期"}}, [][]string{
			{"東京支店", "100", "120"},
			{"大阪支店", "80", "90"},
		}},
		{"sideTable", nil, [][]string{{"顧客番号", "C0001"}, {"顧客名", "山田太郎"}}},
		{"captionTable", [][]string{{"コード", "支店名"}}, [][]string{{"13", "東京支店"}, {"27", "大阪支店"}}},
		{"hiddenTable", [][]string{{"番号", "状態"}}, [][]string{{"1", "表示"}, {"4", "表示"}}},
		{"emptyTable", [][]string{{"番号", "備考", "金額"}}, [][]string{{"1", "", ""}, {"", "なし", ""}}},
		{"linksTable", [][]string{{"伝票", "数量", "操作"}}, [][]string{
			{"D00001", "3 個", ""},
			{"D00002 至急", "0 個", "変更 削除"},
		}},
	}
}

func (a *App) mergedTables() {
	a.static("/table/small")
	for path, count := range map[string]int{"/table/merged": MergedRows, "/table/merged2000": TableRows} {
		a.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			a.render(w, "/table/merged", slips(count))
		})
	}
}
