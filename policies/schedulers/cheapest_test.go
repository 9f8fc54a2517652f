package schedulers_test

import (
	"flag"
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

var optimumClusters = flag.Int("optimum", 3, "number of clusters of each kind whose cheapest schedule is worked out")

var optimumFrom = flag.Int("optimum-from", 0, "number of the first of them")

// drawDeadlines draws 5 jobs with deadlines on 2 servers, 4 GPUs on spot and enough on demand, for 12 hours. Spot is
// there always, or on and off for 2 hours each in the mean; jobs come at once, or in the first 6 hours.
func drawDeadlines(seed uint64, spotGoes, jobsCome bool) *hourly {
	d := newHourlyDraws(seed)
	x := &hourly{hours: 12, gpus: make([][]int, 3), usd: make([][]float64, 3)}
	on := d.chance(0.5)
	for range x.hours {
		if spotGoes && d.chance(0.5) {
			on = !on
		}
		spot := 4
		if spotGoes && !on {
			spot = 0
		}
		for q, n := range []int{2, spot, 20} {
			x.gpus[q], x.usd[q] = append(x.gpus[q], n), append(x.usd[q], []float64{0, 1, 3}[q])
		}
	}
	for range 5 {
		j := hourlyJob{gang: 1 + int(d.below(2)), work: 1 + int(d.below(4))}
		if jobsCome {
			j.from = int(d.below(6))
		}
		j.until = min(j.from+j.work+1+int(d.below(5)), x.hours)
		x.jobs = append(x.jobs, j)
	}
	return x
}

// cheapest is enumerate by dynamic programming: the state is the hour and how many hours are left to each job.
func (x *hourly) cheapest() float64 {
	left, free := make([]int, len(x.jobs)), make([]int, len(x.gpus))
	for j := range left {
		left[j] = x.jobs[j].work
	}
	states := 1
	for j := range x.jobs {
		states *= x.jobs[j].work + 1
	}
	known := make([][]float64, x.hours+1) // 0: not known; cost + 1
	for i := range known {
		known[i] = make([]float64, states)
	}
	state := func() (n int) {
		for j := range left {
			n = n*(x.jobs[j].work+1) + left[j]
		}
		return n
	}
	var hour func(i int) float64
	var choose func(i, j int) float64
	hour = func(i int) float64 {
		for j := range left {
			if left[j] > max(x.jobs[j].until-max(i, x.jobs[j].from), 0) {
				return math.Inf(1)
			}
		}
		if i == x.hours {
			return 0
		}
		k := state()
		if known[i][k] == 0 {
			was := [3]int(free)
			for q := range free {
				free[q] = x.gpus[q][i]
			}
			known[i][k] = choose(i, 0) + 1
			copy(free, was[:])
		}
		return known[i][k] - 1
	}
	choose = func(i, j int) float64 {
		if j == len(left) {
			return hour(i + 1)
		}
		best := choose(i, j+1)
		job := &x.jobs[j]
		if i < job.from || i >= job.until || left[j] == 0 {
			return best
		}
		for q := range free {
			if free[q] >= job.gang {
				free[q] -= job.gang
				left[j]--
				best = min(best, choose(i, j+1)+float64(job.gang)*x.usd[q][i])
				left[j]++
				free[q] += job.gang
			}
		}
		return best
	}
	return hour(0)
}

// compared is what clusters of a kind cost in the mean, by the cheapest schedule, the plan of unforeseen and
// schedulers.
type compared struct {
	n, late       int
	optimum, plan float64
	runs          [len(optimumPolicies)]struct{ usd, spot, demand float64 } // USD
	work          float64                                                   // GPU-hours
}

// optimumPolicies are compared with the cheapest schedule; the second is deadline-edf without what it keeps in reserve.
var optimumPolicies = [...]struct {
	name string
	make func() sim.Policy
}{
	{"deadline-edf", func() sim.Policy { return schedulers.NewEDF() }},
	{"without reserves", func() sim.Policy {
		e := schedulers.NewEDF()
		e.Reserve, e.Sigma = 0, 0
		return e
	}},
	{"deadline-spot", func() sim.Policy { return schedulers.NewDeadlines() }},
}

// run runs a policy on a cluster.
func (x *hourly) run(t *testing.T, p sim.Policy) (bill sim.Bill, late int) {
	c := x.config(t)
	c.Policy = p
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	totals := w.Run()
	for j := range totals.Jobs {
		if !totals.Jobs[j].Finished || totals.Jobs[j].Elapsed > c.Jobs[j].Objective.Within {
			late++
		}
	}
	return totals.Bill, late
}

// add works a cluster out, if there is a schedule.
func (a *compared) add(t *testing.T, x *hourly, share float64) {
	best := x.cheapest()
	if math.IsInf(best, 1) {
		return
	}
	plan := x.unforeseenUSD(share)
	if !(plan >= best-1e-9) || math.IsInf(plan, 1) {
		t.Errorf("a plan costs %v USD, the cheapest schedule %v", plan, best)
	}
	a.n++
	a.optimum += best
	a.plan += plan
	for _, j := range x.jobs {
		a.work += float64(j.gang * j.work)
	}
	for i, p := range optimumPolicies {
		bill, late := x.run(t, p.make())
		if usd := bill.Total(); late == 0 && !(usd >= best*(1-1e-9)) { // NaN fails
			t.Errorf("the cheapest schedule costs %v USD, %s meets all deadlines for %v", best, p.name, usd)
		}
		if i != 1 { // without reserves jobs may be late
			a.late += late
		}
		r := &a.runs[i]
		r.usd += bill.Total()
		r.spot += bill.Spot
		r.demand += bill.OnDemand
	}
}

// log prints the means.
func (a *compared) log(t *testing.T, name string) {
	n := float64(a.n)
	t.Logf("%s: %d clusters of %.2f GPU-hours; mean USD: cheapest schedule %.2f, plan without foresight %.2f (+%.0f %%); %d jobs late",
		name, a.n, a.work/n, a.optimum/n, a.plan/n, 100*(a.plan/a.optimum-1), a.late)
	for i, r := range a.runs {
		t.Logf("  %s %.2f (+%.0f %%): %.2f GPU-hours on servers, %.2f on spot, %.2f on demand", optimumPolicies[i].name, r.usd/n, 100*(r.usd/a.optimum-1),
			(a.work-r.spot-r.demand/3)/n, r.spot/n, r.demand/3/n)
	}
}

// How far schedulers are above the cheapest schedule of whole hours, which knows the future and may stop jobs for
// nothing, and how far a plan is that knows the law of spot and the jobs that are there.
func TestCheapestSchedule(t *testing.T) {
	check := near.Count(t)
	for seed := range uint64(20) {
		if x := drawHourly(seed); x.cheapest() != x.enumerate() {
			t.Errorf("%d: %v USD, by enumeration %v", seed, x.cheapest(), x.enumerate())
		}
	}
	for kind, name := range []string{"spot stays, jobs at once", "spot stays, jobs come", "spot goes, jobs at once", "spot goes, jobs come"} {
		var a compared
		share := 1.0
		if kind >= 2 {
			share = 0.5
		}
		for k := range *optimumClusters {
			a.add(t, drawDeadlines(uint64(*optimumFrom+k)*4+uint64(kind), kind >= 2, kind%2 == 1), share)
		}
		if a.n == 0 || a.late > 0 {
			t.Errorf("%s: %d clusters with a schedule, %d jobs late, expected some and none", name, a.n, a.late)
		}
		if kind == 0 && check.OffRel(a.plan, a.optimum, 1e-6) { // nothing is unknown
			t.Errorf("a plan costs %v USD, the cheapest schedules %v", a.plan, a.optimum)
		}
		a.log(t, name)
	}
}
