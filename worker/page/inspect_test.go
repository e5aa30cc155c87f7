package page

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"iemesh/api"
)

// bothModes runs f with and without what document mode 5 lacks.
func bothModes(t *testing.T, f func(t *testing.T, ex Executor)) {
	t.Helper()
	t.Run("modern", func(t *testing.T) { f(t, chromium) })
	t.Run("old", func(t *testing.T) { f(t, oldMode{chromium}) })
}

func inspect(t *testing.T, ex Executor, input string) api.InspectResult {
	t.Helper()
	var in api.InspectInput
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		t.Fatal(err)
	}
	r, _, err := Inspect(t.Context(), ex, guardSite, in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestInspectLikeItsAncestor(t *testing.T) {
	url := open(t, `<title>顧客検索</title><h1>顧客検索</h1><form><label for=customerName>顧客名</label> <input id=customerName name=customerName>
	<label>支店</label><select id=branch name=branch><option>大阪</option><option selected>東京支店</option></select>
	<button id=searchButton>検索</button></form><iframe name=mainFrame></iframe><input type=hidden name=x>`)
	bothModes(t, func(t *testing.T, ex Executor) {
		got, err := json.Marshal(inspect(t, ex, `{}`))
		if err != nil {
			t.Fatal(err)
		}
		want := `{"url":"` + url + `","title":"顧客検索","text":"顧客検索 顧客名 支店 検索","elements":[` +
			`{"tag":"input","id":"customerName","name":"customerName","type":"text","label":"顧客名"},` +
			`{"tag":"select","id":"branch","name":"branch","text":"東京支店","value":"東京支店","optionCount":2},` +
			`{"tag":"button","id":"searchButton","type":"submit","text":"検索"},` +
			`{"tag":"iframe","name":"mainFrame"}],"truncated":false,"totalElements":4,"totalTextChars":14}`
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestInspectText(t *testing.T) {
	for html, want := range map[string]string{
		`<b>a</b>b <i>c</i>`:                                                    "ab c",
		`<div>a</div><div>b</div>c<br>d`:                                        "a b c d",
		"<p>\n a \t b\u00a0\u3000c \n</p>":                                      "a b c",
		`<table><tr><td>1</td><td>2</td></table>`:                               "1 2",
		`a<script>x</script><style>y</style> b`:                                 "a b",
		`a<span style="display:none">x</span>b`:                                 "ab",
		`<p style="visibility:hidden">x<b style="visibility:visible">y</b></p>`: "y",
		`<textarea>x</textarea><select><option>y</select>z`:                     "z",
		`<div style="display:contents">x</div>`:                                 "x",
		`<a>` + "\U00020000" + `</a>`:                                           "\U00020000",
		`<noscript>x</noscript><iframe srcdoc=x></iframe>`:                      "",
		``: "",
	} {
		open(t, "<body>"+html)
		bothModes(t, func(t *testing.T, ex Executor) {
			r := inspect(t, ex, `{}`)
			if r.Text != want || r.TotalTextChars != len(utf16.Encode([]rune(want))) {
				t.Errorf("%s: %q, %d", html, r.Text, r.TotalTextChars)
			}
		})
	}
}

func TestInspectReadsOnToTheEnd(t *testing.T) {
	var b strings.Builder
	for i := range 900 {
		fmt.Fprintf(&b, "<p>%d \U00020000\U0001F600 あ<b>x</b> </p>", i)
	}
	b.WriteString(strings.Repeat("\U0001F600", 5000))
	open(t, b.String())
	bothModes(t, func(t *testing.T, ex Executor) {
		var whole []uint16
		for {
			r := inspect(t, ex, fmt.Sprintf(`{"textOffset":%d}`, len(whole)))
			part := utf16.Encode([]rune(r.Text))
			if len(part) > api.MaxText || strings.ContainsRune(r.Text, '\ufffd') {
				t.Fatalf("%d characters: %q", len(part), r.Text)
			}
			whole = append(whole, part...)
			if r.Truncated != (len(whole) < r.TotalTextChars) || len(part) == 0 {
				t.Fatalf("truncated %v after %d of %d", r.Truncated, len(whole), r.TotalTextChars)
			}
			if !r.Truncated {
				break
			}
		}
		want := strings.Join(strings.Fields(strings.NewReplacer("<p>", "", "</p>", " ", "<b>", "", "</b>", "").Replace(b.String())), " ")
		if string(utf16.Decode(whole)) != want {
			t.Error("the parts are not the whole")
		}
	})
}

func TestInspectElements(t *testing.T) {
	open(t, `<body onclick="x"><a href="javascript:void(0)" name=top>link</a><a href=x><img alt=登録 width=9 height=9></a>
	<div onclick="x" id=d>push <span>me</span></div><a href=x style="display:none">no</a><a href=x style="visibility:hidden">no</a>
	<div style="height:0;overflow:hidden"><a href=x style="display:block;height:0">no</a></div>
	<input type=password id=pw value=secret><input type=checkbox checked title=check><input type=radio disabled>
	<fieldset disabled><input id=f value="v w" readonly></fieldset><label>Wrapped <input id=w></label>
	<input aria-label=aria placeholder=ph><table><tr><td>住所 <td><input id=cell></table>
	<map name=m><area href=http://h/ alt=北 coords=0,0,5,5></map><img usemap=#m width=10 height=10>
	<map name=unused><area href=x></map><textarea>long
text</textarea><input type=button value=Go>`)
	bothModes(t, func(t *testing.T, ex Executor) {
		got, err := json.Marshal(inspect(t, ex, `{}`).Elements)
		if err != nil {
			t.Fatal(err)
		}
		base := js(t, "return location.origin")
		base = base[1 : len(base)-1]
		want := `[{"tag":"a","name":"top","text":"link","href":"javascript:void(0)"},{"tag":"a","label":"登録","href":"` + base + `/x"},` +
			`{"tag":"div","id":"d","text":"push me"},{"tag":"input","id":"pw","type":"password"},` +
			`{"tag":"input","type":"checkbox","value":"on","label":"check","checked":true},{"tag":"input","type":"radio","value":"on","checked":false,"disabled":true},` +
			`{"tag":"input","id":"f","type":"text","value":"v w","disabled":true,"readonly":true},{"tag":"input","id":"w","type":"text","label":"Wrapped"},` +
			`{"tag":"input","type":"text","label":"aria","placeholder":"ph"},{"tag":"input","id":"cell","type":"text","label":"住所"},` +
			`{"tag":"area","label":"北","href":"http://h/"},{"tag":"textarea","value":"long\ntext"},{"tag":"input","type":"button","value":"Go"}]`
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestInspectFrameset(t *testing.T) {
	open(t, `<frameset cols="50%,50%"><frame name=a src=about:blank><frame name=b src=about:blank></frameset>`)
	bothModes(t, func(t *testing.T, ex Executor) {
		r := inspect(t, ex, `{}`)
		if r.Text != "" || !reflect.DeepEqual(r.Elements, []api.Element{{Tag: "frame", Name: "a"}, {Tag: "frame", Name: "b"}}) {
			t.Errorf("%+v", r)
		}
	})
}

func TestInspectCutsElements(t *testing.T) {
	open(t, strings.Repeat(`<a href=x id="`+strings.Repeat("あ", 100)+`">あ</a>`, 400)+`<p>`+strings.Repeat("い", 3700))
	seen := 0
	for {
		r := inspect(t, chromium, fmt.Sprintf(`{"offset":%d}`, seen))
		if encoded, err := json.Marshal(r); err != nil || len(encoded) > api.MaxResult {
			t.Fatalf("%d bytes, %v", len(encoded), err)
		}
		if seen += len(r.Elements); r.TotalElements != 400 || len(r.Elements) == 0 || !r.Truncated != (seen == 400 && r.TotalTextChars <= api.MaxText) {
			t.Fatalf("%d elements, %d seen of %d, truncated %v", len(r.Elements), seen, r.TotalElements, r.Truncated)
		}
		if seen == 400 {
			break
		}
	}
	if r := inspect(t, chromium, `{"offset":398,"limit":1}`); len(r.Elements) != 1 || !r.Truncated {
		t.Errorf("limit: %d elements, truncated %v", len(r.Elements), r.Truncated)
	}
}
