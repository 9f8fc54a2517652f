package parcae_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/parcae"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// anew is Parcae that remembers nothing from one decision to the next.
type anew struct{ *parcae.Parcae }

func (a anew) Decide(v sim.View, plan *sim.Plan) {
	a.Forget()
	a.Parcae.Decide(v, plan)
}

// parcaeRuns is the study parcae-p3: four hours of the trace that it names.
type parcaeRuns struct {
	config sim.Config
	world  sim.World
	last   time.Duration // the latest start
}

func newParcaeRuns(tb testing.TB, remember bool) *parcaeRuns {
	tb.Helper()
	s, err := spec.Open("parcae-p3")
	if err != nil {
		tb.Fatal(err)
	}
	markets, err := market.Of(s)
	if err != nil {
		tb.Skip("no trace of p3 machines:", err)
	}
	market, err := markets.For(1)
	if err != nil {
		tb.Fatal(err)
	}
	costs, err := pipeline.LoadParcae("gpt-1.5b")
	if err != nil {
		tb.Fatal(err)
	}
	model, err := pipeline.NewMigrating(1e12, costs, 0, 0)
	if err != nil {
		tb.Fatal(err)
	}
	policy, err := policies.New("parcae")
	if err != nil {
		tb.Fatal(err)
	}
	if !remember {
		policy = anew{policy.(*parcae.Parcae)}
	}
	const span = 4 * time.Hour
	return &parcaeRuns{last: markets.LastStart(),
		config: sim.Config{Market: market, Policy: policy, Horizon: span, Billing: sim.PerSecond(),
			Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: span}, ParameterServerPrice: 0.68}}}}
}

func (r *parcaeRuns) run(tb testing.TB, start time.Duration, seed uint64) *sim.Totals {
	r.config.Start, r.config.Seed = sim.Time(0).Add(start), seed
	if err := r.world.Reset(r.config); err != nil {
		tb.Fatal(err)
	}
	return r.world.Run()
}

// BenchmarkParcaeRuns is whole runs of four hours, one after the other as a worker
// of a sweep has them, from every full hour or from any second of the trace;
// with the memory of Parcae and without.
func BenchmarkParcaeRuns(b *testing.B) {
	for _, starts := range []string{"hourly", "any"} {
		for _, plans := range []string{"remembered", "anew"} {
			b.Run(fmt.Sprintf("starts=%s/plans=%s", starts, plans), func(b *testing.B) {
				r := newParcaeRuns(b, plans == "remembered")
				every := time.Hour
				if starts == "any" {
					every = time.Second
				}
				n := int(r.last/every) + 1
				var dice sim.Rand
				begun := simtest.CPUTime()
				for k := uint64(0); b.Loop(); k++ {
					r.run(b, every*time.Duration(dice.Intn(sim.PurposeUser, k, 0, n)), k)
				}
				b.ReportMetric(float64(simtest.CPUTime()-begun)/float64(b.N), "cpu-ns/run")
			})
		}
	}
}

// What is remembered is what would be planned anew.
func TestParcaeRemembersWhatItWouldPlan(t *testing.T) {
	remembers, forgets := newParcaeRuns(t, true), newParcaeRuns(t, false)
	for _, start := range []time.Duration{0, 2 * time.Hour, 2*time.Hour + 41*time.Second, 0} {
		a, b := remembers.run(t, start, 1), forgets.run(t, start, 1)
		if a.Jobs[0].Samples != b.Jobs[0].Samples || a.Bill != b.Bill || a.Decisions != b.Decisions || a.Events != b.Events {
			t.Errorf("from %v: %v samples, %+v; planned anew %v samples, %+v", start, a.Jobs[0].Samples, a.Bill,
				b.Jobs[0].Samples, b.Bill)
		}
	}
}
