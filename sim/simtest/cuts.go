package simtest

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
)

// cuts ends the run early, at a few instants, and compares what is done then with what was done by then: as much, and
// no more where the job waits. A Linear job that waits has at most what it goes on with, if nothing ends until then.
func (x *trial) cuts() error {
	for k := range time.Duration(5) {
		at := sim.Time(0).Add(suiteSpan * (k + 1) / 6)
		whole := world(x.config(x.policy(x.market), x.seed, nil))
		if !whole.RunUntil(at) {
			return nil // it is over
		}
		cut, err := x.until(at)
		if err != nil {
			return err
		}
		for j := range cut.Jobs {
			job := whole.View().Job(j)
			is := cut.Jobs[j].Done
			was := job.Done()
			waits := !job.Training() && job.Paused() == sim.Never
			if is > was || !waits && is < was {
				return fmt.Errorf("cut at %v job %d has done %v, and %v without the cut", at.Sub(0), j, is, was)
			}
			_, linear := x.jobs[j].Model.(Linear)
			on := x.goesOn(j, at)
			if !waits || !linear || on == sim.Never {
				continue
			}
			later, err := x.until(on)
			if err != nil {
				return err
			}
			if later := later.Jobs[j].Done; is > later {
				return fmt.Errorf("cut at %v, where it waits, job %d has done %v; when it goes on at %v it has %v",
					at.Sub(0), j, is, on.Sub(0), later)
			}
		}
	}
	return nil
}

// until returns the totals of the run that ends at an instant. The last that is recorded says the same.
func (x *trial) until(end sim.Time) (sim.Totals, error) {
	var d diary
	config := x.config(x.policy(x.market), x.seed, &d)
	config.Horizon = end.Sub(0)
	totals := clone(world(config).Run())
	for j, is := range d.spans[len(d.spans)-1].Jobs {
		job := &totals.Jobs[j]
		if is.Done != job.Done || is.Loss != job.Loss {
			return totals, fmt.Errorf("cut at %v job %d has done %v, at a loss of %v; the last span says %v and %v",
				end.Sub(0), j, job.Done, job.Loss, is.Done, is.Loss)
		}
	}
	return totals, nil
}

// goesOn returns when job j, which waits at an instant, does so no more; Never also if an instance of it ends before.
func (x *trial) goesOn(j int, at sim.Time) sim.Time {
	on := sim.Never
	for i := range x.recorded.spans {
		span := &x.recorded.spans[i]
		if span.From > at && span.Jobs[j].Activity != sim.Waiting {
			on = span.From
			break
		}
	}
	for _, i := range x.recorded.held {
		if i.job == j && i.over && i.last > at && i.last <= on {
			return sim.Never
		}
	}
	return on
}
