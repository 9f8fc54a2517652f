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

// Users alike stay at a wait that is exact, or leave together.
func TestSharedClusterAlike(t *testing.T) {
	check := near.Count(t)
	users := slices.Repeat([]User{{JobsPerH: 1, RunH: 2}}, 20)
	c := SharedCluster{Servers: 42, MaxWait: 15, ReservedUSD: 1, OnDemandUSD: 2}
	r := c.Rounds(users)
	if want := MeanWait(20, .5, 42); len(r) != 1 || r[0].Leaving != 0 || check.Off(r[0].WaitH/want, 1, 1e-12) || check.Off(r[0].UsedUSD, 1.05, 1e-12) {
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
