package safe_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

// A policy that saves trains a job of parameter servers too, which has nothing to save and no layout.
func TestCheckpointWithParameterServers(t *testing.T) {
	d := dice{Rand: sim.Rand{Seed: 5}, n: new(uint64), kind: "asp", capacity: "often"}
	name := ""
	types, makeJob, _ := d.job(t, &name)
	m := d.pools(t, types, 1, &name)
	job := makeJob(m)
	job.Objective.Within = time.Second
	soonest, _, _ := run(t, ondemand.New(), m, job, 5)
	job.Objective.Within = 2 * soonest.Elapsed
	p, err := policies.New("safe:checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	r, _, _ := run(t, p, m, job, 5)
	if !r.Finished || r.Elapsed > job.Objective.Within {
		t.Errorf("%s: finished %v after %v of %v", name, r.Finished, r.Elapsed, job.Objective.Within)
	}
}
