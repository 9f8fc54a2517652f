package safe_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

// Slow instances under notice, which would stay until they go, do not slow down what meets the deadline on demand: of
// asynchronous workers on five types some runs ended seconds late.
func TestLeavingInstancesDoNotSlowOnDemand(t *testing.T) {
	const seed = 997_005*1_000_003 + 19
	d := dice{Rand: sim.Rand{Seed: seed}, n: new(uint64)}
	name := ""
	types, makeJob, _ := d.job(t, &name)
	m := d.pools(t, types, 1, &name)
	job := makeJob(m)
	job.Objective.Within = time.Second
	soonest, _, _ := run(t, ondemand.New(), m, job, seed)
	for _, n := range []int{2, 5, 9} {
		job.Objective.Within = within(soonest.Elapsed, n)
		p, err := policies.New("mdp")
		if err == nil {
			err = policies.Configure(p, map[string]any{"grid": 30})
		}
		if err != nil {
			t.Fatal(err)
		}
		r, _, _ := run(t, p, m, job, seed)
		if !r.Finished || r.Elapsed > job.Objective.Within {
			t.Errorf("%s: finished %v after %v of %v", name, r.Finished, r.Elapsed, job.Objective.Within)
		}
	}
}
