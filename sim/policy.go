package sim

import "time"

// Policy decides what to hold. Its exported fields are its settings. Decide may
// keep scratch memory in unexported fields, but its decision is a function of
// the View and the settings alone, so that a fork can go its own way.
type Policy interface {
	// Name is how a spec calls the policy.
	Name() string
	// Decide looks at the world and changes the plan. It allocates nothing
	// when warm. The plan arrives as it was left the last time.
	Decide(v View, plan *Plan)
}

// PriceWatcher is a Policy that wants to be asked whenever a price changes.
type PriceWatcher interface{ WatchPrices() }

// Oracle is a Policy that knows the future, or is spared what others pay
// (JobPlan.Free): a bound, which results say.
type Oracle interface{ KnowsFuture() }

// Plan is what a policy wants, until it says otherwise.
type Plan struct {
	Jobs []JobPlan

	wake       Time
	again      bool
	now        Time
	why        string
	every      time.Duration // Remember
	keep       int
	forked     bool // since the last decision
	forget     bool // a fork's policy remembers other instants
	recorded   bool
	inputs     []Input
	candidates []Candidate
}

// JobPlan is what a policy wants for one job.
type JobPlan struct {
	// Hold is the number of instances wanted by pool, not counting those under
	// notice: they train on until they go. More than there are is a request,
	// which waits until there is capacity; fewer is a release.
	Hold []int
	// Pipelines and Stages lay the job out; 0 trains data-parallel on all.
	Pipelines, Stages int
	// Workers is the number of instances for which training is set up when it
	// begins (Model.Begin), for a policy that asks for more than it means to train
	// on; 0 is all that Hold wants.
	Workers int
	// Servers is the number of parameter servers; it begins as
	// Job.ParameterServers says.
	Servers int
	// AcrossZones places consecutive stages in different pools (zones) where it can;
	// else instances are placed in the order of their grants.
	AcrossZones bool
	// Refill asks now for the holes of the pipelines to be filled.
	Refill bool
	// Drain takes instances out of the layout as soon as they are under
	// notice: what their places held goes to others while they can still send it.
	Drain bool
	// Restart has every change of layout begin with a restart, where the model
	// could go on without one (Change.Restart).
	Restart bool
	// Free has changes of layout cost nothing: no policy can do that, it is for
	// bounds.
	Free bool
	// Save asks for a checkpoint now.
	Save bool
}

// Total returns the number of instances wanted.
func (j *JobPlan) Total() int {
	n := 0
	for _, k := range j.Hold {
		n += k
	}
	return n
}

// check panics if the plan wants a negative number of parameter servers or
// of workers.
func (p *JobPlan) check() {
	if p.Servers < 0 || p.Workers < 0 {
		panic("sim: Plan: a negative number of parameter servers or workers")
	}
}

// Clear wants nothing.
func (j *JobPlan) Clear() { clear(j.Hold) }

// WakeIn asks to be asked again after d, which is positive. Without it the
// policy is asked when something that it can see happens.
func (p *Plan) WakeIn(d time.Duration) {
	if d <= 0 {
		panic("sim: Plan.WakeIn: the span must be positive")
	}
	p.wake = min(p.wake, p.now.Add(d))
}

// AskAgain asks to be asked again at this very instant, when the plan is in force:
// what was granted or is ready at once, and how the job is laid out, is seen then.
// The trigger is TriggerAgain. A policy that is never content panics.
func (p *Plan) AskAgain() { p.again = true }

// Wake returns the instant at which the policy is to be asked again, Never if
// it has not said so.
func (p *Plan) Wake() Time { return p.wake }

// Remember asks the world to keep, from the first decision on, the numbers of
// instances at the last keep of the instants that lie every apart, counted from
// the start of the run: see JobView.Past. It is the same in all decisions; the
// policy of a fork may begin anew with others than its parent's.
func (p *Plan) Remember(every time.Duration, keep int) {
	other := p.keep > 0 && (p.every != every || p.keep != keep)
	if every <= 0 || keep < 1 || other && !p.forked {
		panic("sim: Plan.Remember: a span and a number above 0 are expected, and the same as before")
	}
	p.every, p.keep, p.forget = every, keep, p.forget || other
}

// SetReason notes the reason of the decision for the record. It takes constant
// strings: a formatted one would allocate.
func (p *Plan) SetReason(why string) { p.why = why }

// Trigger says why a policy is asked; several may hold at one instant.
type Trigger uint16

// The triggers.
const (
	TriggerStart  Trigger = 1 << iota // the run begins, or a job is submitted
	TriggerGrant                      // a waiting request was granted
	TriggerReady                      // an instance became ready
	TriggerNotice                     // an instance is announced to go
	TriggerGone                       // an instance was taken
	TriggerPrice                      // a price changed (PriceWatcher only)
	TriggerJob                        // a job finished, or a save ended
	TriggerWake                       // the policy asked for it (Plan.WakeIn)
	TriggerAgain                      // the policy asked for it, at this instant (Plan.AskAgain)
)

var triggerNames = [...]string{"start", "grant", "ready", "notice", "gone", "price", "job", "wake", "again"}

// String joins the names of the triggers with a plus sign.
func (t Trigger) String() string {
	s := ""
	for i, name := range triggerNames {
		if t>>i&1 == 0 {
			continue
		}
		if s != "" {
			s += "+"
		}
		s += name
	}
	return s
}
