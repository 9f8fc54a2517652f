package simtest

import (
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
)

// server starts jobs in their order on the first server with room, with one fault.
type server struct{ fault string }

func (server) Name() string { return "server" }

func (s server) Decide(v sim.View, plan *sim.Plan) {
	free := make([]int, v.Pools())
	for p := range free {
		free[p] = v.Pool(p).Quota
	}
	order := slices.Clone(v.ActiveJobs())
	if s.fault == "peeks" {
		slices.SortStableFunc(order, func(a, b int) int { return int(work(v, a) - work(v, b)) })
	}
	for _, j := range order {
		for p, n := range plan.Jobs[j].Hold {
			free[p] -= n
		}
	}
	for _, j := range order {
		need := v.Job(j).Model().(sim.GangModel).Gang()
		p := slices.IndexFunc(free, func(n int) bool { return n >= need })
		switch {
		case plan.Held(j) > 0, s.fault == "starves" && need == 4, p < 0 && s.fault != "overfills":
			continue
		case p < 0:
			p = 0
		}
		free[p] -= need
		if s.fault == "halves" && need > 1 {
			need--
		}
		plan.Place(j, p, need)
	}
}

func work(v sim.View, j int) float64 { return v.Job(j).Model().(sim.GangModel).Work() }

// Every check of the suite for clusters passes a plain scheduler, and finds the fault that is its own.
func TestClusterSuiteFinds(t *testing.T) {
	checks := map[string]func(*trial) error{
		"halves": (*trial).gangs, "overfills": (*trial).quotas, "peeks": (*trial).durations, "starves": (*trial).starvation,
	}
	for fault, check := range checks {
		for _, s := range []server{{}, {fault}} {
			x := newTrialOn(func(*sim.Market) sim.Policy { return s }, gangs, 0, Gangs(0, 40, 4, 24, 0.6), merged(10*24*time.Hour, Cluster(2, 3, 4)))
			if err := check(x); (err != nil) != (s.fault != "") {
				t.Errorf("fault %q: %v", s.fault, err)
			}
		}
	}
}
