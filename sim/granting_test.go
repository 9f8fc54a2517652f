package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// steadily asks for two of the first pool, whatever happens, and notes the instances that it sees.
type steadily struct{ seen map[sim.Time][]sim.Instance }

func (steadily) Name() string { return "steadily" }

func (s steadily) Decide(v sim.View, plan *sim.Plan) {
	plan.Jobs[0].Hold[0] = 2
	s.seen[v.Now()] = v.Job(0).Instances(nil)
}

// A market that knows what was granted grants that: no earlier, nothing else, with its boots, notices and ends.
func TestGranting(t *testing.T) {
	m := simtest.Market(3, 6*time.Hour, sim.Never)
	at := func(s int) sim.Time { return sim.Time(s) * 1e6 }
	lifetimes := make([][]sim.Life, m.Pools())
	lifetimes[0] = []sim.Life{
		{Granted: at(100), Ready: at(150), Noticed: at(400), Gone: at(470)},
		{Granted: at(100), Ready: at(190), Noticed: sim.Never, Gone: at(500)},
		{Granted: at(600), Ready: sim.Never, Noticed: sim.Never, Gone: sim.Never},
	}
	market, err := m.Granting(lifetimes, at(5000))
	if err != nil {
		t.Fatal(err)
	}
	p := steadily{map[sim.Time][]sim.Instance{}}
	w, err := sim.New(sim.Config{Market: market, Jobs: simtest.Jobs(1), Policy: p, Seed: 1, Billing: sim.PerSecond()})
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(at(1000))
	state := func(s int) (ready, noticed, all int) {
		seen, asked := p.seen[at(s)]
		if !asked {
			t.Errorf("the policy was not asked at %d s", s)
		}
		for _, x := range seen {
			if all++; x.Ready {
				ready++
			}
			if x.Noticed {
				noticed++
			}
		}
		return
	}
	for _, x := range [][4]int{{100, 0, 0, 2}, {150, 1, 0, 2}, {190, 2, 0, 2}, {400, 2, 1, 2}, {470, 1, 0, 1}, {500, 0, 0, 0}, {600, 0, 0, 1}} {
		if ready, noticed, all := state(x[0]); ready != x[1] || noticed != x[2] || all != x[3] {
			t.Errorf("at %d s %d ready, %d under notice of %d, expected %v", x[0], ready, noticed, all, x[1:])
		}
	}
	if x := w.Totals(); x.Grants != 3 || x.Preemptions != 2 || x.Unannounced != 1 {
		t.Errorf("%+v", x)
	}
	lifetimes[0][0].Ready = at(50)
	if _, err := m.Granting(lifetimes, at(5000)); err == nil {
		t.Error("an instance is ready before its grant")
	}
}

// A job in such a market trains as fast as is said, has done what is reported, and is not over before it is said to be.
func TestReport(t *testing.T) {
	check := near.Count(t)
	m := simtest.Market(3, 6*time.Hour, sim.Never)
	lifetimes := make([][]sim.Life, m.Pools())
	lifetimes[0] = []sim.Life{{Granted: 0, Ready: 0, Noticed: sim.Never, Gone: sim.Never}, {Granted: 0, Ready: 0, Noticed: sim.Never, Gone: sim.Never}}
	market, err := m.Granting(lifetimes, sim.Time(1e15))
	if err != nil {
		t.Fatal(err)
	}
	done := func(speed float64, until time.Duration) (before float64, w *sim.World) {
		p := &asked{Policy: steadily{map[sim.Time][]sim.Instance{}}, every: 1, look: func(sim.View) {}}
		w, err := sim.New(sim.Config{Market: market, Jobs: simtest.Jobs(1), Policy: waking{p, until}, Seed: 1, Billing: sim.PerSecond(), Speed: speed})
		if err != nil {
			t.Fatal(err)
		}
		for w.NextDecision() && w.Now().Sub(0) < until {
		}
		return w.View().Job(0).Done(), w
	}
	whole, _ := done(0, time.Minute)
	half, w := done(0.5, time.Minute)
	if !(whole > 0 && whole < 1) || check.Off(half, whole/2, 1e-12) {
		t.Errorf("%v is done, and %v at half the speed", whole, half)
	}
	if !w.Report(0, 0.75) || check.Off(w.View().Job(0).Done(), 0.75, 1e-12) {
		t.Errorf("%v is done, expected what is reported", w.View().Job(0).Done())
	}
	if all, w := done(0, 1000*time.Hour); all != 1 || !w.View().Job(0).Active() {
		t.Errorf("%v is done, and the job is over before it is said to be", all)
	}
}

// waking wakes a policy at an instant, too.
type waking struct {
	sim.Policy
	at time.Duration
}

func (w waking) Decide(v sim.View, plan *sim.Plan) {
	w.Policy.Decide(v, plan)
	if left := w.at - v.Now().Sub(0); left > 0 {
		plan.WakeIn(left)
	}
}

// What a policy imagines is the same in a run that stops before each decision.
func TestImagineWithinNextDecision(t *testing.T) {
	seen := func(run func(*sim.World)) (costs []float64) {
		var fork sim.World
		var future sim.Market
		w := imagining(t, 5, 7, func(v sim.View) {
			v.Future(&future, v.Now().Add(2*time.Hour), make([]sim.Outlook, v.Pools()))
			v.Imagine(&fork, &future, 9, swing{})
			bill := fork.Run().Bill
			costs = append(costs, bill.Total())
		})
		run(w)
		return costs
	}
	want := seen(func(w *sim.World) { w.Run() })
	got := seen(func(w *sim.World) {
		for w.NextDecision() {
		}
	})
	if len(want) < 3 || !slices.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}
