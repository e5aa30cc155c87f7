package legacyapp

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestCustomerForm(t *testing.T) {
	root := page(t, New(), "/customer", "顧客検索")

	// What a reader sees: every text but those of the options.
	var words []string
	for n := range element(root, "body", "", "").Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "option" {
			words = append(words, strings.Fields(n.Data)...)
		}
	}
	if got := strings.Join(words, " "); got != "顧客検索 顧客名 支店 検索" {
		t.Errorf("the page reads %q", got)
	}

	options := elements(byID(t, root, "branch"), "option", "", "")
	if len(options) != 12 || text(options[2]) != "東京支店" || attribute(options[2], "value") != "13" {
		t.Errorf("%d options, or the third is not 東京支店", len(options))
	}
	if attribute(byID(t, root, "branch"), "name") != "branch" || attribute(byID(t, root, "customerName"), "name") != "customerName" {
		t.Error("a field has another name than its id")
	}
	if button := byID(t, root, "searchButton"); button.Data != "button" || text(button) != "検索" {
		t.Error("searchButton is not a button 検索")
	}
	frame := element(root, "iframe", "name", "mainFrame")
	if frame == nil {
		t.Fatal("no mainFrame")
	}
	inner := page(t, New(), attribute(frame, "src"), "お知らせ検索")
	byID(t, inner, "searchButton")
	byID(t, inner, "clicked")
}

func TestCustomerSearch(t *testing.T) {
	app := New()
	for _, c := range []struct {
		name, branch string
		want         []string
	}{
		{"山田太郎", "13", []string{"山田太郎"}},
		{"山田", "13", []string{"山田太郎", "山田花子"}},
		{" 山田太郎 ", "", []string{"山田太郎", "山田太郎"}},
		{"", "01", []string{"佐藤次郎"}},
		{"特別", "40", []string{"吉田 <特別>"}},
		{"山田", "99", nil},
		{"いない", "", nil},
	} {
		query := url.Values{"customerName": {c.name}, "branch": {c.branch}}
		root := page(t, app, "/customer/search?"+query.Encode(), "顧客検索結果")
		table := element(root, "table", "id", "resultTable")
		if c.want == nil {
			if table != nil {
				t.Errorf("%q at %q: a table without customers", c.name, c.branch)
			}
			byID(t, root, "notFound")
			continue
		}
		var got []string
		for _, link := range elements(table, "a", "", "") {
			got = append(got, text(link))
			detail := page(t, app, attribute(link, "href"), "顧客詳細")
			if shown := text(byID(t, detail, "customerName")); shown != text(link) {
				t.Errorf("the link %q leads to %q", text(link), shown)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q at %q: %q, want %q", c.name, c.branch, got, c.want)
		}
	}
	if all := elements(page(t, app, "/customer/search", "顧客検索結果"), "a", "", ""); len(all)-1 != len(allCustomers()) {
		t.Errorf("%d customers without a filter", len(all)-1)
	}
}

func TestEveryBranchHasACustomer(t *testing.T) {
	for _, b := range branches() {
		if !slices.ContainsFunc(allCustomers(), func(c customer) bool { return c.Branch == b.Code }) {
			t.Errorf("%s has none", b.Name)
		}
	}
}
