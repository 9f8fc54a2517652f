package racing_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/experiments/tune/racing"
)

var (
	tableDir = flag.String("table", "", "folder of a complete sweep of one policy and objective over many settings")
	share    = flag.Float64("share", 0.95, "share of the runs that has to meet the objective")
	within   = flag.Float64("within", 0.02, "margin")
	orders   = flag.Int("orders", 1000, "number of orders of the table's seeds")
	blocks   = flag.Int("blocks", 1000, "most seeds of a race")
	gridOf   = flag.Int("grid", 500, "seeds of the grid that runs are compared with")
)

// recorded is a table of runs by setting and seed.
type recorded struct {
	usd  [][]float64
	met  [][]bool
	mean []float64
	rate []float64
}

func readTable(t *testing.T, dir string) *recorded {
	t.Helper()
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	x := &recorded{}
	err = folder.Rows(func(rows []results.SweepRow) error {
		for i := range rows {
			r := &rows[i]
			for int(r.Cell) >= len(x.usd) {
				x.usd, x.met = append(x.usd, nil), append(x.met, nil)
			}
			x.usd[r.Cell], x.met[r.Cell] = append(x.usd[r.Cell], r.CostUSD), append(x.met[r.Cell], r.Met)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for g := range x.usd {
		sum, met := 0.0, 0
		for i, usd := range x.usd[g] {
			sum += usd
			if x.met[g][i] {
				met++
			}
		}
		n := float64(len(x.usd[g]))
		x.mean, x.rate = append(x.mean, sum/n), append(x.rate, float64(met)/n)
	}
	return x
}

// best returns the cheapest setting that meets a share, and the cost of the next.
func (x *recorded) best(share float64) (best int) {
	best = -1
	for g, usd := range x.mean {
		if x.rate[g] >= share && (best < 0 || usd < x.mean[best]) {
			best = g
		}
	}
	return best
}

// Races on seeds that are drawn from a table, with replacement, find a setting that meets
// the share and is within the margin of the best. What is true is the table: no race sees
// the whole of it. How to make tables, and what came out, is in tools/bench/README.md:
//
//	go test ./experiments/tune/racing -run Orders -v -table DIR -share 0.95 -within 0.02
func TestOrders(t *testing.T) {
	if *tableDir == "" {
		t.Skip("no -table")
	}
	x := readTable(t, *tableDir)
	c := count{x: x, best: x.best(*share)}
	t.Logf("%d settings, %d seeds; %d meet %v; %s", len(x.usd), len(x.usd[0]), x.meeting(*share), *share, x.top(*share))
	for k := range *orders {
		c.add(run(racing.Options{Settings: len(x.usd), Share: *share, Within: *within, Alpha: 0.05, Blocks: *blocks}, x.draw(uint64(k))))
	}
	n := float64(*orders)
	t.Logf("of %d orders: meets the share and is within %v: %d (%.1f %%); not: share %d, cost %d, none found %d", *orders, *within, c.good,
		100*float64(c.good)/n, c.low, c.expensive, c.none)
	t.Logf("same winner %d; decided %d, of these too expensive %d", c.same, c.decided, c.decidedExpensive)
	runs := float64(c.runs) / n
	t.Logf("%.0f runs (the race went to %.0f seeds): %.1f times fewer than a grid of %d seeds, %.1f times fewer than "+
		"one of as many as the race went to",
		runs, float64(c.blocks)/n, float64(*gridOf*len(x.usd))/runs, *gridOf, float64(c.blocks)*float64(len(x.usd))/float64(c.runs))
	for seeds := 50; seeds <= 12800; seeds *= 2 {
		right := x.grid(seeds)
		t.Logf("a grid of %d seeds, %d runs: right in %.1f %%, %.1f times the runs", seeds, seeds*len(x.usd), 100*right, float64(seeds*len(x.usd))/runs)
		if right >= float64(c.good)/n {
			break
		}
	}
	if smallest := 0.95 * n; float64(c.good) < smallest-2*math.Sqrt(0.05*smallest) {
		t.Errorf("%d of %d, expected 95 %%", c.good, *orders)
	}
}

// grid returns how often a grid of n seeds is right: the cheapest setting of those with
// a share that is high enough on its seeds.
func (x *recorded) grid(seeds int) float64 {
	right, best := 0, x.best(*share)
	for k := range *orders {
		draw := rand.New(rand.NewPCG(uint64(k), 5))
		usd, met := make([]float64, len(x.usd)), make([]int, len(x.usd))
		for range seeds {
			at := draw.IntN(len(x.usd[0]))
			for g := range x.usd {
				usd[g] += x.usd[g][at]
				if x.met[g][at] {
					met[g]++
				}
			}
		}
		w := -1
		for g := range usd {
			if float64(met[g]) >= *share*float64(seeds) && (w < 0 || usd[g] < usd[w]) {
				w = g
			}
		}
		if w == best || w >= 0 && best >= 0 && x.rate[w] >= *share && x.mean[w] <= (1+*within)*x.mean[best] {
			right++
		}
	}
	return float64(right) / float64(*orders)
}

// draw returns runs on seeds of the table, another one for each block.
func (x *recorded) draw(order uint64) func(g, block int) racing.Outcome {
	seeds := map[int]int{}
	return func(g, block int) racing.Outcome {
		at, known := seeds[block]
		if !known {
			at = rand.New(rand.NewPCG(order, uint64(block))).IntN(len(x.usd[0]))
			seeds[block] = at
		}
		return racing.Outcome{USD: x.usd[g][at], Met: x.met[g][at]}
	}
}

func (x *recorded) meeting(share float64) (n int) {
	for _, rate := range x.rate {
		if rate >= share {
			n++
		}
	}
	return n
}

// top names the cheapest settings that meet a share.
func (x *recorded) top(share float64) string {
	out := "the best cost"
	rate := slices.Clone(x.rate)
	for range 3 {
		if g := x.best(share); g >= 0 {
			out += fmt.Sprintf(" %.3f (%.4f)", x.mean[g], x.rate[g])
			x.rate[g] = -1
		}
	}
	x.rate = rate
	return out
}

// count counts how races came out.
type count struct {
	x    *recorded
	best int

	good, low, expensive, none, same int
	decided, decidedExpensive        int
	runs, blocks                     int64
}

func (c *count) add(res *racing.Result) {
	c.runs += res.Runs
	c.blocks += int64(res.Blocks)
	w, x := res.Winner, c.x
	if w < 0 {
		if c.best < 0 {
			c.good++
		} else {
			c.none++
		}
		return
	}
	low := x.rate[w] < *share
	expensive := c.best >= 0 && x.mean[w] > (1+*within)*x.mean[c.best]+1e-12
	add := func(to *int, is bool) {
		if is {
			*to++
		}
	}
	add(&c.good, !low && !expensive)
	add(&c.low, low)
	add(&c.expensive, !low && expensive)
	add(&c.same, w == c.best)
	add(&c.decided, res.Decided)
	add(&c.decidedExpensive, res.Decided && expensive)
}
