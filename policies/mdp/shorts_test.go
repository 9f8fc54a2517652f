package mdp_test

import (
	"flag"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
)

var (
	shorts     = flag.Int("shorts", 0, "short jobs of TestShortHourlyJobs; 0: none")
	shortsSeed = flag.Uint64("shorts-seed", 1, "seed that draws them")
	shortsRuns = flag.Int("shorts-runs", 6, "runs of each policy on each of them, and as many that choose the simple policy")
	shortsFine = flag.Bool("shorts-by-second", false, "bills them by the second: 5 to 60 minutes of work, deadlines of 1.5 to 4 times")
	shortsOnly = flag.Int("shorts-only", 0, "the number of the job that is run, from 1; 0: all")
)

// drawShorts draws short jobs that are billed by the hour, or by the second: 5 to 120 minutes of work on eight instances of one to three
// zones, deadlines of 1.3 to 6 times the soonest end on demand, boots of 0.5 to 10 minutes, and spot that is always
// there, often, rarely or never.
func drawShorts(seed uint64, n int) (all []roomsMarket) {
	for i := range n {
		d := sim.Rand{Seed: seed}.Stream(sim.PurposeUser+908, uint64(i))
		k := uint64(0)
		real := func() float64 { k++; return d.Uniform(k) }
		m := roomsMarket{times: 1.3 * math.Pow(6/1.3, real())}
		m.kind = kind{
			name:    []string{"dp", "ps", "pipes"}[i%3],
			types:   []string{"p3.2xlarge"},
			usd:     []float64{3.06},
			quota:   []int{8},
			zones:   1 + int(3*real()),
			billing: sim.Billing{Increment: time.Hour},
		}
		m.work = 5.0 / 120 * math.Pow(24, real())
		laws := []law{
			{name: "always", on: 1},
			{name: "often", on: 4, off: 0.5},
			{name: "rarely", on: 0.5, off: 3},
			{name: "never"},
		}
		m.law = laws[int(4*real())]
		m.law.price = 0.25 + 0.3*real()
		m.law.least = 0.2
		m.law.walks = true
		if *shortsFine {
			m.billing = sim.Billing{}
			m.times = 1.5 * math.Pow(4/1.5, math.Log(m.times/1.3)/math.Log(6/1.3))
			m.work = 5.0 / 120 * math.Pow(12, math.Log(m.work*24)/math.Log(24))
		}
		m.law.boot = sim.Boot{Median: time.Duration(30 * math.Pow(20, real()) * 1e9).Round(time.Second), Sigma: 0.3}
		all = append(all, m)
	}
	return all
}

// overOnDemand is what mdp costs in jobs in which a policy on demand alone is never late, in shares of its cost.
type overOnDemand struct {
	logs, worst  float64
	jobs, beyond int // beyond 1.05
}

// add counts a job.
func (o *overOnDemand) add(c *cellOf, policy int) {
	if c.late[policy] > 0 {
		return
	}
	share := c.over[len(c.over)-1] / c.over[policy]
	o.logs += math.Log(share)
	o.worst = max(o.worst, share)
	o.jobs++
	if share > 1.05 {
		o.beyond++
	}
}

// What mdp costs where a job takes minutes and hours are billed, beside on demand alone, and beside the simple safe
// form that is the best of those never late on other seeds.
func TestShortHourlyJobs(t *testing.T) {
	if *shorts == 0 {
		t.Skip("no -shorts")
	}
	sum := 0.0
	worst := 0.0
	count := 0.0
	alone := []string{"ondemand", "ondemand-sure"}
	var over [2]overOnDemand
	*marketRuns = *shortsRuns
	for i, m := range drawShorts(*shortsSeed, *shorts) {
		if *shortsOnly > 0 && i+1 != *shortsOnly {
			continue
		}
		simple := []string{"safe:reactive", "spotdnn-safe", "safe:checkpoint", "mdp"}
		if m.kind.name == "pipes" {
			simple = []string{"safe:varuna", "safe:mixed", "safe:checkpoint", "mdp"}
		}
		c := m.beside(t, append(slices.Clone(alone), simple...), len(alone))
		t.Logf("%d: %s, %.0f min x%.1f, %d zones, spot %s at %.2f, boot %v\n  %s\n  %s",
			i+1, m.kind.name, 120*m.work, m.times, m.zones, m.law.name, m.law.price, m.law.boot.Median, c.costs, c.verdict)
		if c.late > c.ofChosen {
			t.Errorf("%d: mdp is late in %d of %d runs, the chosen policy in %d", i+1, c.late, *shortsRuns, c.ofChosen)
		}
		for k := range over {
			over[k].add(&c.cell, k)
		}
		sum += math.Log(c.share)
		worst = max(worst, c.share)
		count++
	}
	t.Logf("mdp costs %.3f of the policies that were chosen, in the geometric mean of %.0f jobs; at most %.3f",
		math.Exp(sum/count), count, worst)
	for k, o := range over {
		t.Logf("and %.3f of %s in the %d jobs in which that is never late; more than 1.05 in %d, at most %.3f",
			math.Exp(o.logs/float64(o.jobs)), alone[k], o.jobs, o.beyond, o.worst)
	}
}
