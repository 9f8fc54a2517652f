package formulas

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
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
	for _, text := range []string{"", "jobs_per_h,mean_run_h\n", "jobs_per_h\n1\n", "jobs_per_h,mean_run_h\n1,0\n", "jobs_per_h,mean_run_h\nnan,1\n"} {
		if list, err := ReadUsers("u.csv", strings.NewReader(text)); err == nil {
			t.Errorf("%q: %v", text, list)
		}
	}
}

func FuzzReadUsers(f *testing.F) {
	f.Add("jobs_per_h,mean_run_h\n1,0.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		if users, err := ReadUsers("u.csv", strings.NewReader(text)); err == nil {
			if err := (&SharedCluster{Servers: 3}).Check(users); err != nil {
				t.Error(err)
			}
		}
	})
}
