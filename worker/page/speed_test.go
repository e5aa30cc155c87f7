package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"iemesh/api"
)

// table is a page with a table of n rows of 9 nodes.
func table(n int) string {
	var b strings.Builder
	b.WriteString("<title>t</title><table>")
	for i := range n {
		fmt.Fprintf(&b, "<tr><td>%05d</td><td>顧客 %d</td><td>東京支店</td><td>1,000</td></tr>", i, i)
	}
	b.WriteString("</table>")
	return b.String()
}

const visitAll = `var n = document.body, count = 0;
(function visit(n) { count++; for (var c = n.firstChild; c; c = c.nextSibling) visit(c); })(n);
return '' + count;`

func TestInspectIsFastOnALongTable(t *testing.T) {
	open(t, table(2000))
	const runs = 25
	var visits, inspects []time.Duration
	for range runs {
		start := time.Now()
		js(t, visitAll)
		visits = append(visits, time.Since(start))
		start = time.Now()
		if _, _, err := Inspect(t.Context(), chromium, guardSite, api.InspectInput{}); err != nil {
			t.Fatal(err)
		}
		inspects = append(inspects, time.Since(start))
	}
	slices.Sort(visits)
	slices.Sort(inspects)
	visit, inspect := visits[runs/2], inspects[runs/2]
	t.Logf("%s nodes: visit %v, inspect %v", js(t, visitAll), visit, inspect)
	if inspect > 5*visit {
		t.Errorf("inspect takes %v, more than 5 times the %v of a visit of every node", inspect, visit)
	}
}
