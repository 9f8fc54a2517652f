package policyutil

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// Where more than many instances start, a policy need not be asked whenever one of them is ready, but for the last few.
const (
	many = 128
	few  = 16
)

// looks is how often it is asked instead in the median time that they take to be ready.
const looks = 32

// AwaitMany has the policy that the world asks look now and then where very many instances of the only job start, and
// not at each that is ready. Where no more than 128 instances are held it does nothing.
func AwaitMany(v sim.View, plan *sim.Plan) {
	jobs := v.ActiveJobs()
	if len(jobs) != 1 {
		return
	}
	held := 0
	starting := 0
	longest := time.Duration(0)
	for p := range v.Pools() {
		of := v.Held(jobs[0], p)
		held += of.Active()
		starting += of.Starting
		if of.Starting > 0 {
			longest = max(longest, v.Pool(p).Boot.Median)
		}
	}
	if held > many && starting > few {
		plan.WaitFor(sim.AnyEvent &^ sim.TriggerReady)
		plan.WakeIn(max(longest/looks, time.Second))
	}
}
