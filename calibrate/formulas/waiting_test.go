package formulas

import (
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

func TestErlang(t *testing.T) {
	check := near.Count(t)
	// Two servers and a load of 1: B = (1/2)/(1 + 1 + 1/2), C = B/(1 - (1/2)(1-B)).
	if got := ErlangB(2, 1); check.Off(got, 0.2, 1e-15) {
		t.Errorf("B = %v, expected 0.2", got)
	}
	if got := ErlangC(2, 1); check.Off(got, 1.0/3, 1e-15) {
		t.Errorf("C = %v, expected 1/3", got)
	}
	if got := ErlangC(1, 0.7); check.Off(got, 0.7, 1e-15) {
		t.Errorf("C of one server is the load, got %v", got)
	}
}

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

// With as much work as machines the closed form is what it is with a little less or more, and the two ways to compute it
// meet where one takes over.
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

// Users alike stay at a wait that is exact, or leave together.
func TestSharedClusterAlike(t *testing.T) {
	check := near.Count(t)
	users := slices.Repeat([]User{{JobsPerH: 1, RunH: 2}}, 20)
	c := SharedCluster{Servers: 42, MaxWait: 15, ReservedUSD: 1, OnDemandUSD: 2}
	r := c.Rounds(users)
	if want := meanWait(20, .5, 42); len(r) != 1 || r[0].Leaving != 0 || check.Off(r[0].WaitH/want, 1, 1e-12) || check.Off(r[0].UsedUSD, 1.05, 1e-12) {
		t.Errorf("%+v, expected a wait of %v", r, want)
	}
	c.OnDemandUSD = 1.04
	if r = c.Rounds(users); len(r) != 2 || r[0].Leaving != 20 || len(r[1].Users) != 0 || !math.IsInf(r[1].UsedUSD, 1) {
		t.Errorf("%+v", r)
	}
}

// Those with short jobs leave; with servers that follow the load they go on doing so.
func TestSharedClusterRounds(t *testing.T) {
	var users []User
	for i := range 12 {
		run := math.Pow(3, float64(i)/2-3)
		users = append(users, User{JobsPerH: 3 / run, RunH: run})
	}
	fixed := SharedCluster{Servers: 37, MaxWait: 5, ReservedUSD: 1, OnDemandUSD: 3}
	follows := fixed
	follows.Utilisation = .98
	a, b := fixed.Rounds(users), follows.Rounds(users)
	if a[0].Leaving != b[0].Leaving || a[0].Leaving == 0 || len(b) <= len(a) || !(a[1].WaitH < a[0].WaitH) {
		t.Errorf("servers stay: %+v\nfollow: %+v", a, b)
	}
	for _, r := range a[1:] {
		if r.Servers != 37 || !(r.Users[0].RunH > users[0].RunH) {
			t.Errorf("%+v", r)
		}
	}
	if full := fixed.Rounds(append(users, User{JobsPerH: 1, RunH: 2})); !math.IsInf(full[0].WaitH, 1) || full[0].Leaving != 13 {
		t.Errorf("more work than servers: %+v", full)
	}
}
