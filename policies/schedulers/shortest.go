package schedulers

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Key is what a preemptive scheduler with knowledge of the jobs sorts them by, ascending.
type Key uint8

// The keys.
const (
	RemainingTime    Key = iota // shortest remaining time first (SRTF)
	RemainingService            // remaining time times GPUs (SRSF)
	Size                        // GPUs: the smallest job first
)

var keyNames = [...]string{"srtf", "srsf", "smallest-first"}

// keyFirst says which jobs go first.
var keyFirst = [...]string{"jobs with less time to run", "jobs with less GPU time to run", "jobs of fewer GPUs"}

// Shortest runs the jobs with the least of a key, and takes the GPUs of others for them. It
// knows how long jobs run, which no real scheduler does. Times are at a speed of 1.
type Shortest struct {
	Key Key
	// Placement is Anywhere or Closest.
	Placement Placement `set:"placement" names:"anywhere,closest" doc:"which of the free GPUs a job gets: anywhere, or closest (as close together as they are: one server, one rack, and so on)"`

	keys []float64
}

// Name implements sim.Policy.
func (s *Shortest) Name() string { return keyNames[s.Key] }

// Traits says what the policy is.
func (*Shortest) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true, KnowsWork: true}
}

// RentsOnDemand says that it takes nothing on demand.
func (*Shortest) RentsOnDemand() bool { return false }

// sorted is the list of the unfinished jobs, as it was sorted last: equal jobs keep the
// order that they had.
type sorted struct {
	gpus gpus
	jobs []int
}

// NewState implements sim.Stateful.
func (*Shortest) NewState(from, _ any) any {
	if was, ok := from.(*sorted); ok {
		return &sorted{was.gpus.clone(), slices.Clone(was.jobs)}
	}
	return &sorted{}
}

// Decide implements sim.Policy.
func (s *Shortest) Decide(v sim.View, plan *sim.Plan) {
	list := v.State().(*sorted)
	list.update(v, plan)
	list.gpus.watch(v, plan, s.Placement, func(j int) { list.gpus.stop(plan, j) })
	s.keys = policyutil.Resize(s.keys, v.Jobs())
	for _, j := range list.jobs {
		gpus := float64(gang(v, j).Gang())
		switch s.Key {
		case RemainingTime:
			s.keys[j] = v.Job(j).WorkLeft()
		case RemainingService:
			s.keys[j] = v.Job(j).WorkLeft() * gpus
		case Size:
			s.keys[j] = gpus
		}
	}
	slices.SortStableFunc(list.jobs, func(a, b int) int { return cmp.Compare(s.keys[a], s.keys[b]) })
	list.gpus.run(v, plan, s.Placement, list.jobs)
	if plan.Recorded() {
		sayFirst(v, plan, keyFirst[s.Key])
	}
}

// update drops the jobs that are done, and adds those that are new at the end.
func (l *sorted) update(v sim.View, plan *sim.Plan) {
	l.gpus.setUp(v)
	for _, change := range v.JobChanges() {
		switch change.What {
		case sim.JobSubmitted:
			l.jobs = append(l.jobs, change.Job)
			l.gpus.meet(v, plan, change.Job, Anywhere)
		case sim.JobFinished, sim.JobLost:
			l.gpus.freeAll(plan, change.Job)
			at := slices.Index(l.jobs, change.Job)
			l.jobs = slices.Delete(l.jobs, at, at+1)
		}
	}
}
