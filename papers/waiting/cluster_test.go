package waiting

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// Where the refused wait is long, SWW is AJW; where it is nothing, NJW.
func TestShortWaitsLimits(t *testing.T) {
	c := Cluster{Arrivals: 0.2, Service: 0.002, Servers: 108, FixedPrice: 3.84, OnDemandPrice: 9.6}
	at := func(p Policy, longest float64) Outcome {
		c.Policy, c.MaxWait = p, longest
		return c.ClosedForm()
	}
	check := near.Count(t)
	differ := func(a, b Outcome) bool {
		return check.Off(a.Wait, b.Wait, 1e-9) || check.Off(a.OnDemand, b.OnDemand, 1e-9) || check.Off(a.Price, b.Price, 1e-9)
	}
	if a, b := at(ShortWaitsWait, 1e5), at(AllJobsWait, 0); differ(a, b) {
		t.Errorf("long waits: %+v, AJW %+v", a, b)
	}
	if a, b := at(ShortWaitsWait, 0), at(NoJobsWait, 0); differ(a, b) {
		t.Errorf("no waits: %+v, NJW %+v", a, b)
	}
	c.Servers = 100
	if got := at(AllJobsWait, 0).Wait; !math.IsInf(got, 1) {
		t.Errorf("a full cluster: wait %v", got)
	}
}

// With as much work as machines the closed form is what it is with a little less or more, and the two ways to compute
// it meet where one takes over.
func TestShortWaitsBalanced(t *testing.T) {
	check := near.Count(t)
	for _, arrivals := range []float64{10, 10.02, 9.98} { // MaxWait times the spare machines is 0, -0.01, 0.01
		at := func(by float64) (wait, onDemand float64) {
			c := Cluster{Policy: ShortWaitsWait, Arrivals: arrivals * (1 + by), Service: 1, Servers: 10, FixedPrice: 1, OnDemandPrice: 3, MaxWait: 0.5}
			o := c.ClosedForm()
			return o.Wait, o.OnDemand
		}
		wait, onDemand := at(0)
		for _, by := range []float64{-1e-7, -1e-10, 1e-10, 1e-7} {
			nextWait, nextOnDemand := at(by)
			if check.OffRel(nextWait, wait, 1e-5) || check.OffRel(nextOnDemand, onDemand, 1e-5) {
				t.Errorf("%v jobs/s: wait %v, on demand %v; at a share of %v more %v, %v", arrivals, wait, onDemand, by, nextWait, nextOnDemand)
			}
		}
	}
}

// Every job runs somewhere, and the run repeats itself.
func TestWaitingRun(t *testing.T) {
	check := near.Count(t)
	c := Cluster{Policy: AllWaitTimedOut, Arrivals: 1, Service: 0.1, Servers: 10, FixedPrice: 1, OnDemandPrice: 3, MaxWait: 5}
	r := Simulation{Warmup: 1000, Jobs: 100000, Seed: 1}
	a := r.Run(&c)
	if b := r.Run(&c); a != b {
		t.Errorf("two runs: %+v, %+v", a, b)
	}
	if want := c.ClosedForm(); check.Off(a.Wait/want.Wait, 1, 0.03) || check.Off(a.OnDemand, want.OnDemand, 0.005) {
		t.Errorf("%+v, closed form %+v", a, want)
	}
}
