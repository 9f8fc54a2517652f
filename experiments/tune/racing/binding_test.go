package racing_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/marigram/marigram/experiments/tune/racing"
)

var bindingFrom = flag.Uint64("binding-from", 0, "first seed of the problems whose share binds")

// binding draws a problem in which the share binds: twelve settings, of which the cheaper meet the objective more rarely.
func binding(seed uint64) *table {
	draw := rand.New(rand.NewPCG(seed, 17))
	x := &table{common: 3 + 4*draw.Float64(), own: 0.3 + draw.Float64(), seed: seed}
	from, slope := 0.85+0.08*draw.Float64(), 0.5+draw.Float64()
	for g := range 12 {
		x.usd = append(x.usd, 20*(1+0.3*math.Pow(float64(g)/11, slope))+0.3*draw.NormFloat64())
		x.share = append(x.share, min(from+(0.995-from)*math.Pow(float64(g)/11, 0.3+draw.Float64()), 0.999))
	}
	return x
}

// Where the share binds, a race of twelve settings asks for fewer runs in the mean than a grid of 1,000 seeds, which takes 12,000; it proves a winner
// in 19 of 20 problems, and is right about as often as the grid, which proves nothing. A setting whose share is too near the
// one asked for to be proven by 10,000 seeds is passed over.
func TestBinding(t *testing.T) {
	const problems = 60 // the page of the decision has 100
	right, runs, proven, falsely, rightProven, grid := 0, int64(0), 0, 0, 0, 0
	for k := range uint64(problems) {
		x := binding(*bindingFrom + k)
		o := racing.Options{Settings: 12, Share: 0.95, Within: 0.05, Alpha: 0.05, Blocks: 1000, Fresh: 10000}
		res := run(o, x.outcome)
		runs += res.Runs
		best := x.best(0.95)
		isRight := func(g int) bool {
			return g >= 0 && x.share[g] >= 0.95 && x.usd[g] <= 1.05*best || math.IsInf(best, 1) && g < 0
		}
		ok := isRight(res.Winner)
		if ok {
			right++
		}
		if isRight(x.grid(1000, 0.95)) {
			grid++
		}
		if res.Proven {
			proven++
			if x.share[res.Winner] < 0.95 {
				falsely++
			}
			if ok {
				rightProven++
			}
		}
	}
	t.Logf("of %d: right %d (a grid %d), proven %d (right %d, falsely %d); %d runs in the mean",
		problems, right, grid, proven, rightProven, falsely, runs/problems)
	if runs/problems >= 12000 || proven < problems*19/20 || falsely > problems/20 || right < grid-problems/10 {
		t.Error("expected fewer than 12000 runs, 19 of 20 proven, and right about as often as a grid")
	}
}

// grid is the cheapest setting that meets the share on a number of blocks, -1 for none.
func (x *table) grid(blocks int, share float64) int {
	best, least := -1, math.Inf(1)
	for g := range x.usd {
		usd, met := 0.0, 0
		for block := range blocks {
			o := x.outcome(g, 99, block)
			if usd += o.USD; o.Met {
				met++
			}
		}
		if float64(met) >= share*float64(blocks) && usd < least {
			best, least = g, usd
		}
	}
	return best
}
