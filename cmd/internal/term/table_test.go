package term

import (
	"io"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func self(x *float64) float64 { return *x }

func TestTable(t *testing.T) {
	tab := NewTable("policy", "cost USD", "useful", "note")
	tab.Row("ondemand", "47.1", "99 %", "")
	tab.Row("reactive", "18.8", "98 %", "é")
	tab.Row("twin", "18.8", "98 %", "")
	tab.Row("oracle", "1.0", "100 %", "")
	MarkBest(tab, 1, []float64{47.1, 18.81, 18.8, math.NaN()}, self)
	MarkBest(tab, 2, []float64{-0.99, -0.98, -0.98, math.NaN()}, self)
	var out strings.Builder
	if err := tab.Print(&out); err != nil {
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
	tab := NewTable("policy", "usd")
	tab.Row("ondemand", "8.0")
	tab.Row("greedy", "2.0")
	MarkBest(tab, 1, []float64{8, math.NaN()}, self)
	if !tab.rows[1][1].best || tab.rows[2][1].best {
		t.Errorf("%+v", tab.rows)
	}
}

// What is alike in all rows is the best of nothing.
func TestNoBest(t *testing.T) {
	for _, values := range [][]float64{{1, 1.0001}, {1, math.NaN()}, {math.NaN(), math.NaN()}} {
		tab := NewTable("policy", "usd")
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
	tab := NewTable("a", "bb", "ccc", "dddd", strings.Repeat("e", 30))
	tab.Row("1", "2", "3", "4", "5")
	tab.Row("6", "7", "8", "9", "10")
	MarkBest(tab, 1, []float64{2, 7}, self)
	for width := range 60 {
		seen := map[int]int{}
		for _, block := range tab.blocks(width) {
			var out strings.Builder
			tab.write(&out, screen{}, block)
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

// A row takes the same time however many there are: 50,000 are printed in hundredths of a second. Looking at all rows for
// each would take a minute, so the limit leaves a busy machine its time.
func TestLongTable(t *testing.T) {
	long := NewTable("pool", "price")
	for range 50_000 {
		long.Row("us-east-1a/p3.2xlarge", "0.9")
	}
	begin := time.Now()
	if err := long.Print(io.Discard); err != nil || time.Since(begin) > 20*time.Second {
		t.Errorf("%v, %v", err, time.Since(begin))
	}
}
