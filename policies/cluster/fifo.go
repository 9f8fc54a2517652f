package cluster

import (
	"github.com/marigram/marigram/sim"
)

// FIFO starts jobs in the order of their submission and lets them run to their end. With
// Consolidated placement it is the scheduler of YARN that Tiresias compares with (YARN-CS).
type FIFO struct {
	Placement Placement `set:"placement" names:"anywhere,consolidated" doc:"which GPUs a job may have: anywhere, or consolidated (as few servers as it fills, at one switch)"`
	// Backfill passes over a job that does not fit, else it keeps those behind it waiting.
	Backfill bool

	gpus gpus
}

// Name implements sim.Policy.
func (f *FIFO) Name() string {
	if f.Backfill {
		return "first-fit"
	}
	return "fifo"
}

// Decide implements sim.Policy.
func (f *FIFO) Decide(v sim.View, plan *sim.Plan) {
	f.gpus.count(v, plan)
	for _, j := range v.ActiveJobs() {
		if f.gpus.total == 0 {
			return
		}
		hold := plan.Jobs[j].Hold
		if held(hold) > 0 {
			continue
		}
		if !f.gpus.place(v, hold, gang(v, j).Gang(), f.Placement) && !f.Backfill {
			return
		}
	}
}
