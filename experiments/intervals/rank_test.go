package intervals

import (
	"slices"
	"testing"
)

// A policy that misses stands below all that do not, whatever it costs; one that knows
// the future below those; what meets the share that was asked for does not miss.
func TestRank(t *testing.T) {
	all := []RankingRow{
		{Runs: 10, Met: 0.9, Value: 5},
		{Runs: 10, Met: 1, Value: 40},
		{Runs: 10, Met: 1, Value: 3, Oracle: true},
		{Runs: 10, Met: 1, Value: 20},
		{},
		{Runs: 10, Met: 0.95, Value: 10},
		{Runs: 10, Met: 0.9, Value: 1},
	}
	share := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		asked *float64
		want  []int
		best  []int
	}{
		{nil, []int{3, 1, 5, 6, 0, 2, 4}, []int{1, 3}},
		{share(0.95), []int{5, 3, 1, 6, 0, 2, 4}, []int{1, 3, 5}},
		{share(0.5), []int{6, 0, 5, 3, 1, 2, 4}, []int{0, 1, 3, 5, 6}},
	} {
		if got := Rank(all, c.asked); !slices.Equal(got, c.want) {
			t.Errorf("asked %v: %v, want %v", c.asked, got, c.want)
		}
		var best []int
		for i, b := range Best(all, c.asked) {
			if b {
				best = append(best, i)
			}
		}
		if !slices.Equal(best, c.best) {
			t.Errorf("asked %v: best are %v, want %v", c.asked, best, c.best)
		}
	}
	if best := Best([]RankingRow{{Runs: 3, Met: 0.3}, {Runs: 3, Met: 0.6}, {Runs: 3}}, nil); !slices.Equal(best, []bool{false, true, false}) {
		t.Errorf("where none meets it, the one that meets it most often is the best: %v", best)
	}
	if best := Best([]RankingRow{{Runs: 10, Met: 0.9, Value: 5, Cut: true}, {Runs: 10, Met: 1, Value: 20}}, share(0.9)); best[0] || !best[1] {
		t.Errorf("a cost that the horizon cut is called the best: %v", best)
	}
	if best := Best([]RankingRow{{Runs: 3}}, nil); best[0] {
		t.Error("a policy that never meets the objective is called the best")
	}
}
