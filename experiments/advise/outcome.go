package advise

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// outcome is how a continuation ended.
type outcome struct {
	usd    float64 // in all, from the start
	finish float64 // seconds from the start; +Inf: not by the horizon
}

// trial is one policy's decision now, and what becomes of it.
type trial struct {
	decision decision
	spent    float64 // until now
	done     float64 // now
	modelled float64 // now, by the model and what was held
	outcomes []outcome
}

// outcomeOf reads the totals of a continuation.
func outcomeOf(t *sim.Totals, offset float64) outcome {
	job := &t.Jobs[0]
	bill := t.Bill
	out := outcome{usd: bill.Total() + offset, finish: math.Inf(1)}
	if job.Finished {
		out.finish = job.Elapsed.Seconds()
	}
	return out
}
