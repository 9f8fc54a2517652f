package racing_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"strings"
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

// Races on random orders of a table's seeds find a setting that meets the share and is
// within the margin of the best of the whole table, which is larger than any race. How to
// make tables, and what came out, is in BENCHMARKS.md:
//
//	go test ./experiments/tune/racing -run Orders -v -table DIR -share 0.95 -within 0.02
func TestOrders(t *testing.T) {
	if *tableDir == "" {
		t.Skip("no -table")
	}
	x := readTable(t, *tableDir)
	seeds := len(x.usd[0])
	race := seeds / 4
	fresh := race // of which there are three
	best := x.best(*share)
	feasible := 0
	for _, rate := range x.rate {
		if rate >= *share {
			feasible++
		}
	}
	t.Logf("%d settings, %d seeds; %d meet %v; the best costs %.4f and meets %.4f", len(x.usd), seeds, feasible, *share, x.mean[max(best, 0)], x.rate[max(best, 0)])
	var good, same, decided, proven, wrong, wrongDecided, attempts int
	var runs, own, blocks int64
	why := map[string]int{}
	for k := range *orders {
		order := rand.New(rand.NewPCG(11, uint64(k))).Perm(seeds)
		res := run(racing.Options{Settings: len(x.usd), Share: *share, Within: *within, Alpha: 0.05, Blocks: race, Fresh: fresh},
			func(g, attempt, block int) racing.Outcome {
				at := order[block]
				if attempt > 0 {
					at = order[race+(attempt-1)%3*fresh+block]
				}
				return racing.Outcome{USD: x.usd[g][at], Met: x.met[g][at]}
			})
		runs += res.Runs
		blocks += int64(res.Blocks)
		own += int64(res.Blocks) * int64(len(x.usd))
		attempts += len(res.Attempts)
		w := res.Winner
		right := best < 0 && w < 0
		if best >= 0 && w >= 0 {
			right = x.rate[w] >= *share && x.mean[w] <= (1+*within)*x.mean[best]+1e-12
		}
		switch {
		case right:
			good++
		case w < 0:
			why["none found"]++
		case best < 0 || x.rate[w] < *share:
			why["share"]++
		default:
			why["cost"]++
		}
		if w == best {
			same++
		}
		if res.Decided {
			decided++
			if w >= 0 && best >= 0 && x.mean[w] > (1+*within)*x.mean[best] {
				wrongDecided++
			}
		}
		if res.Proven {
			proven++
			if x.rate[w] < *share {
				wrong++
			}
		}
	}
	n := float64(*orders)
	grid := float64(*gridOf * len(x.usd))
	t.Logf("of %d orders: meets the share and is within %v: %d (%.1f %%); not: %s", *orders, *within, good, 100*float64(good)/n, text(why))
	t.Logf("same winner %d; decided %d, of these too dear %d; proven %d, of these below the share %d; %.2f attempts", same, decided, wrongDecided, proven, wrong, float64(attempts)/n)
	t.Logf("%.0f runs and %.0f seeds on average: %.1f times fewer than a grid of %d seeds, %.1f times fewer than one of as many seeds as the race went to",
		float64(runs)/n, float64(blocks)/n, grid/(float64(runs)/n), *gridOf, float64(own)/float64(runs))
	if least := 0.95 * n; float64(good) < least-2*math.Sqrt(0.05*least) {
		t.Errorf("%d of %d, expected 95 %%", good, *orders)
	}
}

func text(why map[string]int) string {
	var parts []string
	for _, k := range []string{"none found", "share", "cost"} {
		if why[k] > 0 {
			parts = append(parts, k)
		}
	}
	return strings.Join(parts, ", ")
}
