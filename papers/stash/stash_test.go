package stash

import (
	"strconv"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers"
)

// What is claimed of the stalls is what the table of constructed cases says.
func TestStallsAreTheOracle(t *testing.T) {
	table := testutil.Table(t, "papers/stash/testdata/stash_stall_arithmetic.csv")
	claimed := map[string]float64{}
	for _, c := range papers.Published() {
		if c.Figure() == "stash/stalls" {
			claimed[c.Name] = c.Published
		}
	}
	n := 0
	cases := []string{"none", "interconnect", "cpu", "disk", "network", "noise"}
	for i, row := range table[1:] {
		for k, column := range table[0] {
			what, rest, ok := strings.Cut(column, "_stall_")
			if !ok || row[k] == "" || strings.HasPrefix(column, "repo_") {
				continue
			}
			unit, _, _ := strings.Cut(strings.Replace(rest, "pct", "percent", 1), "_")
			name := "stash/stalls/" + cases[i] + "-" + what + "-" + unit
			want, err := strconv.ParseFloat(row[k], 64)
			if got, has := claimed[name]; err != nil || !has || got != want {
				t.Errorf("%s: claimed %v (%v), the table says %v (%v)", name, got, has, want, err)
			}
			n++
		}
	}
	if n != len(claimed) {
		t.Errorf("%d numbers, %d claims", n, len(claimed))
	}
}

// A ring of 8 GPUs passes 7/4 of the gradients over each hop; one GPU exchanges nothing.
func TestExchange(t *testing.T) {
	near.Rel(t, "ring of 8", link{LatencyS: 2e-4, MBps: 1250, GPUs: 8}.exchange(50, 98), 2e-4*50+1.75*98/1250, 1e-12)
	near.Abs(t, "one GPU", link{LatencyS: 2e-4, MBps: 1250, GPUs: 1}.exchange(50, 98), 0, 0)
}
