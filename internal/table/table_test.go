package table

import (
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func self(x *float64) float64 { return *x }

func TestTable(t *testing.T) {
	tab := New("policy", "cost USD", "useful", "note")
	tab.Row("ondemand", "47.1", "99 %", "")
	tab.Row("reactive", "18.8", "98 %", "é")
	tab.Row("twin", "18.8", "98 %", "")
	tab.Row("oracle", "1.0", "100 %", "")
	MarkBest(tab, 1, []float64{47.1, 18.81, 18.8, math.NaN()}, self)
	MarkBest(tab, 2, []float64{-0.99, -0.98, -0.98, math.NaN()}, self)
	var out strings.Builder
	if err := tab.Write(&out, Style{}); err != nil {
		t.Fatal(err)
	}
	want := `
policy    cost USD   useful   note
ondemand      47.1     99 %*
reactive      18.8*    98 %      é
twin          18.8*    98 %
oracle         1.0    100 %
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("%s\nexpected%s", got, want)
	}
}

// A row that alone takes part is marked, if others differ.
func TestOneBest(t *testing.T) {
	tab := New("policy", "usd")
	tab.Row("ondemand", "8.0")
	tab.Row("greedy", "2.0")
	MarkBest(tab, 1, []float64{8, math.NaN()}, self)
	if !tab.Rows[0][1].Best || tab.Rows[1][1].Best {
		t.Errorf("%+v", tab.Rows)
	}
}

// What is alike in all rows is the best of nothing.
func TestNoBest(t *testing.T) {
	for _, values := range [][]float64{{1, 1.0001}, {1, math.NaN()}, {math.NaN(), math.NaN()}} {
		tab := New("policy", "usd")
		tab.Row("a", "1.0")
		tab.Row("b", "1.0")
		MarkBest(tab, 1, values, self)
		if tab.marked(1) {
			t.Errorf("%v: one is marked", values)
		}
	}
}

// Blocks hold each column once, begin with the first, and are no wider than the
// screen unless two columns are.
func TestBlocks(t *testing.T) {
	tab := New("a", "bb", "ccc", "dddd", strings.Repeat("e", 30))
	tab.Row("1", "2", "3", "4", "5")
	tab.Row("6", "7", "8", "9", "10")
	MarkBest(tab, 1, []float64{2, 7}, self)
	for width := range 60 {
		seen := map[int]int{}
		for _, block := range tab.blocks(width) {
			var out strings.Builder
			tab.write(&out, Style{}, block)
			for line := range strings.Lines(out.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > 0 && n > width && len(block) > 2 {
					t.Errorf("width %d: a line of %d", width, n)
				}
			}
			for _, i := range block {
				seen[i]++
			}
		}
		if seen[0] != len(tab.blocks(width)) || seen[1] != 1 || seen[2] != 1 || seen[3] != 1 || seen[4] != 1 {
			t.Errorf("width %d: %v", width, tab.blocks(width))
		}
	}
}

// A row takes the same time however many there are: 50,000 are printed in hundredths of a second. Looking at all rows
// for each would take a minute, so the limit leaves a busy machine its time.
func TestLongTable(t *testing.T) {
	long := New("pool", "price")
	for range 50_000 {
		long.Row("us-east-1a/p3.2xlarge", "0.9")
	}
	begin := time.Now()
	if err := long.Write(io.Discard, Style{}); err != nil || time.Since(begin) > 20*time.Second {
		t.Errorf("%v, %v", err, time.Since(begin))
	}
}

// What fields say of a column is what is written, in every form.
func TestOf(t *testing.T) {
	type inner struct {
		Share float64 `json:"share" head:"of all" format:"percent"`
	}
	type row struct {
		Policy string   `json:"policy" head:"policy"`
		USD    float64  `json:"usd" head:"cost" unit:"USD" format:"usd"`
		Finish *float64 `json:"finish_s,omitempty" head:"finish" unit:"s" format:"%.0f"`
		Note   string   `head:"note" left:"true"`
		inner
		Hidden int `json:"hidden"`
	}
	end := 99.6
	tab := Of([]row{{"a|b", 18.8, &end, "<x>\ny", inner{0.5}, 1}, {"c", 0.0123, nil, "", inner{1}, 2}})
	tab.Tint(1, Red)
	tab.Link(0, "#c")
	var out strings.Builder
	if err := tab.Write(&out, Style{}); err != nil {
		t.Fatal(err)
	}
	for form, got := range map[string][2]string{
		"text": {out.String(), "policy  cost USD  finish s  note    of all\na|b        18.80       100  <x>\ny   50.0 %\nc         0.0123     " +
			"              100.0 %\n"},
		"Markdown": {tab.Markdown(), "| policy | cost USD | finish s | note | of all |\n|---|--:|--:|---|--:|\n| a\\|b | 18.80 | 100 | <x><br>y | " +
			"50.0 % |\n| c | 0.0123 |  |  | 100.0 % |\n"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %q, expected %q", form, got[0], got[1])
		}
	}
	page := tab.HTML()
	for _, want := range []string{`<th class="text">policy</th><th>cost USD</th>`, `<td class="text">&lt;x&gt;<br>y</td>`, `<td class="bad">0.0123</td>`,
		`<td class="text"><a href="#c">c</a></td>`} {
		if !strings.Contains(page, want) {
			t.Errorf("HTML lacks %s:\n%s", want, page)
		}
	}
	text, err := json.Marshal(tab)
	if want := `[{"policy":"a|b","usd":18.8,"finish_s":99.6,"share":0.5},{"policy":"c","usd":0.0123,"finish_s":null,"share":1}]`; err != nil ||
		string(text) != want {
		t.Errorf("JSON: %s, %v, expected %s", text, err, want)
	}
}

func TestFormat(t *testing.T) {
	x := 7200.0
	for _, c := range []struct {
		form string
		x    any
		want string
	}{
		{"", "text", "text"}, {"", 3, "3"}, {"", 0.123456789, "0.12346"}, {"%d x", int32(4), "4 x"}, {"hours", &x, "2.00"}, {"usd", (*float64)(nil), ""},
		{"", nil, ""}, {"", true, "yes"}, {"chosen/", false, ""}, {"+usd", 2.0, "+2.00"}, {"share", 0.9967, "99.7 %"}, {"%.1f", "n/a", "n/a"},
	} {
		if got := Format(c.form, c.x); got != c.want {
			t.Errorf("%q of %v: %q, expected %q", c.form, c.x, got, c.want)
		}
	}
}

// Columns have headings, formats and a side, and take another name.
func TestNew(t *testing.T) {
	tab := New("a", "minus x|+usd", "b|left", "c|%.1f|left").Rename("minus x", "minus y")
	tab.Row("p", 1.5)
	if c := tab.Columns; c[1] != (Column{Name: "minus y", Format: "+usd"}) || !c[0].Left || !c[2].Left || c[3].Format != "%.1f" || !c[3].Left {
		t.Errorf("%+v", c)
	}
	if row := tab.Rows[0]; row[1].Text != "+1.50" || row[3].Text != "" {
		t.Errorf("%+v", row)
	}
}

// A table with a class has heads of rows, names of columns at its cells, marks, notes and an order.
func TestSortableHTML(t *testing.T) {
	tab := New("policy", "cost USD", "verdict|left")
	tab.Row("a<b", 1.5, "late")
	tab.Class, tab.RowClasses = "sortable", []string{"best"}
	tab.Rows[0][0].Mark, tab.Rows[0][0].Order, tab.Rows[0][2].Note = "a", 3, "by 2 h"
	tab.Mark = func(mark string) string { return "<i>" + mark + "</i>" }
	tab.Tint(1, Bold)
	want := `<tr class="best"><th scope="row" class="text" data-value="3"><i>a</i>a&lt;b</th><td class="strong" data-label="cost USD">1.5</td>` +
		`<td class="text" data-label="verdict">late <span class="bad">by 2 h</span></td></tr>`
	if page := tab.HTML(); !strings.Contains(page, want) || !strings.HasPrefix(page, `<table class="sortable">`) {
		t.Errorf("%s\nexpected %s", page, want)
	}
}
