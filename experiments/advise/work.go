package advise

import (
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// work is what a state tells of: the job of an objective, or the jobs that share a cluster (spec.Workload). The adviser
// asks it all in which they differ, and never which of them it is.
type work interface {
	// check refuses what a state says that there is no place for.
	check() error
	// open makes the jobs ready on the market until now, of which the instants of the state are read.
	open(in *reading) error
	// read reads what is held, and what was.
	read(in *reading, out *record) error
	// jobs returns the jobs of a run under a policy, by its number.
	jobs(policy int) []sim.Job

	// follow runs a world to now, before the policy decides.
	follow(w *sim.World, c sim.Config, policy sim.Policy) error
	// report sets the progress that was measured, and returns what is done by the model, and what is done.
	report(w *sim.World) (modelled, done float64, err error)
	// recorder returns what keeps the decision of now.
	recorder(into *decision) decisionRecorder
	// heldBySaid reports whether the state says what is held, so that nothing is known of machines that are down.
	heldBySaid() bool

	// draw makes of the jobs of a worker those of the k-th continuation after a view; below 0, as they are known.
	draw(jobs []sim.Job, v sim.View, k int)
	// limit returns the last instant of continuations that says something, end at the latest.
	limit(end sim.Time) sim.Time
	// lastDeadline is Never, or 0, where there is none.
	lastDeadline() sim.Time
	// nextDeadlineS is in seconds from the start; 0: there is none.
	nextDeadlineS() float64
	warnings() []string

	// outcome returns what a continuation came to, which costs so much in all.
	outcome(t *sim.Totals, usd float64) outcome
	// meanCompletionS is Row.MeanJCTS of continuations.
	meanCompletionS(all []outcome) *float64
	// complete adds to the advice what is expected of the jobs by the first policy.
	complete(out *Advice, first *trial)
}

// decisionRecorder keeps the decision of now, in a run that was followed until then.
type decisionRecorder interface {
	sim.Recorder
	// begin notes what is held before the decision.
	begin(v sim.View)
	// finish has the policy decide. Steady makes the world after now in which all that is asked for is granted.
	finish(w *sim.World, steady func() *sim.World)
}

// works makes the work of an adviser, by the spec's workload.
var works = map[spec.WorkloadKind]func(*adviser) work{
	spec.OneJob:   func(a *adviser) work { return &oneJob{adviser: a} },
	spec.ManyJobs: func(a *adviser) work { return &manyJobs{adviser: a} },
}
