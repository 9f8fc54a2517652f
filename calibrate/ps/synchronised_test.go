package ps

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
	"github.com/marigram/marigram/sim/steps"
	"gonum.org/v1/gonum/stat"
)

// holdAll wants the whole quota of every pool, and what is lost again.
type holdAll struct{}

func (holdAll) Name() string { return "hold-all" }

func (holdAll) Decide(v sim.View, plan *sim.Plan) {
	for p := range v.Pools() {
		plan.Jobs[0].Hold[p] = v.Pool(p).Quota
	}
}

// stay is when a worker is there, seconds; to 0 is for ever.
type stay struct{ from, to float64 }

// fluid returns the seconds that the world needs for updates by the workers.
func fluid(t *testing.T, y Synchrony, updates float64, stays []stay) float64 {
	t.Helper()
	h := sim.Trace{Pool: sim.Pool{Name: "p", Quota: len(stays)}, Prices: []sim.Price{{USD: 1}}}
	for node, s := range stays {
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: sim.At(s.from), Node: node, Up: true})
		if s.to > 0 {
			h.Nodes = append(h.Nodes, sim.NodeEvent{At: sim.At(s.to), Node: node})
		}
	}
	slices.SortStableFunc(h.Nodes, func(a, b sim.NodeEvent) int { return cmp.Compare(a.At, b.At) })
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	model, err := NewSynchronised(simtest.Linear{PerWorker: 1}, 1, y)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: market, Policy: holdAll{}, Jobs: []sim.Job{{Model: model,
		Objective: sim.Objective{Loss: simtest.LossAt(updates), Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	job := w.Run().Jobs[0]
	if !job.Finished {
		t.Fatal("not finished")
	}
	return job.Elapsed.Seconds()
}

// exact returns the mean of the same by steps.Simulator and its standard error.
func exact(y Synchrony, updates int, stays []stay) (mean, err float64) {
	var simulator steps.Simulator
	c := steps.Config{Mode: y.Mode, Staleness: y.Staleness, Backups: y.Backups, Updates: updates,
		Exchange: time.Duration(y.Exchange * 1e9), ExchangeEach: time.Duration(y.ExchangeEach * 1e9)}
	for _, s := range stays {
		c.Workers = append(c.Workers, steps.Worker{Seconds: y.Distribution(1), Joins: sim.At(s.from), Leaves: sim.At(s.to)})
	}
	ends := make([]float64, 40)
	for i := range ends {
		c.Seed = uint64(i + 1)
		ends[i] = simulator.Run(c).End.Seconds()
	}
	mean, dev := stat.MeanStdDev(ends, nil)
	return mean, stat.StdErr(dev, float64(len(ends)))
}

// The world's rates agree with mini-batches one by one, with revocations and
// joins under way, within 3 standard errors of 40 runs.
func TestFluidAgainstSteps(t *testing.T) {
	check := near.Count(t)
	stays := []stay{{0, 0}, {0, 0}, {0, 0}, {0, 1500.3}, {0, 700.7}, {300.2, 0}, {1200.4, 0}, {0, 2000.9}, {2100.1, 0}}
	for _, y := range []Synchrony{
		{Mode: steps.ASP, Sigma: 0.5}, {Mode: steps.BSP, Sigma: 0.5}, {Mode: steps.Flexible, Sigma: 0.5},
		{Mode: steps.Backup, Backups: 2, Sigma: 0.5}, {Mode: steps.SSP, Staleness: 2, Sigma: 0.5},
		{Mode: steps.BSP, Sigma: 0.1, Exchange: 0.3, ExchangeEach: 0.05}, {Mode: steps.SSP, Staleness: 4, Sigma: 1},
	} {
		t.Run(fmt.Sprintf("%s-%v", y.Mode, y.Sigma), func(t *testing.T) {
			world := fluid(t, y, 12000, stays)
			mean, err := exact(y, 12000, stays)
			t.Logf("world %.1f s, steps %.1f s +- %.1f", world, mean, err)
			if check.Off(world, mean, 3*err) {
				t.Errorf("world %v s, steps %v s: %.1f standard errors", world, mean, (world-mean)/err)
			}
		})
	}
}

// Workers of different speeds: exact with a barrier, near for SSP.
func TestMixedWorkers(t *testing.T) {
	check := near.Count(t)
	for _, mode := range []steps.Mode{steps.BSP, steps.Backup, steps.SSP} {
		y := Synchrony{Mode: mode, Backups: 1, Staleness: 3, Sigma: 0.3}
		model, err := NewSynchronised(simtest.Linear{PerWorker: 1}, 1, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, rates := range [][2]float64{{1, 1.05}, {1, 1.3}, {1, 4}} {
			groups := []group{{5, rates[0]}, {3, rates[1]}}
			got := model.updates(groups, 8)
			c := steps.Config{Mode: mode, Backups: 1, Staleness: 3, Clocks: 20000}
			for _, g := range groups {
				for range g.n {
					c.Workers = append(c.Workers, steps.Worker{Seconds: y.Distribution(1 / g.rate)})
				}
			}
			var simulator steps.Simulator
			r := simulator.Run(c)
			want, bound := float64(r.Updates)/r.End.Seconds(), 0.005
			if mode == steps.SSP {
				bound = 0.02
			}
			t.Logf("%s %v: %v, steps %v", mode, rates, got, want)
			if check.Off(got/want, 1, bound) {
				t.Errorf("%s %v: %v updates/s, steps make %v", mode, rates, got, want)
			}
		}
	}
}

// Under ASP the base model is left as it is; no mode allocates in a run.
func TestSynchronisedRate(t *testing.T) {
	check := near.Count(t)
	base := simtest.Linear{PerWorker: 2}
	l := &sim.Layout{Workers: []int32{3, 2}}
	for mode := steps.ASP; mode <= steps.Flexible; mode++ {
		m, err := NewSynchronised(base, 2, Synchrony{Mode: mode, Backups: 1, Staleness: 2, Sigma: 0.2})
		if err != nil {
			t.Fatal(err)
		}
		rate := m.Rate(l)
		if mode == steps.ASP && rate != base.Rate(l) || mode != steps.ASP && !(rate.Progress < base.Rate(l).Progress) {
			t.Errorf("%s: %+v", mode, rate)
		}
		into := make([]sim.Worker, 2)
		m.Workers(5, 0, into)
		if got := 5 * into[0].Rate; check.Off(got/rate.Iterations, 1, 1e-9) && mode != steps.SSP {
			t.Errorf("%s: workers plan with %v updates/s, the layout makes %v", mode, got, rate.Iterations)
		}
		if n := testing.AllocsPerRun(5, func() { m.Rate(l) }); n != 0 {
			t.Errorf("%s: %v allocations", mode, n)
		}
	}
}

func TestSynchronisedChange(t *testing.T) {
	check := near.Count(t)
	from, to := &sim.Layout{Workers: []int32{4}}, &sim.Layout{Workers: []int32{3}}
	for name, x := range map[string]struct {
		y    Synchrony
		c    sim.Change
		want sim.Pause
	}{
		"asp":            {Synchrony{}, sim.Change{Lost: 1}, sim.Pause{}},
		"flexible":       {Synchrony{Mode: steps.Flexible}, sim.Change{Lost: 1}, sim.Pause{}},
		"spare backups":  {Synchrony{Mode: steps.Backup, Backups: 1}, sim.Change{Lost: 1}, sim.Pause{}},
		"handed over":    {Synchrony{}, sim.Change{Lost: 1, ChiefLost: true}, sim.Pause{}},
		"rolls back":     {Synchrony{ChiefLoss: ChiefRollsBack}, sim.Change{Lost: 1, ChiefLost: true}, sim.Pause{Rollback: true}},
		"master":         {Synchrony{ChiefLoss: ChiefIsMaster}, sim.Change{Lost: 1, ChiefLost: true}, sim.Pause{Fatal: true}},
		"another worker": {Synchrony{ChiefLoss: ChiefIsMaster}, sim.Change{Lost: 1}, sim.Pause{}},
	} {
		x.y.Sigma = 0.01
		m, err := NewSynchronised(simtest.Linear{PerWorker: 1}, 1, x.y)
		if err != nil {
			t.Fatal(err)
		}
		x.c.From, x.c.To = from, to
		got := m.Change(&x.c)
		if got.As = 0; got != x.want {
			t.Errorf("%s: %+v, expected %+v", name, got, x.want)
		}
	}
	bsp, _ := NewSynchronised(simtest.Linear{PerWorker: 1}, 1, Synchrony{Mode: steps.BSP, Sigma: 0.01, Exchange: 1})
	if got := bsp.Change(&sim.Change{From: from, To: to, Lost: 1}).Stall.Seconds(); check.Off(got, 1, 0.02) {
		t.Errorf("a loss stalls BSP for %v s, expected half an iteration of 2 s", got)
	}
	for _, bad := range []Synchrony{{}, {Sigma: 3}, {Sigma: math.NaN()}, {Sigma: 1, Staleness: -1}, {Sigma: 1, Backups: 65}, {Sigma: 1, Exchange: -1}} {
		if _, err := NewSynchronised(simtest.Linear{PerWorker: 1}, 1, bad); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}
