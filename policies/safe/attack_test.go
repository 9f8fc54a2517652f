package safe_test

import (
	"flag"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

var attacks = flag.Int("attacks", 1, "jobs that are drawn, whose spot goes at the worst instant: about 400 runs each")

// firstOnDemand notes when instances on demand are first held or requested.
type firstOnDemand struct {
	slow
	at sim.Time
}

func (f *firstOnDemand) Decision(v sim.View, plan *sim.Plan, _ bool) {
	for p, n := range plan.Jobs[0].Hold {
		if f.at == 0 && v.Pool(p).OnDemand && n > 0 {
			f.at = v.Now()
		}
	}
}

// attack is a job on spot instances that all go at once and without notice.
type attack struct {
	types         []string
	quota, demand int
	boot          sim.Boot
}

// market is one whose spot goes at an instant, and from then on comes back for a while and goes again, unless away is
// 0. At 0 it stays.
func (a *attack) market(t testing.TB, at sim.Time, away time.Duration) *sim.Market {
	t.Helper()
	usd := map[string]float64{"p3.2xlarge": 3.06, "g4dn.4xlarge": 1.2, "g3.8xlarge": 2.28, "g3.16xlarge": 4.56, "p2.8xlarge": 7.2}
	const end = sim.Time(100 * 3600e6)
	var hs []sim.Trace
	for _, typ := range a.types {
		spot := sim.Trace{Pool: sim.Pool{Name: typ, Zone: "a", InstanceType: typ, Quota: a.quota, Boot: a.boot}, Prices: []sim.Price{{USD: usd[typ] * 0.3}},
			Capacity: []sim.Capacity{{N: a.quota}}}
		if at > 0 {
			spot.Capacity = append(spot.Capacity, sim.Capacity{At: at})
		}
		for x := at.Add(away); at > 0 && away > 0 && x < end; x = x.Add(2 * away) {
			spot.Capacity = append(spot.Capacity, sim.Capacity{At: x, N: a.quota}, sim.Capacity{At: x.Add(away)})
		}
		hs = append(hs, spot, sim.Trace{Pool: sim.Pool{Name: "on-demand/" + typ, InstanceType: typ, OnDemand: true, Quota: a.demand, OnDemandPrice: usd[typ],
			Boot: a.boot}, Prices: []sim.Price{{USD: usd[typ]}}})
	}
	m, err := sim.NewMarket(end.Add(10*time.Hour), hs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The promise where all spot instances go at once and without notice, at the worst instants: when the safe form begins
// to request on demand, and up to two hours before. Saves are as seldom as the policies make them, or 6 hours apart. No
// run is late.
func TestPromiseUnderAttack(t *testing.T) {
	var costs []float64
	for k := range uint64(*attacks) {
		seed := *promiseSeed*2_000_003 + k
		d := dice{Rand: sim.Rand{Seed: seed}, n: new(uint64)}
		name := ""
		types, makeJob, bases := d.job(t, &name)
		a := attack{types, pick(d, 2, 4, 8), pick(d, 3, 8, 12), sim.Boot{Median: d.span(0, 30, 126)}}
		job := makeJob(a.market(t, 0, 0))
		job.Objective.Within = time.Second
		soonest, _, _ := run(t, ondemand.New(), a.market(t, 0, 0), job, seed)
		for _, base := range bases {
			p, err := policies.New("safe:" + base)
			if err != nil {
				t.Fatal(err)
			}
			for _, set := range []map[string]any{{}, {"interval_s": 6 * 3600}} {
				if err := policies.Configure(p, set); err == nil {
					costs = append(costs, a.run(t, p, job, name, soonest.Elapsed, seed)...)
				}
			}
		}
	}
	t.Logf("%d runs of %d jobs: %.4f of the best plan on demand alone in the mean, %.3f at most", len(costs), *attacks, stat.Mean(costs, nil), slices.Max(costs))
}

// run runs the job with several deadlines, and returns what it costs over the best plan on demand alone.
func (a *attack) run(t testing.TB, p sim.Policy, job sim.Job, name string, soonest time.Duration, seed uint64) (costs []float64) {
	for _, share := range []float64{1.05, 1.2, 1.5, 2, 3} {
		job.Objective.Within = time.Duration(share * float64(soonest))
		_, usd, _ := run(t, ondemand.New(), a.market(t, 0, 0), job, seed)
		m := a.market(t, 0, 0)
		first := &firstOnDemand{slow: slow{m: m, granted: map[[3]int]sim.Time{}}}
		w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{job}, Policy: p, Seed: seed, Billing: sim.PerSecond(), Recorder: first})
		if err != nil {
			t.Fatal(err)
		}
		undisturbed := w.Run().Jobs[0]
		if first.at == 0 {
			first.at = sim.Time(0).Add(undisturbed.Elapsed)
		}
		for _, ahead := range []time.Duration{0, time.Microsecond, 30 * time.Second, 20 * time.Minute, 2 * time.Hour} {
			for _, away := range []time.Duration{0, 3 * time.Minute, 20 * time.Minute} {
				at := first.at.Add(-ahead)
				if at <= 0 {
					continue
				}
				r, cost, _ := run(t, p, a.market(t, at, away), job, seed)
				if !r.Finished || r.Elapsed > job.Objective.Within {
					t.Errorf("%s, %s, spot goes at %v, and for %v again: ends after %v of %v (finished %v), %v are enough on demand", name, p.Name(), at, away,
						r.Elapsed, job.Objective.Within, r.Finished, soonest)
				}
				costs = append(costs, cost/usd)
			}
		}
	}
	return costs
}

// Work that went with the last spot instances is not counted as done: what it takes on demand is beyond the limit at
// once, and waiting ends. Here two hours on spot are lost, at 30 % of the price on demand, of a job of eight hours on
// demand with a deadline of a day.
func TestLostWorkIsNotCountedAsDone(t *testing.T) {
	a := attack{types: []string{"p3.2xlarge"}, quota: 2, demand: 2}
	lost := sim.At(2 * 3600)
	m := a.market(t, lost, 0)
	law := parallel.Law{Scaling: parallel.Strong, Alone: 1}
	model, err := parallel.New(parallel.Job{Samples: 8 * 3600 * 2 * 64, Batch: 64, Min: 1, Max: 2, Restart: time.Minute}, []parallel.Law{law, law})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.New("safe:checkpoint")
	if err == nil {
		err = policies.Configure(p, map[string]any{"interval_s": 6 * 3600})
	}
	if err != nil {
		t.Fatal(err)
	}
	first := &firstOnDemand{slow: slow{m: m, granted: map[[3]int]sim.Time{}}}
	job := sim.Job{Model: model, Objective: sim.Objective{Within: 24 * time.Hour}}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{job}, Policy: p, Seed: 1, Billing: sim.PerSecond(), Recorder: first})
	if err != nil {
		t.Fatal(err)
	}
	if r := w.Run().Jobs[0]; first.at != lost || !r.Finished || r.Elapsed > job.Objective.Within {
		t.Errorf("on demand begins at %v, expected %v; the job ends after %v (%v)", first.at, lost, r.Elapsed, r.Finished)
	}
}
