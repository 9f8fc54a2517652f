package queueing

import (
	"math"
	"reflect"
	"testing"
)

func TestErlang(t *testing.T) {
	// Two servers and a load of 1: B = (1/2)/(1 + 1 + 1/2), C = B/(1 - (1/2)(1-B)).
	if got := ErlangB(2, 1); math.Abs(got-0.2) > 1e-15 {
		t.Errorf("B = %v, expected 0.2", got)
	}
	if got := ErlangC(2, 1); math.Abs(got-1.0/3) > 1e-15 {
		t.Errorf("C = %v, expected 1/3", got)
	}
	if got := ErlangC(1, 0.7); math.Abs(got-0.7) > 1e-15 {
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
	near := func(a, b Outcome) bool {
		return math.Abs(a.Wait-b.Wait) < 1e-9 && math.Abs(a.OnDemand-b.OnDemand) < 1e-9 && math.Abs(a.Price-b.Price) < 1e-9
	}
	if a, b := at(ShortWaitsWait, 1e5), at(AllJobsWait, 0); !near(a, b) {
		t.Errorf("long waits: %+v, AJW %+v", a, b)
	}
	if a, b := at(ShortWaitsWait, 0), at(NoJobsWait, 0); !near(a, b) {
		t.Errorf("no waits: %+v, NJW %+v", a, b)
	}
	c.Servers = 100
	if got := at(AllJobsWait, 0).Wait; !math.IsInf(got, 1) {
		t.Errorf("a full cluster: wait %v", got)
	}
}

// Every job runs somewhere, and the run repeats itself.
func TestWaitingRun(t *testing.T) {
	c := Cluster{Policy: AllWaitTimedOut, Arrivals: 1, Service: 0.1, Servers: 10, FixedPrice: 1, OnDemandPrice: 3, MaxWait: 5}
	r := Simulation{Warmup: 1000, Jobs: 100000, Seed: 1}
	a := r.Run(&c)
	if b := r.Run(&c); a != b {
		t.Errorf("two runs: %+v, %+v", a, b)
	}
	if want := c.ClosedForm(); math.Abs(a.Wait/want.Wait-1) > 0.03 || math.Abs(a.OnDemand-want.OnDemand) > 0.005 {
		t.Errorf("%+v, closed form %+v", a, want)
	}
}

func TestDefection(t *testing.T) {
	users := []User{{Hours: 60, MeanWait: 15, MeanRun: 1}, {Hours: 30, MeanWait: 1, MeanRun: 1}, {Hours: 10, MeanWait: 16, MeanRun: 1}}
	for name, x := range map[string]struct {
		d     Defection
		stay  []bool
		price float64
	}{
		"one waits too long":         {Defection{180, 3, 15}, []bool{true, true, false}, 2},
		"two do, and it is too dear": {Defection{180, 3, 10}, []bool{false, false, false}, 0},
		"two do, and it pays":        {Defection{180, 6, 10}, []bool{false, true, false}, 6},
	} {
		stay, price := x.d.Settle(users)
		if !reflect.DeepEqual(stay, x.stay) || price != x.price {
			t.Errorf("%s: %v at %v, expected %v at %v", name, stay, price, x.stay, x.price)
		}
	}
}
