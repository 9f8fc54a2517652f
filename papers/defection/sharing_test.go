package defection

import (
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/internal/queue"
)

// Every recorded round of every case, by an independent program.
func TestRoundsAsRecorded(t *testing.T) {
	check := near.Count(t)
	users, cases := map[string][]User{}, map[string][]Round{}
	for _, r := range testutil.Rows(t, "papers/defection/testdata/defection_users.csv") {
		users[r["users"]] = append(users[r["users"]], User{testutil.Number(t, r["jobs_per_h"]), testutil.Number(t, r["mean_run_h"])})
	}
	for _, r := range testutil.Rows(t, "papers/defection/testdata/defection_rounds.csv") {
		number := func(column string) float64 { return testutil.Number(t, r[column]) }
		if r["round"] == "0" {
			c := SharedCluster{Servers: int(number("servers")), MaxWait: number("theta"), ReservedUSD: number("reserved_usd_per_server_h"),
				OnDemandUSD: number("on_demand_usd_per_h")}
			if r["resize_to_utilisation"] != "" {
				c.Utilisation = number("resize_to_utilisation")
			}
			cases[r["case"]] = c.Rounds(users[r["users"]])
		}
		at := int(number("round"))
		if at >= len(cases[r["case"]]) {
			t.Errorf("%v: only %d rounds", r, len(cases[r["case"]]))
			continue
		}
		x := &cases[r["case"]][at]
		if len(x.Users) != int(number("staying")) || x.Leaving != int(number("leaving")) || x.Servers != int(number("servers")) {
			t.Errorf("%v: %d users, %d leaving, %d servers", r, len(x.Users), x.Leaving, x.Servers)
		}
		for column, got := range map[string]float64{"used_servers": x.Load, "mean_wait_h": x.WaitH, "price_usd_per_used_h": x.UsedUSD} {
			if want := number(column); got != want && check.Off(got, want, 1e-6*max(1, math.Abs(want))) {
				t.Errorf("%v: %s is %v", r, column, got)
			}
		}
	}
}

// By peak, users of little work pay most for a used hour, and leave first.
func TestByPeak(t *testing.T) {
	check := near.Count(t)
	small, large := User{JobsPerH: 0.1, RunH: 1}, User{JobsPerH: 30, RunH: 1}
	for u, want := range map[User]int{small: 1, large: 43, {JobsPerH: 1e-6, RunH: 1}: 1, {JobsPerH: 2000, RunH: 1}: 2105} {
		if got := u.Peak(); got != want {
			t.Errorf("peak of %+v: %d, want %d", u, got, want)
		}
	}
	users := []User{small, large}
	c := SharedCluster{Servers: 45, MaxWait: 15, ReservedUSD: 1, OnDemandUSD: 2, Tariff: ByPeak}
	r := c.Rounds(users) // 45 USD by 1 + 43: 1.02 USD for 0.1 servers used, 44 for 30
	if r[0].Leaving != 1 || r[1].Users[0] != large || len(r) != 2 || check.Off(r[0].Left, 0.1, 1e-12) {
		t.Errorf("%+v", r)
	}
	c.Tariff = ByUse
	if r = c.Rounds(users); r[0].Leaving != 0 {
		t.Errorf("by use: %+v", r)
	}
}

// Users alike wait as Erlang says; the same run has the same result.
func TestSharedSimulation(t *testing.T) {
	check := near.Count(t)
	users := slices.Repeat([]User{{JobsPerH: 2, RunH: 1}}, 5)
	r := SharedSimulation{Warmup: 5000, Jobs: 50000, Seed: 1}
	mean, stderr := r.Mean(users, 13, 6)
	if want := SharedWait(users, 13); check.Off(mean, want, 4*stderr) || check.Above(stderr, 0.1*want) {
		t.Errorf("%v +- %v h, want %v", mean, stderr, want)
	}
	if a, b := r.WaitH(users, 13), r.WaitH(users, 13); a != b {
		t.Errorf("two runs: %v, %v", a, b)
	}
	if !math.IsInf(r.WaitH(users, 10), 1) || r.WaitH(nil, 10) != 0 {
		t.Error("as much work as servers, or no users")
	}
}

func TestSharedClusterCheck(t *testing.T) {
	good := SharedCluster{Servers: 1, MaxWait: 15, ReservedUSD: 1, OnDemandUSD: 2}
	if err := good.Check([]User{{1, 1}}); err != nil {
		t.Error(err)
	}
	for _, spoil := range []func(c *SharedCluster, u *User){
		func(c *SharedCluster, _ *User) { c.Servers = 0 }, func(c *SharedCluster, _ *User) { c.Utilisation = 1 },
		func(c *SharedCluster, _ *User) { c.MaxWait = math.NaN() }, func(c *SharedCluster, _ *User) { c.OnDemandUSD = -1 },
		func(_ *SharedCluster, u *User) { u.RunH = 0 }, func(_ *SharedCluster, u *User) { u.JobsPerH = math.Inf(1) },
	} {
		c, users := good, []User{{1, 1}}
		spoil(&c, &users[0])
		if c.Check(users) == nil {
			t.Errorf("%+v, %v", c, users)
		}
	}
	if _, err := Population("none"); err == nil {
		t.Error("no such population")
	}
}

// Users alike stay at a wait that is exact, or leave together.
func TestSharedClusterAlike(t *testing.T) {
	check := near.Count(t)
	users := slices.Repeat([]User{{JobsPerH: 1, RunH: 2}}, 20)
	c := SharedCluster{Servers: 42, MaxWait: 15, ReservedUSD: 1, OnDemandUSD: 2}
	r := c.Rounds(users)
	if want := queue.MeanWait(20, .5, 42); len(r) != 1 || r[0].Leaving != 0 || check.Off(r[0].WaitH/want, 1, 1e-12) || check.Off(r[0].UsedUSD, 1.05, 1e-12) {
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
