package mdp

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

// watched compares at each decision what the policy thinks that it pays by units with the bill of the engine.
type watched struct {
	*MDP
	t        *testing.T
	check    *near.Counter
	compared int
}

func (w *watched) Decide(v sim.View, plan *sim.Plan) {
	w.MDP.Decide(v, plan)
	if len(v.ActiveJobs()) != 1 || !w.planner.hours.any {
		return
	}
	held := make([]int, v.Pools())
	for k := range held {
		if v.Held(0, k).Noticed > 0 {
			return // they are no part of a cluster
		}
		held[k] = v.Held(0, k).Active()
	}
	for fresh := range 3 {
		hold := make([]int, len(held))
		counts := make([]int32, len(held))
		for k := range held {
			hold[k] = held[k] + fresh
			counts[k] = int32(hold[k])
		}
		for _, span := range []time.Duration{time.Second, 20 * time.Minute, time.Hour, 100 * time.Minute} {
			usd, _ := w.planner.billHours(counts, span.Seconds(), 0)
			engine := v.BillAfter(0, hold, span) - v.BillAfter(0, held, 0)
			if w.check.Off(usd, engine, 1e-6) {
				w.t.Errorf("at %v, %v held for %v: %v USD, and %v by the engine", v.Now(), hold, span, usd, engine)
			}
			w.compared++
		}
	}
}

// hourly is a run of four hours of work on one instance within six, billed by the hour, on a spot pool that is there
// for some hours of every second, and on demand.
func hourly(t *testing.T, policy sim.Policy, capacity []sim.Capacity) *sim.Totals {
	t.Helper()
	boot := sim.Boot{Median: time.Minute, Sigma: 0.1}
	spot := sim.Pool{Name: "spot", InstanceType: "x", Quota: 3, Notice: 2 * time.Minute, Boot: boot}
	sure := sim.Pool{Name: "on-demand", InstanceType: "x", Quota: 3, OnDemand: true, OnDemandPrice: 3, Boot: boot}
	m, err := sim.NewMarket(sim.At(8*3600), []sim.Trace{
		{Pool: spot, Prices: []sim.Price{{USD: 1}}, Capacity: capacity},
		{Pool: sure, Prices: []sim.Price{{USD: 3}}}})
	if err != nil {
		t.Fatal(err)
	}
	law := parallel.Law{Scaling: parallel.Strong, Alone: 1, Exchange: 0.1}
	model, err := parallel.New(parallel.Job{Samples: 4 * 3600, Batch: 1, Min: 1, Max: 3, Restart: time.Minute,
		Save: time.Second}, []parallel.Law{law, law})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Seed: 1, Policy: policy, Billing: sim.Billing{Increment: time.Hour},
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: 6 * time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run()
}

// What is paid by units is what the engine bills.
func TestUnitsAreThoseOfTheBill(t *testing.T) {
	w := &watched{MDP: New(), t: t, check: near.Count(t)}
	hourly(t, w, []sim.Capacity{{N: 3}, {At: sim.At(5000), N: 0}, {At: sim.At(9000), N: 2}})
	if w.compared < 100 {
		t.Errorf("%d bills were compared", w.compared)
	}
}

// Where spot is there all the time, little is paid that is not used, if the limit pays for an hour in vain; where there
// is none, or it does not, the job costs what it does on demand.
func TestWholeHours(t *testing.T) {
	onDemand := hourly(t, ondemand.New(), []sim.Capacity{{N: 0}})
	never := hourly(t, New(), []sim.Capacity{{N: 0}})
	strict := hourly(t, New(), []sim.Capacity{{N: 3}})
	tries := New()
	tries.Regret = 0.1
	always := hourly(t, tries, []sim.Capacity{{N: 3}})
	for name, r := range map[string]*sim.Totals{"never": never, "always, 5 %": strict, "always": always} {
		if !r.Jobs[0].Finished || r.Jobs[0].Elapsed > 6*time.Hour {
			t.Errorf("spot %s: not in time", name)
		}
	}
	for _, r := range []*sim.Totals{never, strict} {
		if usd := onDemand.Bill.Total(); r.Bill.Total() > usd*1.001 {
			t.Errorf("%.2f USD, and %.2f on demand", r.Bill.Total(), usd)
		}
	}
	// Five hours of one instance would do; one more may be paid, since it expects to lose what it has.
	if usd := always.Bill.Total(); usd > 6.001 || always.Bill.TopUp > 1.5 {
		t.Errorf("spot always there: %.2f USD, of it %.2f not used; expected six hours of one instance at most", usd,
			always.Bill.TopUp)
	}
}

// The mean of what is not used of the last unit, by counting.
func TestWasteOf(t *testing.T) {
	check := near.Count(t)
	for _, perHour := range []float64{0, 0.01, 0.5, 2, 12} {
		const unit = 3600
		sum := 0.0
		const n = 200_000
		for i := range n {
			span := (float64(i) + 0.5) / n * unit // where nothing is lost
			if perHour > 0 {
				span = -math.Log1p(-(float64(i)+0.5)/n) * 3600 / perHour
			}
			sum += math.Ceil(span/unit)*unit - span
		}
		if got := wasteOf(perHour, unit); check.OffRel(got, sum/n, 1e-3) {
			t.Errorf("%v losses an hour: %v s, by counting %v", perHour, got, sum/n)
		}
	}
}

// Going over to a class keeps what is paid: what is counted for its phase is what was paid and what is paid now.
func TestPayForKeepsWhatIsPaid(t *testing.T) {
	check := near.Count(t)
	table := &table{key: key{prices: []float64{1, 3}, units: []float64{3600, 3600}}}
	table.phases = 6
	table.dt = 600
	for _, c := range []struct {
		from, to []int32
		left     int
		usd      float64 // units that are paid
	}{
		{[]int32{0, 0}, []int32{2, 0}, 3, 2},
		{[]int32{2, 0}, []int32{2, 0}, 0, 2},
		{[]int32{2, 0}, []int32{2, 0}, 3, 0},
		{[]int32{2, 0}, []int32{1, 1}, 4, 3},
		{[]int32{2, 1}, []int32{3, 1}, 0, 6},
	} {
		from := &class{}
		from.Counts = c.from
		to := &class{}
		to.Counts = c.to
		got := table.payFor(from, to, c.left)
		price := 0.0
		kept := 0.0
		for k, n := range c.to {
			price += float64(n) * table.prices[k]
			kept += float64(min(n, c.from[k])) * table.prices[k] * float64(c.left) / 6
		}
		if paid := kept + got.usd; check.Off(paid, price*float64(got.phase)/6, 1e-9) {
			t.Errorf("%v to %v, %d phases paid: %v USD are paid in all, and phase %d counts for %v", c.from, c.to, c.left, paid,
				got.phase, price*float64(got.phase)/6)
		}
		if rounding := price / 12; check.Off(got.usd, c.usd, rounding+1e-9) {
			t.Errorf("%v to %v, %d phases paid: %v USD, expected %v but for half a phase", c.from, c.to, c.left, got.usd, c.usd)
		}
	}
}
