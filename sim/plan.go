package sim

import (
	"math"
	"time"
)

// Plan is what a policy wants. It stays in force until the policy changes it.
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
	mode       int
	recorded   bool
	waits      []wait
	chosen     bool    // WaitFor was called
	skip       Trigger // for which the policy is not asked
	before     []wait  // waits, chosen and skip of the decision before
	hadChosen  bool
	hadSkipped Trigger
	sparse     bool  // it is written by parts
	edited     []int // jobs that it changed
	inputs     []Input
	candidates []Candidate
}

// JobPlan is what a policy wants for one job.
type JobPlan struct {
	// Hold is the number of instances wanted by pool, not counting those under
	// notice, which train until they go. More than the job has is a request, which
	// waits for capacity; fewer is a release.
	Hold []int
	// Pipelines and Stages lay the job out; 0 trains data-parallel on all.
	Pipelines, Stages int
	// Workers is the number of instances for which training is set up when it
	// begins (Model.Begin), for a policy that requests more than it means to train
	// on; 0 means all of Hold. Once it trains on more, what it gained over being set up for
	// all of Hold is taken back.
	Workers int
	// Servers is the number of parameter servers; at first Job.ParameterServers.
	Servers int
	// AcrossZones places consecutive stages in different pools (zones) where it can;
	// else instances are placed in the order of their grants.
	AcrossZones bool
	// Refill asks for the holes of the pipelines to be filled now.
	Refill bool
	// Drain takes instances out of the layout as soon as they are under notice, so
	// that others can get their state while they are still there.
	Drain bool
	// Restart makes every change of layout begin with a restart, even where the
	// model could do without (Change.Restart).
	Restart bool
	// Free makes changes of layout cost nothing. No real policy can; it is for
	// bounds, and the world panics where a policy that is no oracle sets it.
	Free bool
	// Save asks for a checkpoint now.
	Save bool
	// GiveBack lists instances (JobView.Instances) that are given back first where Hold falls;
	// else those granted last are. The world empties it.
	GiveBack []Instance
	// Done ends the job now, and everything is given back: for a service, whose model has no
	// goal that it reaches.
	Done bool
	// GivenUp says with Done that the job ends unfinished.
	GivenUp bool
	// Linger is how long what the job holds when its training is done is paid for after that, at the prices of then: a
	// tool keeps it for another job that does not come.
	Linger time.Duration
	// Priority orders the requests that wait for a pool, the highest first; those of one priority are
	// granted in the order of jobs.
	Priority int

	parts          []Part      // by parts, instead of Hold
	places         *poolPlaces // of the parts
	active, edited bool        // by parts: the job may be changed; it was
}

// empty makes it the plan of a job that holds nothing, in the memory that it has.
func (j *JobPlan) empty(spec *Job) {
	j.places.end()
	*j = JobPlan{Servers: spec.ParameterServers, GiveBack: j.GiveBack[:0], parts: j.parts[:0], places: j.places}
}

// Total returns the number of instances wanted, over all pools.
func (j *JobPlan) Total() int {
	n := 0
	for _, k := range j.Hold {
		n += k
	}
	if j.active {
		for _, part := range j.parts {
			n += int(part.N)
		}
	}
	return n
}

// refuse panics if the plan is none for a number of pools, or wants a negative number of
// parameter servers or of workers.
func (p *JobPlan) refuse() {
	if p.Servers < 0 || p.Workers < 0 {
		panic("sim: Plan: a negative number of parameter servers or workers")
	}
	panic("sim: Plan: Hold needs one number for each pool")
}

// WakeIn asks to be asked again after a span, which is positive. Without it the
// policy is asked when something that it can see happens. The world panics where a policy
// is woken 10,000 times in a row, each time within a millisecond.
func (p *Plan) WakeIn(span time.Duration) {
	if span <= 0 {
		panic("sim: Plan.WakeIn: the span must be positive")
	}
	p.wake = min(p.wake, p.now.Add(span))
}

// AskAgain asks to be asked again at the same instant, after the plan has taken
// effect: the policy then sees what was granted or is ready at once, and the layout.
// The trigger is TriggerAgain. The world panics if this does not end.
func (p *Plan) AskAgain() { p.again = true }

// AskOnce takes AskAgain back: for a policy around another one, where it does not take that one's plan.
func (p *Plan) AskOnce() { p.again = false }

// WakeNoSooner puts off what WakeIn has asked for until now to a span from now, if that is later: for a policy around
// another one, which would ask again at once for what it does not get.
func (p *Plan) WakeNoSooner(span time.Duration) { p.wake = max(p.wake, p.now.Add(span)) }

// Wake returns the instant at which the policy is to be asked again, Never if
// it has not said so.
func (p *Plan) Wake() Time { return p.wake }

// Remember asks the world to keep, from the first decision on, the number of each
// job's instances at instants that are every apart, counted from the start of the
// run: the last keep of them (JobView.Past). It has to be the same in all decisions;
// the policy of a fork may start with other values than its parent's.
func (p *Plan) Remember(every time.Duration, keep int) {
	other := p.keep > 0 && (p.every != every || p.keep != keep)
	if every <= 0 || keep < 1 || other && !p.forked {
		panic("sim: Plan.Remember: a span and a number above 0 are expected, and the same as before")
	}
	p.every = every
	p.keep = keep
	p.forget = p.forget || other
}

// SetMode notes a number for the decisions after this one, which see it as View.Mode,
// those of forks too: which of its modes a policy that has several is in.
func (p *Plan) SetMode(mode int) { p.mode = mode }

// reset makes the plan ready for a decision.
func (p *Plan) reset(now Time) {
	p.now = now
	p.wake = Never
	p.again = false
	p.why = ""
	if len(p.waits)+len(p.before) > 0 {
		p.waits, p.before = p.before[:0], p.waits
	}
	p.hadChosen = p.chosen
	p.hadSkipped = p.skip
	p.chosen = false
	p.skip = 0
	if p.recorded {
		p.inputs = p.inputs[:0]
		p.candidates = p.candidates[:0]
	}
}

// copyJobs makes p's jobs equal to those of src, in the memory of another plan.
func (p *Plan) copyJobs(old, src *Plan) {
	jobs := append(old.Jobs[:cap(old.Jobs)], make([]JobPlan, max(len(src.Jobs)-cap(old.Jobs), 0))...)[:len(src.Jobs)]
	for j := range src.Jobs {
		parts := append(jobs[j].parts[:0], src.Jobs[j].parts...)
		places := jobs[j].places.copyFrom(src.Jobs[j].places)
		none := jobs[j].GiveBack[:0] // what is given back is of the decision under way
		jobs[j] = src.Jobs[j]
		jobs[j].GiveBack = none
		jobs[j].parts = parts
		jobs[j].places = places
	}
	p.Jobs = jobs
	p.edited = append(old.edited[:0], src.edited...)
}

// Candidate is an option that a policy considered, for recorders.
type Candidate struct {
	Name   string  // a cluster, a layout or an action, in words
	Score  float64 // what options were compared by; any number
	Unit   string  // of the score
	Note   string  // another reason for or against it; may be empty
	Chosen bool
}

// Input is a number that a decision was based on, beside what its View shows.
type Input struct {
	Name  string
	Value float64
	Unit  string // empty for a count or a share
}

// Recorded reports whether there is a recorder: without one, a policy need not
// describe its candidates.
func (p *Plan) Recorded() bool { return p.recorded }

// AddInput records a number that the decision is based on. Without a recorder it
// does nothing.
func (p *Plan) AddInput(name string, value float64, unit string) {
	if p.recorded {
		p.inputs = append(p.inputs, Input{name, value, unit})
	}
}

// AddCandidate records a candidate; they are shown in the order of the calls. Without
// a recorder it does nothing.
func (p *Plan) AddCandidate(candidate Candidate) {
	if p.recorded {
		p.candidates = append(p.candidates, candidate)
	}
}

// Choose marks the last candidate of that name as the one chosen, if there is one.
func (p *Plan) Choose(name string) {
	for i := len(p.candidates) - 1; i >= 0; i-- {
		if p.candidates[i].Name == name {
			p.candidates[i].Chosen = true
			return
		}
	}
}

// Inputs returns the inputs of the decision; they are valid until the next one.
func (p *Plan) Inputs() []Input { return p.inputs }

// Candidates returns the candidates of the decision; they are valid until the next one.
func (p *Plan) Candidates() []Candidate { return p.candidates }

// SetReason records the reason of the decision. Give it a constant string: to format
// one would allocate.
func (p *Plan) SetReason(why string) { p.why = why }

// Reason returns what the policy gave to SetReason, for recorders.
func (p *Plan) Reason() string { return p.why }

// Trigger says why a policy is asked; several may hold at one instant.
type Trigger uint16

// The triggers.
const (
	TriggerStart  Trigger = 1 << iota // the run begins, or a job is submitted
	TriggerGrant                      // a waiting request was granted
	TriggerReady                      // an instance became ready
	TriggerNotice                     // the revocation of an instance is announced
	TriggerGone                       // an instance was taken
	TriggerPrice                      // a price changed (Traits.WatchesPrices only)
	TriggerJob                        // a job finished, or a save ended
	TriggerWake                       // the policy asked for it (Plan.WakeIn)
	TriggerAgain                      // the policy asked for it, at this instant (Plan.AskAgain)
	TriggerMet                        // a condition holds that the policy waited for (Plan.WakeWhen)
	TriggerRepair                     // a server that had failed is back (View.Down)
)

var triggerNames = [...]string{
	"start", "grant", "ready", "notice", "gone", "price", "job", "wake", "again", "met", "repair",
}

// String joins the names of the triggers with a plus sign.
func (t Trigger) String() string {
	names := ""
	for i, name := range triggerNames {
		if t>>i&1 == 0 {
			continue
		}
		if names != "" {
			names += "+"
		}
		names += name
	}
	return names
}

// Part is what a job is to hold of one pool.
type Part struct{ Pool, N int32 }

// Place sets how many instances of pool p job j is to hold. It panics if j is not active.
func (p *Plan) Place(j, pool, n int) {
	if n < 0 {
		panic("sim: Plan.Place: a negative number of instances")
	}
	if !p.sparse {
		p.Jobs[j].Hold[pool] = n
		return
	}
	job := p.Job(j)
	if k := job.part(pool); k >= 0 {
		job.parts[k].N = int32(n)
		return
	}
	job.parts = append(job.parts, Part{int32(pool), int32(n)})
	last := len(job.parts) - 1
	switch {
	case job.places.isOn():
		job.places.note(pool, last)
	case last == longList:
		job.places = job.places.begin()
		for k := range job.parts {
			job.places.note(int(job.parts[k].Pool), k)
		}
	}
}

// part returns the place of a pool in the parts of the plan, below 0 if it is not there.
func (p *JobPlan) part(pool int) int {
	if p.places.isOn() {
		return p.places.place(pool)
	}
	for k := range p.parts {
		if int(p.parts[k].Pool) == pool {
			return k
		}
	}
	return -1
}

// Stop makes job j hold nothing.
func (p *Plan) Stop(j int) {
	if !p.sparse {
		clear(p.Jobs[j].Hold)
		return
	}
	if job := &p.Jobs[j]; len(job.parts) > 0 {
		p.Job(j).parts = job.parts[:0]
		job.places.end()
	}
}

// Job returns the plan of job j for a change of it.
func (p *Plan) Job(j int) *JobPlan {
	job := &p.Jobs[j]
	if p.sparse && !job.edited {
		if !job.active {
			panic("sim: Plan: a job that is not submitted, or that is over")
		}
		job.edited = true
		p.edited = append(p.edited, j)
	}
	return job
}

// Held returns how many instances job j is to hold, over all pools.
func (p *Plan) Held(j int) int { return p.Jobs[j].Total() }

// Hold returns how many instances of a pool job j is to hold, in any world.
func (p *Plan) Hold(j, pool int) int {
	job := &p.Jobs[j]
	if !p.sparse {
		return job.Hold[pool]
	}
	if !job.active {
		return 0
	}
	if k := job.part(pool); k >= 0 {
		return int(job.parts[k].N)
	}
	return 0
}

// Parts returns what job j is to hold, in the order in which it was placed. It is valid until the plan of the job
// changes; of a job that is over it is what it held last. It is for a policy that plans by parts: in other worlds it is
// nil, see JobPlan.Hold.
func (p *Plan) Parts(j int) []Part { return p.Jobs[j].parts }

// Condition is something that a policy waits for (Plan.WakeWhen). The world works out when it
// holds, from what the policy cannot see too, and asks at that very instant.
type Condition struct {
	what  uint64 // the kind, and the number of the job or the pool; four fields, as Go keeps no more in registers
	x, y  uint64 // spans, and the bits of floating-point numbers
	every time.Duration
}

func condition(kind conditionKind, of int, x, y uint64) Condition {
	return Condition{what: uint64(kind)<<32 | uint64(uint32(of)), x: x, y: y}
}

func (c *Condition) kind() conditionKind { return conditionKind(c.what >> 32) }

func (c *Condition) of() int { return int(uint32(c.what)) }

func (c *Condition) prices() (low, high float64) {
	return math.Float64frombits(c.x), math.Float64frombits(c.y)
}

// wait is a condition that a decision named.
type wait struct {
	Condition
	since    Time // the instant of that decision
	named    bool // by the decision that is just over
	held     bool // at that decision, and ever since
	from, at Time // of a price: the first instant from from on at which it holds, once looked up
}

type conditionKind uint8

const (
	waited conditionKind = iota
	priceOutside
	reached
	outOfTime
)

// Waited holds while some request of job j has waited as long as span (JobView.WaitingSince).
func Waited(j int, span time.Duration) Condition {
	return condition(waited, j, uint64(Time(0).Add(span)), 0)
}

// PriceOutside holds while the price of a pool is below low or above high, USD per instance-hour.
func PriceOutside(pool int, low, high float64) Condition {
	return condition(priceOutside, pool, math.Float64bits(low), math.Float64bits(high))
}

// Reached holds while job j has done at least a share of its training (JobView.Done).
func Reached(j int, share float64) Condition {
	return condition(reached, j, math.Float64bits(share), 0)
}

// OutOfTime holds while what is left of job j takes longer than the time to its deadline without
// reserve, on a cluster that needs whole for the whole training: (1 - Done) * whole > Deadline -
// Now - reserve. A job that waits for it reaches its point of no return on that cluster.
func OutOfTime(j int, whole, reserve time.Duration) Condition {
	return condition(outOfTime, j, uint64(whole), uint64(reserve))
}

// Every returns the condition as a policy meets it that looks every so often, counted from the
// decision, which is not one of the times. It panics if the span is not positive.
func (c Condition) Every(span time.Duration) Condition {
	if span <= 0 {
		panic("sim: Condition.Every: the span must be positive")
	}
	c.every = span
	return c
}
