package deadline

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Settings are those of all rules.
type Settings struct {
	Instances  int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"instances on which the job trains, all at once; 0 takes the smallest number that leaves time to wait for spot, or else that meets the deadline"`
	Changeover time.Duration `set:"changeover_s" min:"0" max:"86400" doc:"time that the rule assumes for each changeover to another machine; 0 derives it from the boots and the model's restart"`
	Poll       time.Duration `set:"poll_s" min:"1" max:"86400" doc:"time between decisions; the rule compares times in multiples of it"`
}

// follower follows a rule of Can't Be Late (NSDI 2024) in the simulated world, for a job on a fixed number of
// instances of one type. While the job has no instances it requests them in all spot pools. While it is on demand it
// also requests spot, if the rule would take it; it releases fewer than it needs, and requests again at the next
// poll.
//
// The rules say nothing of saves: in the authors' simulator work that is done is kept, and a save takes nothing. So
// saves that take nothing are made at every poll. Others are made on spot at the interval of all policies that plan
// clusters (policyutil.SaveInterval), sooner where a loss of what is not saved would be late, and before announced
// losses; on demand, where nothing is lost unless machines fail, only before it is left.
type follower struct {
	sizing
	saver     policyutil.LossSaver
	rule      func(s *State, parameter float64) Machine
	parameter float64

	n     int // instances of the job of the decision; scratch memory, as is the next
	state State
}

// follow decides for all jobs.
func (f *follower) follow(v sim.View, settings *Settings, plan *sim.Plan) {
	f.changeover = settings.Changeover
	f.poll = settings.Poll
	for j := range v.Jobs() {
		if v.Job(j).Active() {
			f.decide(v, j, settings.Instances, plan)
		}
	}
}

// decide decides for job j on so many instances, 0: as many as it needs.
func (f *follower) decide(v sim.View, j, instances int, plan *sim.Plan) {
	job := v.Job(j)
	jobPlan := &plan.Jobs[j]
	f.listBoots(v)
	f.n = instances
	if f.n == 0 {
		f.n = f.size(job.Model(), job.Objective(), job.Servers(), maxAtOnce(v))
	}
	if model, ok := job.Model().(sim.PipelineModel); ok {
		jobPlan.Pipelines, jobPlan.Stages = model.Best(f.n)
	}
	jobPlan.Workers = f.n // of all that every zone is asked for
	f.observe(v, j)
	since := v.Now().Sub(job.Deadline().Add(-job.Objective().Within))
	plan.WakeIn(f.poll - since%f.poll)
	answer := f.rule(&f.state, f.parameter)
	plan.AddInput("work left", f.state.Work-f.state.Done, "s")
	plan.AddInput("time left", f.state.Deadline-f.state.Now, "s")
	expensive := onDemandPool(v, f.n)
	if expensive < 0 && answer == OnDemandMachine {
		answer = SpotMachine // no pool on demand is large enough
	}
	if f.state.Running == OnDemandMachine && answer != OnDemandMachine && !policyutil.Saved(v, j, plan) {
		return
	}
	if answer == OnDemandMachine {
		f.holdOnDemand(v, j, expensive, since%f.poll == 0, plan)
	} else {
		policyutil.RequestSpot(v, j, f.n, plan)
		plan.SetReason("on spot, or waiting for it")
	}
	f.keepSaved(v, j, plan)
}

// keepSaved has job j saved when it is time.
func (f *follower) keepSaved(v sim.View, j int, plan *sim.Plan) {
	switch {
	case v.Job(j).SaveTime() == 0:
		policyutil.KeepSaved(v, j, f.poll, true, plan)
	case f.state.Running == OnDemandMachine:
		f.saver.SaveOnDemand(v, j, plan)
	default:
		spare := f.state.Deadline - f.state.Now - f.state.Left() - 2*f.state.Changeover
		every := policyutil.SaveInterval(v, j)
		inTime := f.poll
		if spare > f.poll.Seconds() { // not of a job that cannot be done at all, of which nothing is known
			inTime = time.Duration(spare * 1e9)
		}
		policyutil.KeepSaved(v, j, min(every, inTime), true, plan)
	}
}

// holdOnDemand holds instances on demand. Grants on spot are released; a request for spot stays while it waits and the
// rule would take it, and is made again at a poll.
func (f *follower) holdOnDemand(v sim.View, j, expensive int, poll bool, plan *sim.Plan) {
	hold := plan.Jobs[j].Hold
	granted := 0
	for p := range hold {
		if !v.Pool(p).OnDemand {
			granted += v.Held(j, p).Active()
		}
	}
	f.state.Available = true
	if granted > 0 || f.rule(&f.state, f.parameter) == OnDemandMachine {
		clear(hold)
	} else if poll && v.Trigger()&sim.TriggerAgain == 0 {
		policyutil.RequestSpot(v, j, f.n, plan)
		plan.AskAgain() // some may be granted at once
	}
	active := v.Held(j, expensive).Active()
	hold[expensive] = active
	hold[expensive] += min(max(f.n-active, 0), policyutil.Headroom(v, plan, j, expensive))
	plan.SetReason("on demand")
}

// observe fills in what the rule may know. Times are those of useful work on the job's number of instances.
func (f *follower) observe(v sim.View, j int) {
	job := v.Job(j)
	within := job.Objective().Within
	since := v.Now().Sub(job.Deadline().Add(-within))
	f.state = State{
		// A decision a microsecond after a poll, to see whether a save is safe, is part of it.
		Now:      since.Truncate(time.Millisecond).Seconds(),
		Deadline: within.Seconds(),
		Grain:    f.poll.Seconds(),
		Work:     f.work(job.Model(), job.Objective(), job.Servers(), f.n),
	}
	state := &f.state
	state.Changeover = f.changing(job.Model(), f.n)
	spot := 0
	ready := 0
	expensive := 0
	for p := range v.Pools() {
		held := v.Held(j, p)
		if v.Pool(p).OnDemand {
			expensive += held.Active()
		} else {
			spot += held.Active()
			ready += held.Ready
		}
	}
	state.Available = spot >= f.n
	offered := v.Trigger()&sim.TriggerGrant != 0 && ready == 0 // the rule may still refuse it
	if expensive > 0 {
		state.Running = OnDemandMachine
	} else if state.Available && !offered {
		state.Running = SpotMachine
	}
	if !job.Training() {
		state.Warming = state.Changeover
	}
	state.Done = job.Done() * state.Work
}

// onDemandPool returns the cheapest on-demand pool with a quota of at least n, -1
// if there is none.
func onDemandPool(v sim.View, n int) int {
	best := -1
	for p := range v.Pools() {
		if v.Pool(p).OnDemand && v.Pool(p).Quota >= n && (best < 0 || v.Price(p) < v.Price(best)) {
			best = p
		}
	}
	return best
}

// Greedy trains on spot whenever there is capacity, else waits, and moves to on demand when the time left just suffices
// (Can't Be Late, NSDI 2024).
type Greedy struct {
	Settings
	follower follower
}

// Name implements sim.Policy.
func (*Greedy) Name() string { return "greedy" }

// Decide implements sim.Policy.
func (p *Greedy) Decide(v sim.View, plan *sim.Plan) {
	p.follower.rule = func(s *State, _ float64) Machine { return s.Greedy() }
	p.follower.follow(v, &p.Settings, plan)
}

// TimeSliced divides the time into slices and is greedy in each: by its end its share of the work is done (Can't Be
// Late, NSDI 2024). Work beyond that share is done on spot only.
type TimeSliced struct {
	Settings
	Slices int `set:"slices" min:"1" max:"10000" doc:"number of slices of the objective time"`

	follower follower
}

// Name implements sim.Policy.
func (*TimeSliced) Name() string { return "time-sliced" }

// Decide implements sim.Policy.
func (p *TimeSliced) Decide(v sim.View, plan *sim.Plan) {
	p.follower.rule = (*State).TimeSliced
	p.follower.parameter = float64(p.Slices)
	p.follower.follow(v, &p.Settings, plan)
}

// UniformProgress trains on spot whenever there is capacity, and on demand when it is behind an even pace (Can't Be
// Late, NSDI 2024). It leaves on demand for spot only when it is ahead of the even pace by some changeovers.
type UniformProgress struct {
	Settings
	Hysteresis float64 `set:"hysteresis" min:"-1" max:"100" doc:"lead, in changeovers, needed to leave on-demand; below 0 leaves whenever spot is available"`

	follower follower
}

// Name implements sim.Policy.
func (*UniformProgress) Name() string { return "uniform-progress" }

// Decide implements sim.Policy.
func (p *UniformProgress) Decide(v sim.View, plan *sim.Plan) {
	p.follower.rule = (*State).Uniform
	p.follower.parameter = p.Hysteresis
	if p.Hysteresis < 0 {
		p.follower.parameter = math.NaN()
	}
	p.follower.follow(v, &p.Settings, plan)
}
