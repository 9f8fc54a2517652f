package bound_test

import (
	"flag"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// With -args -markets 500 -from 9000 no run may be below the bound on 500 random markets of the
// seeds from 9000 on.
var (
	markets = flag.Int("markets", 4, "random markets of each test that no run is below the bound")
	from    = flag.Uint64("from", 0, "first seed of the random markets")
)

// seeds are those of the markets of a test that has n times as many as others.
func seeds(times int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for k := range uint64(times * *markets) {
			if !yield(*from + k) {
				return
			}
		}
	}
}

// draws gives the random numbers of one market, one after the other.
type draws struct {
	sim.Rand
	n uint64
}

func (d *draws) below(x float64) float64 {
	d.n++
	return x * d.Uniform(sim.PurposeUser, 7, d.n)
}

func (d *draws) chance(p float64) bool { return d.below(1) < p }

// mixedTraces makes a market of three types on spot and on demand, with whatever a market may
// have: prices and capacity that move often or never, machines, boots of none, of one or of
// random lengths, notices.
func mixedTraces(seed uint64, types []string) (hs []sim.Trace) {
	d := &draws{Rand: sim.Rand{Seed: seed}}
	boot := sim.Boot{}
	if d.chance(0.8) {
		boot = sim.Boot{Median: time.Duration(1 + d.below(300e9)), Sigma: []float64{0, 0.1, 0.6}[int(d.below(3))]}
	}
	for i, name := range types {
		h := sim.Trace{Pool: sim.Pool{Name: fmt.Sprint(name, i), InstanceType: name, Quota: int(d.below(7)), Boot: boot,
			Notice: time.Duration(d.below(2)) * time.Minute, NoticeMissing: d.below(0.5), Victim: sim.Victim(d.below(3))}}
		usd, every := 0.2+d.below(3), 120+d.below(6000)
		h.Prices = []sim.Price{{USD: usd}}
		if h.OnDemand = i >= 3; !h.OnDemand {
			h.Capacity = []sim.Capacity{{N: int(d.below(7))}}
			for at := d.below(every); at < 7*3600; at += d.below(every) {
				h.Capacity = append(h.Capacity, sim.Capacity{At: sim.At(at), N: int(d.below(7))})
				h.Prices = append(h.Prices, sim.Price{At: sim.At(at), USD: usd * (0.6 + d.below(0.8))})
			}
		}
		if i == 0 && d.chance(0.5) {
			h.Capacity = nil
			for node := range 4 {
				for at, up := d.below(every), true; at < 7*3600; at += d.below(2 * every) {
					h.Nodes = append(h.Nodes, sim.NodeEvent{At: sim.At(at), Node: node, Up: up})
					up = !up
				}
			}
			sortNodes(h.Nodes)
		}
		hs = append(hs, h)
	}
	return hs
}

func sortNodes(events []sim.NodeEvent) {
	for i := range events {
		for k := i; k > 0 && events[k].At < events[k-1].At; k-- {
			events[k], events[k-1] = events[k-1], events[k]
		}
	}
}

// billing is one of several rules.
func billing(seed uint64) sim.Billing {
	return []sim.Billing{sim.PerSecond(), {}, {Increment: time.Hour}, {Increment: time.Second, Minimum: time.Minute, DiskUSDPerHour: 0.05, Tax: 0.2},
		{Minimum: 10 * time.Minute, SkipParameterServers: true}}[seed%5]
}

// served are jobs on parameter servers, in each form of the loss, that begin at one loss or
// where their cluster says.
func served(t testing.TB, seed uint64, types []string) sim.Job {
	t.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	coef.Gamma4, coef.BeginLoss = 0.3, []float64{4.605, 0}[seed/3%2]
	m, err := ps.NewASP(profile, coef, ps.Form(seed%3), types)
	if err != nil {
		t.Fatal(err)
	}
	return sim.Job{Model: m, ParameterServers: 1, ParameterServerPrice: 0.192, StorageGB: 50, StoragePrice: 0.1,
		Objective: sim.Objective{Loss: []float64{0.9, 0.7, 0.6}[seed%7%3], Within: time.Duration(1+seed%4) * time.Hour}}
}

// whim holds anything at any time, with any number of parameter servers, and announces any
// number of workers.
type whim struct{ sim.Rand }

func (whim) Name() string { return "whim" }

func (w whim) Decide(v sim.View, plan *sim.Plan) {
	d := &draws{Rand: w.Rand, n: uint64(v.Now())}
	plan.WakeIn(time.Duration(60+d.below(1800)) * time.Second)
	if v.Trigger()&(sim.TriggerStart|sim.TriggerWake) == 0 {
		return
	}
	for p := range plan.Jobs[0].Hold {
		plan.Jobs[0].Hold[p] = int(d.below(float64(v.Pool(p).Quota + 1)))
	}
	plan.Jobs[0].Servers, plan.Jobs[0].Workers = 1+int(d.below(3)), int(d.below(3))
	plan.Jobs[0].Save = true
}

// No run that meets its objective is cheaper or sooner than the bound: of any policy, of one
// that knows the future, and of one that does anything, on any market.
func TestNoRunBeatsTheBound(t *testing.T) {
	noRunBeatsTheBound(t, mixedTraces, served, slices.Collect(seeds(1)))
}

// The same where capacity comes late, on demand too.
func TestNoRunBeatsTheBoundOfLateMarkets(t *testing.T) {
	noRunBeatsTheBound(t, lateTraces, served, slices.AppendSeq(slices.Clone(lookedTooOften), seeds(1)))
}

// lookedTooOften are late markets on which a policy once looked every few milliseconds.
var lookedTooOften = []uint64{23, 46, 347, 816}

// The same of layouts over GPU types and zones, with traffic that is paid for.
func TestNoRunBeatsTheBoundOfLayouts(t *testing.T) {
	var some []uint64
	for seed := range seeds(1) {
		if seed%16 == 0 { // a run searches layouts, which takes long
			some = append(some, seed)
		}
	}
	noRunBeatsTheBound(t, mixedTraces, drawnLayouts, some)
	noRunBeatsTheBound(t, lateTraces, drawnLayouts, some)
}

func noRunBeatsTheBound(t *testing.T, traces func(seed uint64, types []string) []sim.Trace, job func(t testing.TB, seed uint64, types []string) sim.Job,
	on []uint64) {
	types := []string{"g4dn.4xlarge", "p3.2xlarge", "p2.8xlarge", "p3.2xlarge", "g3.8xlarge"}
	met, ran, tightest := 0, 0, math.Inf(1)
	for _, seed := range on {
		c := sim.Config{Market: market(t, 7, traces(seed, types)...), Jobs: []sim.Job{job(t, seed, types)}, Seed: seed, Billing: billing(seed)}
		if seed%3 == 1 {
			c.Speed = 0.8 + float64(seed%7)/10
		}
		b, err := bound.Hindsight(c)
		if err != nil {
			t.Fatal(err)
		}
		fastest, err := bound.Fastest(c)
		if err != nil {
			t.Fatal(err)
		}
		if math.IsInf(fastest, 1) != !b.Possible() || fastest > b.Seconds*(1+1e-9) {
			t.Errorf("seed %d: the job takes at least %v s, the bound is %+v", seed, fastest, b)
		}
		try := func(name string, p sim.Policy) {
			c.Policy = p
			if oracle, ok := p.(policies.RunOracle); ok {
				if err := oracle.SetRun(c); err != nil {
					t.Fatal(err)
				}
			}
			w, err := sim.New(c)
			if err != nil {
				t.Fatal(err)
			}
			total := w.Run()
			ran++
			j := total.Jobs[0]
			if !j.Finished || j.Elapsed > c.Jobs[0].Objective.Within {
				return
			}
			met++
			usd := total.Bill.Total()
			tightest = min(tightest, usd/b.USD)
			if b.Contradicts(usd, j.Elapsed.Seconds()) {
				t.Errorf("seed %d, %s: %v USD after %v s, the bound is %+v", seed, name, usd, j.Elapsed.Seconds(), b)
			}
		}
		for _, info := range policies.List() {
			_, layouts := c.Jobs[0].Model.(sim.MixedModel)
			switch info.Needs {
			case policies.WorkerModels, policies.MixedPools, policies.AnyModel:
				try(info.Name, info.Defaults())
			case policies.ServerModels, policies.Layouts:
				if layouts == (info.Needs == policies.Layouts) {
					try(info.Name, info.Defaults())
				}
			}
		}
		for k := range uint64(4) {
			try("whim", whim{sim.Rand{Seed: 4*seed + k}})
		}
	}
	if met == 0 {
		t.Error("no run met its objective")
	}
	t.Logf("%d runs, of which %d met the objective; the cheapest costs %.4f of its bound", ran, met, tightest)
}

// On a market that stays as it is, without boots and minima, the bound is the price of an
// instance for the time that the job takes on it, and a run costs just that: its saves take a
// microsecond a minute.
func TestClosedForm(t *testing.T) {
	check := near.Count(t)
	law := parallel.Law{Scaling: parallel.Strong, Alone: 7, Exchange: 0.4, Latency: 0.05}
	ddp, err := parallel.New(parallel.Job{Samples: 3e6, Batch: 512, Min: 1, Max: 12}, []parallel.Law{law})
	if err != nil {
		t.Fatal(err)
	}
	const usd = 1.7
	for quota := 1; quota <= 4; quota++ {
		job := sim.Job{Model: ddp, Objective: sim.Objective{Within: 24 * time.Hour}}
		b, err := bound.Hindsight(sim.Config{Market: market(t, 30, pool("t", quota, usd)), Jobs: []sim.Job{job}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(sim.Config{Market: market(t, 30, pool("t", 1, usd)), Jobs: []sim.Job{job}, Policy: &policies.Fixed{}})
		if err != nil {
			t.Fatal(err)
		}
		total := w.Run()
		alone := ddp.Rate(&sim.Layout{Workers: []int32{1}, Pipelines: 1, Stages: 1}).Progress
		want := usd / 3600 * ddp.Goal(0) / alone
		saves := 1 + 1e-6/60
		for what, x := range map[string]float64{"bound": b.USD, "run": total.Bill.Total() / saves, "lambda times progress": b.Lambda * b.Progress} {
			if check.OffRel(x, want, 1e-9) {
				t.Errorf("quota %d: the %s is %v USD, by hand %v", quota, what, x, want)
			}
		}
	}
}

// More capacity, lower prices and a later deadline never raise the bound.
func TestBetterMarketsNeverRaiseTheBound(t *testing.T) {
	check := near.Count(t)
	types := []string{"g4dn.4xlarge", "p3.2xlarge", "p2.8xlarge", "p3.2xlarge", "g3.8xlarge"}
	for seed := range seeds(1) {
		job := served(t, seed, types)
		usd := func(better func(*sim.Trace), later time.Duration) float64 {
			hs := mixedTraces(seed, types)
			for i := range hs {
				better(&hs[i])
			}
			job := job
			job.Objective.Within += later
			b, err := bound.Hindsight(sim.Config{Market: market(t, 7, hs...), Jobs: []sim.Job{job}, Seed: seed, Billing: billing(seed)})
			if err != nil {
				t.Fatal(err)
			}
			return b.USD
		}
		same := func(*sim.Trace) {}
		base := usd(same, 0)
		for what, got := range map[string]float64{
			"time": usd(same, time.Hour),
			"capacity": usd(func(h *sim.Trace) {
				h.Quota++
				for k := range h.Capacity {
					h.Capacity[k].N++
				}
			}, 0),
			"discount": usd(func(h *sim.Trace) {
				for k := range h.Prices {
					h.Prices[k].USD *= 0.9
				}
			}, 0),
		} {
			if impossible := math.IsInf(base, 1) && !math.IsNaN(got); !impossible && check.Above(got, base*(1+2e-4)) {
				t.Errorf("seed %d, more %s: %v, before %v", seed, what, got, base)
			}
		}
	}
}
