package advise

import (
	"math"

	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/sim"
)

// trial is one policy's decision now, and what becomes of it.
type trial struct {
	decision decision
	spent    float64 // until now
	done     float64 // now
	modelled float64 // now, by the model and what was held
	outcomes []outcome
	errs     []error // by worker: why it could not be tried
}

// err is why a policy could not be tried, nil if it could.
func (t *trial) err() error {
	for _, err := range t.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// outcomeOf reads the totals of a continuation.
func (a *adviser) outcomeOf(t *sim.Totals, offset float64) outcome {
	bill := t.Bill
	out := outcome{usd: bill.Total() + offset, finish: math.Inf(1), met: true}
	if a.many == nil {
		if t.Jobs[0].Finished {
			out.finish = t.Jobs[0].Elapsed.Seconds()
		}
		out.met = out.finish <= a.objective().Within.Seconds()*(1+1e-12)
		asked := &a.spec.Objectives[a.goal]
		if meets := asked.Kind().Meets; meets != nil {
			job := &t.Jobs[0]
			out.met = meets(*asked.GoalValue(), objective.Run{USD: out.usd, UsefulH: job.Activities[sim.Useful].Hours(),
				InstanceH: job.InstanceTime.Hours()})
		}
		return out
	}
	out.finish = 0
	for j := range t.Jobs {
		at, of := math.Inf(1), &a.many.jobs[j]
		if t.Jobs[j].Finished {
			at = (of.Submit + t.Jobs[j].Elapsed).Seconds()
		}
		out.jobs, out.finish = append(out.jobs, at), max(out.finish, at)
		out.met = out.met && inTime(of, at)
	}
	return out
}

// inTime reports whether a job that is done n seconds after the start meets its deadline; it does if it has none.
func inTime(j *sim.Job, at float64) bool {
	return j.Objective.Within == sim.NoDeadline || at <= (j.Submit+j.Objective.Within).Seconds()*(1+1e-12)
}

// decision is what a policy decides now.
type decision struct {
	Changes    []Change
	Save       bool
	Reason     string
	Servers    int
	Pipelines  int
	Stages     int
	Inputs     []sim.Input
	Candidates []sim.Candidate
	hold       []int
	jobs       []JobChange
	next       sim.Time // when it is asked again at the latest
	atMost     *int     // of the requests, nil: all
	order      []string // of the pools in which to request, with atMost
	handOver   []Where
}
