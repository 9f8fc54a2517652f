package advise

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// oneJob is the job of one of the spec's objectives.
type oneJob struct {
	adviser *adviser
	models  []sim.Model // by policy
}

func (o *oneJob) check() error {
	s, state := o.adviser.spec, o.adviser.state
	switch {
	case state.Done == nil && state.Loss == nil:
		return state.errorAt("$", "expected one of done and loss; none is given")
	case state.Done != nil && state.Loss != nil:
		return state.errorAt("$", "expected one of done and loss, not both")
	case state.DurationsSigma > 0:
		return state.errorAt("$.durations_sigma", "durations of a list, but the spec is of one job: expected a spec with jobs")
	case state.listsJobs():
		return state.errorAt("$.jobs", "jobs of a state, but the spec is of one job: expected a spec with jobs")
	case s.NoTraining() != nil:
		return s.ErrorAt("$.model."+s.NoTraining().Key, "advise is for a training job")
	}
	return nil
}

// open makes the model of each policy on the pools of the market.
func (o *oneJob) open(*reading) error {
	all, err := o.adviser.spec.Models()
	if err != nil {
		return err
	}
	if said := results.SpeedSaid(all[0].Warnings); said != "" {
		o.adviser.addWarning("speed: %s", said)
	}
	for i := range all {
		model, err := all[i].On(spec.PoolsOf(o.adviser.market))
		if err != nil {
			return err
		}
		o.models = append(o.models, model)
	}
	return nil
}

func (o *oneJob) read(in *reading, out *record) error {
	state := o.adviser.state
	for i := range state.Instances {
		l, err := in.life(fmt.Sprintf("$.instances[%d]", i), &state.Instances[i])
		if err != nil {
			return err
		}
		out.lifetimes[l.pool] = append(out.lifetimes[l.pool], l)
	}
	for i := range state.Requests {
		w, err := in.request(fmt.Sprintf("$.requests[%d]", i), &state.Requests[i])
		if err != nil {
			return err
		}
		out.waits = append(out.waits, w)
	}
	return nil
}

func (o *oneJob) jobs(policy int) []sim.Job {
	return []sim.Job{o.adviser.spec.Job(o.adviser.goal, o.models[policy])}
}

func (*oneJob) draw([]sim.Job, sim.View, int) {}

func (o *oneJob) follow(w *sim.World, c sim.Config, policy sim.Policy) error {
	return o.adviser.record.follow(w, c, policy)
}

func (o *oneJob) report(w *sim.World) (modelled, done float64, err error) {
	job := w.View().Job(0)
	state := o.adviser.state
	modelled = job.Done()
	if state.Done != nil {
		done = *state.Done
	} else {
		if !job.Begun() {
			w.Report(0, rounding) // begun on other layouts than this policy's: the loss says how far it is
		}
		done = job.DoneAt(*state.Loss)
		if !(done < 1) {
			return 0, 0, state.errorAt("$.loss",
				"%v is the objective's loss (%v) or below, or none that the model can reach: a job that is done "+
					"needs no advice", *state.Loss, o.objective().Loss)
		}
		done = max(done, 0)
	}
	if math.Abs(done-modelled) >= 1e-9 {
		w.Report(0, done)
	}
	return modelled, done, nil
}

func (o *oneJob) recorder(into *decision) decisionRecorder {
	return &jobRecorder{record: o.adviser.record, into: into}
}

func (*oneJob) heldBySaid() bool            { return true }
func (*oneJob) limit(end sim.Time) sim.Time { return end }
func (*oneJob) warnings() []string          { return nil }

func (o *oneJob) objective() sim.Objective { return o.jobs(0)[0].Objective }

func (o *oneJob) lastDeadline() sim.Time { return o.adviser.record.started.Add(o.objective().Within) }

func (o *oneJob) nextDeadlineS() float64 { return o.objective().Within.Seconds() }

func (o *oneJob) outcome(t *sim.Totals, usd float64) outcome {
	job := &t.Jobs[0]
	out := outcome{usd: usd, finish: math.Inf(1)}
	if job.Finished {
		out.finish = job.Elapsed.Seconds()
	}
	out.met = out.finish <= o.objective().Within.Seconds()*(1+1e-12)
	asked := &o.adviser.spec.Objectives[o.adviser.goal]
	kind := asked.Kind()
	run := objective.Run{
		USD:       out.usd,
		UsefulH:   job.Activities[sim.Useful].Hours(),
		InstanceH: job.InstanceTime.Hours(),
		Finished:  job.Finished,
		LateH:     max(0, (job.Elapsed - o.objective().Within).Hours()),
	}
	if kind.LateUSD != nil {
		out.usd += kind.LateUSD(*asked.GoalValue(), run)
	}
	if kind.Meets != nil {
		out.met = kind.Meets(*asked.GoalValue(), run)
	}
	return out
}

func (*oneJob) meanCompletionS([]outcome) *float64 { return nil }

// complete warns where what is done is not what the model says for what was held.
func (o *oneJob) complete(out *Advice, first *trial) {
	done, modelled := first.done, first.modelled
	off := math.Abs(done - modelled)
	if off <= 0.05*max(done, modelled) || off <= 0.01 {
		return
	}
	text := fmt.Sprintf("%.1f %% of the training is done, but the model says %.1f %% for the instances of the state",
		100*done, 100*modelled)
	const slowest, fastest = 0.01, 100 // as State.Speed can be
	speed := done / modelled
	if said := o.adviser.state.Speed; said > 0 {
		speed = done / modelled * said
	}
	if speed >= slowest && speed <= fastest {
		text += fmt.Sprintf(": if these are all that it ever had, speed: %.3g in the state, or a model that is "+
			"calibrated, agrees with it", speed)
	}
	out.Warnings = append(out.Warnings, text)
}
