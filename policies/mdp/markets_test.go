package mdp_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

var (
	marketRuns = flag.Int("markets", 0, "runs of each job, market, deadline and policy of TestMarkets; 0: none")
	marketSeed = flag.Uint64("markets-seed", 1, "seed of the first")
	marketJobs = flag.String("markets-jobs", "ps:1.3,2,4 dp:1.3,2,4 dp3:2,4 slow:2,4 pipes:2,4 hourly:2 ps-wide:2",
		"jobs of TestMarkets, with their deadlines: times the soonest end on demand")
	marketLaws  = flag.String("markets-laws", "", "markets of TestMarkets, with commas between; all if empty")
	marketGrid  = flag.Int("markets-grid", 0, "setting grid of mdp; 0: its default")
	marketGrids = flag.String("markets-grids", "", "grids of TestGridsAgree, with commas between; none if empty")
	marketWith  = flag.String("markets-policies", "ondemand,safe:reactive,spotdnn-safe,safe:checkpoint,safe:skynomad,mdp", "policies of TestMarkets")
	marketPick  = flag.Uint64("markets-choose", 0, "seed of other runs, which choose the best policy but mdp; 0: none do")
	marketLines = flag.Bool("markets-lines", false, "prints each market")
	belowRuns   = flag.Int("markets-below", 0, "runs of each kind of job and market of TestForesightIsNeverDearer; 0: one, on one market")
	drawnLaws   = flag.Uint64("markets-drawn", 0, "six kinds of markets that this seed draws, instead of the eighteen; 0: the eighteen")
)

// markets are eighteen kinds of spot.
var markets = append([]law{
	{name: "always", on: 1},
	{name: "common", on: 6, off: 0.5},
	{name: "half", on: 2, off: 2},
	{name: "heavy tails", on: 2, off: 1, tail: 1.2},
	{name: "spikes", on: 4, off: 0.5, price: 1.5, spikes: true},
	{name: "random walk", on: 4, off: 0.5, price: 0.95, walks: true},
	{name: "short notice", on: 1, off: 0.5, notice: 30 * time.Second},
	{name: "partial", on: 1.5, off: 0.5, partial: true},
	{name: "gone", on: 3, off: 100, gone: true},
	{name: "dear", on: 3, off: 0.5, price: 0.8, least: 0.6},
}, hostile...)

// drawLaws draws six kinds: mean spans of 6 min to 10 h on and off, prices that stay, are drawn anew or walk, notices
// of 0.5 and 2 min of which none or half are missing, boots of 0.5 to 10 min, exponential or heavy tails, all machines
// or some.
func drawLaws(seed uint64) (all []law) {
	d := sim.Rand{Seed: seed}.Stream(sim.PurposeUser+905, 0)
	n := uint64(0)
	real := func() float64 { n++; return d.Uniform(n) }
	for i := range 6 {
		l := law{name: fmt.Sprintf("drawn %d", i+1), on: 0.1 * math.Pow(100, real()), off: 0.1 * math.Pow(100, real())}
		if real() < 0.5 {
			l.price = 0.4 + real()
			l.walks = real() < 0.5
		}
		if real() < 0.3 {
			l.tail = 1.3
		}
		if real() < 0.3 {
			l.unsaid = 0.5
		}
		if real() < 0.3 {
			l.notice = 30 * time.Second
		}
		l.partial = real() < 0.3
		l.boot = sim.Boot{Median: time.Duration(30 * math.Pow(20, real()) * 1e9), Sigma: 0.3}
		all = append(all, l)
	}
	return all
}

// kindNamed returns a copy of the kind of job of a name.
func kindNamed(t testing.TB, name string) kind {
	t.Helper()
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		t.Fatalf("no kind %s", name)
	}
	return kinds[i]
}

// timed is a run of a kind whose deadline is so many times the soonest end on demand, on a market that lasts an hour
// longer.
func (k *kind) timed(t testing.TB, l *law, times float64, seed uint64, policy string) sim.Config {
	t.Helper()
	long := *k
	long.hours = 40
	alone := long.config(t, &law{name: "never"}, seed, "ondemand")
	alone.Jobs[0].Objective.Within = time.Second
	w, err := sim.New(alone)
	if err != nil {
		t.Fatal(err)
	}
	soonest := w.Run().Jobs[0].Elapsed
	within := time.Duration(times * float64(soonest)).Round(time.Second)
	long.hours = within.Hours() + 1
	c := long.config(t, l, seed, policy)
	c.Jobs[0].Objective.Within = within
	return c
}

// cellOf are the runs of one job, deadline and kind of market: what each policy costs over the bound of the same runs.
type cellOf struct {
	over  []float64 // by policy
	late  []int
	least float64
	took  []time.Duration
}

func (k *kind) cellOf(t *testing.T, l *law, names []string, times float64, first uint64) cellOf {
	t.Helper()
	c := cellOf{over: make([]float64, len(names)), late: make([]int, len(names)), took: make([]time.Duration, len(names))}
	for r := range *marketRuns {
		seed := first + uint64(r)
		for i, name := range names {
			config := k.timed(t, l, times, seed, name)
			if name == "mdp" && *marketGrid > 0 {
				if err := policies.Configure(config.Policy, map[string]any{"grid": *marketGrid}); err != nil {
					t.Fatal(err)
				}
			}
			begin := time.Now()
			w, err := sim.New(config)
			if err != nil {
				t.Fatal(err)
			}
			total := w.Run()
			c.took[i] += time.Since(begin)
			if job := &total.Jobs[0]; !job.Finished || job.Elapsed > config.Jobs[0].Objective.Within {
				c.late[i]++
			}
			c.over[i] += total.Bill.Total()
			if i == 0 {
				b, err := bound.Hindsight(config)
				if err != nil {
					t.Fatal(err)
				}
				c.least += b.USD
			}
		}
	}
	for i := range c.over {
		c.over[i] /= c.least
	}
	return c
}

// chooseFor returns which policy before the last, mdp, costs least over the bound on other seeds, in the geometric mean
// of markets; -1 where none is to be chosen.
func (k *kind) chooseFor(t *testing.T, laws []law, names []string, times float64) int {
	t.Helper()
	if *marketPick == 0 {
		return -1
	}
	simple := names[:len(names)-1]
	sum := make([]float64, len(simple))
	for i := range laws {
		c := k.cellOf(t, &laws[i], simple, times, *marketPick)
		for p := range simple {
			sum[p] += math.Log(c.over[p])
			if c.late[p] > 0 {
				sum[p] = math.Inf(1)
			}
		}
	}
	best := 0
	for p := range sum {
		if sum[p] < sum[best] {
			best = p
		}
	}
	return best
}

// What policies cost over the bound on eighteen kinds of markets: geometric means by job and deadline.
func TestMarkets(t *testing.T) {
	if *marketRuns == 0 {
		t.Skip("no -markets")
	}
	laws := markets
	if *drawnLaws > 0 {
		laws = drawLaws(*drawnLaws)
		for i := range laws {
			t.Logf("%+v", laws[i])
		}
	}
	for _, row := range strings.Fields(*marketJobs) {
		name, deadlines, _ := strings.Cut(row, ":")
		k := &kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
		instead := strings.NewReplacer("safe:checkpoint", "safe:dynamic-pricing")
		switch name {
		case "dp3", "ps3", "ps-wide": // skynomad has one type, and one pool on demand for each zone
			instead = strings.NewReplacer("safe:skynomad,", "")
		case "dp", "slow":
			instead = strings.NewReplacer()
		case "pipes":
			instead = strings.NewReplacer("safe:skynomad,", "", "safe:reactive", "safe:varuna", "spotdnn-safe", "safe:mixed")
		}
		names := strings.Split(instead.Replace(*marketWith), ",")
		for _, deadline := range strings.Split(deadlines, ",") {
			var times float64
			fmt.Sscan(deadline, &times)
			chosen := k.chooseFor(t, laws, names, times)
			beyond := 0.0
			worst := 0.0
			sum := make([]float64, len(names))
			late := make([]int, len(names))
			took := make([]time.Duration, len(names))
			cells := 0
			for i := range laws {
				l := &laws[i]
				if *marketLaws != "" && !strings.Contains(","+*marketLaws+",", ","+l.name+",") {
					continue
				}
				c := k.cellOf(t, l, names, times, *marketSeed)
				cells++
				line := ""
				if chosen >= 0 {
					share := c.over[len(names)-1] / c.over[chosen]
					beyond += math.Log(share)
					worst = max(worst, share)
				}
				for p := range names {
					sum[p] += math.Log(c.over[p])
					late[p] += c.late[p]
					took[p] += c.took[p]
					line += fmt.Sprintf(" %6.3f", c.over[p])
				}
				if *marketLines {
					t.Logf("%s x%s %-16s%s", name, deadline, l.name, line)
				}
			}
			line := ""
			for p := range names {
				line += fmt.Sprintf(" %s %.3f (%d late, %.0f ms)", names[p], math.Exp(sum[p]/float64(cells)), late[p],
					took[p].Seconds()*1000/float64(cells**marketRuns))
			}
			t.Logf("%s x%s:%s", name, deadline, line)
			if chosen >= 0 {
				t.Logf("%s x%s: mdp costs %.3f of %s, chosen on other seeds; at most %.3f in a cell", name, deadline,
					math.Exp(beyond/float64(cells)), names[chosen], worst)
			}
		}
	}
}

// What mdp costs with parameter servers on one pool is the same on grids from 96 on, but for a hundredth, in the geometric
// mean of twelve markets: each is compared with the first.
func TestGridsAgree(t *testing.T) {
	if *marketGrids == "" {
		t.Skip("no -markets-grids")
	}
	check := near.Count(t)
	k := &kinds[0]
	for _, times := range []float64{1.3, 2, 4} {
		first := 0.0
		for _, grid := range strings.Split(*marketGrids, ",") {
			fmt.Sscan(grid, marketGrid)
			sum := 0.0
			late := 0
			begin := time.Now()
			for i := range markets[:12] {
				c := k.cellOf(t, &markets[i], []string{"mdp"}, times, *marketSeed)
				sum += math.Log(c.over[0]) / 12
				late += c.late[0]
			}
			t.Logf("x%v, grid %s: %.4f of the bound, %d late, %v", times, grid, math.Exp(sum), late, time.Since(begin))
			if first == 0 {
				first = sum
			}
			if check.Off(sum, first, 0.01) {
				t.Errorf("x%v: grid %s is more than 1 %% away from the first", times, grid)
			}
		}
	}
}

// Who knows the future pays no more than mdp, on any kind of market and of job that it plans for.
func TestForesightIsNeverDearer(t *testing.T) {
	check := near.Count(t)
	laws := markets[1:2]
	if *belowRuns > 0 {
		laws = markets
	}
	cheaper := 0
	runs := 0
	for _, name := range []string{"ps", "hourly", "ps-wide"} {
		if *belowRuns == 0 && name == "ps-wide" {
			continue // it takes seconds
		}
		k := &kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
		for i := range laws {
			for r := range max(*belowRuns, 1) {
				seed := *marketSeed + uint64(r)
				met, usd := run(t, k.config(t, &laws[i], seed, "mdp"))
				c := k.config(t, &laws[i], seed, "clairvoyant")
				begin := time.Now()
				ended, least := run(t, c)
				if *belowRuns > 0 {
					t.Logf("%s, %s, seed %d: %.3f of mdp, %v", name, laws[i].name, seed, least/usd, time.Since(begin))
				}
				if met && (!ended || check.Above(least, usd)) {
					t.Errorf("%s, %s, seed %d: clairvoyant costs %v USD, mdp %v", name, laws[i].name, seed, least, usd)
				}
				runs++
				if least < 0.99*usd {
					cheaper++
				}
			}
		}
	}
	if cheaper == 0 {
		t.Errorf("in none of %d runs clairvoyant is cheaper", runs)
	}
}
