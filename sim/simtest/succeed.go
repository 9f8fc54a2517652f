package simtest

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
)

// takeovers has a scheduler take over a cluster that another of its kind has run so far: where the run alone asks for
// no more than there is, so does it, and where all jobs end, all end.
func (x *trial) takeovers() error {
	alone := x.unrecorded()
	for at := 2 * time.Hour; at < 40*time.Hour; at += 9 * time.Hour {
		run := world(x.config(x.policy(x.market), x.seed, nil))
		if err := x.takeOver(run, sim.Time(0).Add(at), alone); err != nil {
			return fmt.Errorf("taken over after %v: %w", at, err)
		}
	}
	return nil
}

// takeOver has the scheduler take over at the first decision from an instant on.
func (x *trial) takeOver(w *sim.World, at sim.Time, alone *sim.Totals) error {
	for w.NextDecision() {
		if w.Now() < at {
			continue
		}
		w.Succeed(x.policy(x.market))
		for _, j := range w.View().ActiveJobs() {
			if ran, since := w.View().Job(j).Ran(), w.Now().Sub(w.View().Job(j).Submitted()); ran < 0 || ran > since {
				return fmt.Errorf("job %d ran for %v of the %v since its submission", j, ran, since)
			}
		}
		break
	}
	totals := w.Run()
	if alone.QuotaRefusals == 0 && totals.QuotaRefusals > 0 {
		return fmt.Errorf("it asks for %d instances more than there are", totals.QuotaRefusals)
	}
	for j := range totals.Jobs {
		if alone.Jobs[j].Finished && !totals.Jobs[j].Finished {
			return fmt.Errorf("job %d does not end; without it, it does", j)
		}
	}
	return nil
}
