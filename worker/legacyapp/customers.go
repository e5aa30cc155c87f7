package legacyapp

import (
	"net/http"
	"slices"
	"strings"
)

type branch struct {
	Code, Name string
	Home       bool // chosen when the form is new
}

type customer struct {
	ID, Name, Kana, Branch, Phone, Address string
}

func branches() []branch {
	return []branch{
		{Code: "01", Name: "札幌支店"},
		{Code: "04", Name: "仙台支店"},
		{Code: "13", Name: "東京支店", Home: true},
		{Code: "14", Name: "横浜支店"},
		{Code: "15", Name: "新潟支店"},
		{Code: "17", Name: "金沢支店"},
		{Code: "23", Name: "名古屋支店"},
		{Code: "26", Name: "京都支店"},
		{Code: "27", Name: "大阪支店"},
		{Code: "28", Name: "神戸支店"},
		{Code: "34", Name: "広島支店"},
		{Code: "40", Name: "福岡支店"},
	}
}

func branchName(code string) string {
	for _, b := range branches() {
		if b.Code == code {
			return b.Name
		}
	}
	return code
}

// Addresses and telephone numbers are invented.
func allCustomers() []customer {
	return []customer{
		{"C0001", "山田太郎", "ヤマダ タロウ", "13", "03-0000-0001", "東京都千代田区一番町一丁目1-1"},
		{"C0002", "山田花子", "ヤマダ ハナコ", "13", "03-0000-0002", "東京都港区二番町二丁目2-2"},
		{"C0003", "山田太郎", "ヤマダ タロウ", "27", "06-0000-0003", "大阪府大阪市北区三番町3-3"},
		{"C0004", "佐藤一郎", "サトウ イチロウ", "13", "03-0000-0004", "東京都新宿区四番町四丁目4-4"},
		{"C0005", "佐藤次郎", "サトウ ジロウ", "01", "011-000-0005", "北海道札幌市中央区五番町5-5"},
		{"C0006", "鈴木三郎", "スズキ サブロウ", "04", "022-000-0006", "宮城県仙台市青葉区六番町6-6"},
		{"C0007", "髙橋真由美", "タカハシ マユミ", "14", "045-000-0007", "神奈川県横浜市中区七番町7-7"},
		{"C0008", "田中美咲", "タナカ ミサキ", "15", "025-000-0008", "新潟県新潟市中央区八番町8-8"},
		{"C0009", "伊藤健", "イトウ ケン", "17", "076-000-0009", "石川県金沢市九番町9-9"},
		{"C0010", "渡邊恵", "ワタナベ メグミ", "23", "052-000-0010", "愛知県名古屋市中区十番町10-10"},
		{"C0011", "中村誠", "ナカムラ マコト", "26", "075-000-0011", "京都府京都市中京区十一番町11"},
		{"C0012", "小林直樹", "コバヤシ ナオキ", "28", "078-000-0012", "兵庫県神戸市中央区十二番町12"},
		{"C0013", "加藤由美", "カトウ ユミ", "34", "082-000-0013", "広島県広島市中区十三番町13"},
		{"C0014", "吉田 <特別>", "ヨシダ トクベツ", "40", "092-000-0014", "福岡県福岡市博多区十四番町14"},
	}
}

func (a *App) customers() {
	a.static("/customer/frame")
	a.mux.HandleFunc("GET /customer", func(w http.ResponseWriter, _ *http.Request) {
		a.render(w, "/customer", branches())
	})
	a.mux.HandleFunc("GET /customer/search", a.searchCustomers)
	a.mux.HandleFunc("GET /customer/detail", a.customerDetail)
}

func (a *App) searchCustomers(w http.ResponseWriter, r *http.Request) {
	name, code := strings.TrimSpace(r.FormValue("customerName")), r.FormValue("branch")
	found := slices.DeleteFunc(allCustomers(), func(c customer) bool {
		return !strings.Contains(c.Name, name) || code != "" && c.Branch != code
	})
	for i := range found {
		found[i].Branch = branchName(found[i].Branch)
	}
	a.render(w, "/customer/search", found)
}

func (a *App) customerDetail(w http.ResponseWriter, r *http.Request) {
	for _, c := range allCustomers() {
		if c.ID == r.FormValue("id") {
			c.Branch = branchName(c.Branch)
			a.render(w, "/customer/detail", c)
			return
		}
	}
	http.Error(w, "該当する顧客はありません", http.StatusNotFound)
}
