package deadline

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// follower follows a rule of Can't Be Late (NSDI 2024) in the simulated world, for
// a job on a fixed number of instances of one type. While the job has no instances
// it requests them in all spot pools. While it is on demand it also requests spot,
// if the rule would take it; it releases fewer than it needs, and requests again at
// the next poll. It saves at every poll, before announced losses, and before it
// changes machines.
type follower struct {
	sizing
	instances int
	rule      func(s *State, parameter float64) Machine
	parameter float64

	n     int // instances of the job of the decision; scratch memory, as is the next
	state State
}

// follow decides for all jobs.
func (d *follower) follow(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		if job := v.Job(j); job.Active() {
			d.decide(v, j, plan)
		}
	}
}

func (d *follower) decide(v sim.View, j int, plan *sim.Plan) {
	job, p := v.Job(j), &plan.Jobs[j]
	d.boots = d.boots[:0]
	for k := range v.Pools() {
		if b := v.Pool(k).Boot; !slices.Contains(d.boots[:min(len(d.boots), maxBoots)], b) {
			d.boots = append(d.boots, b)
		}
	}
	d.n = d.instances
	if d.n == 0 {
		d.n = d.size(job.Model(), job.Objective(), job.Servers(), atOnce(v))
	}
	if m, ok := job.Model().(sim.PipelineModel); ok {
		p.Pipelines, p.Stages = m.Best(d.n)
	}
	p.Workers = d.n // of all that every zone is asked for
	d.observe(v, j)
	s, expensive := &d.state, onDemandPool(v, d.n)
	since := v.Now().Sub(job.Deadline().Add(-job.Objective().Within))
	plan.WakeIn(d.poll - since%d.poll)
	answer := d.rule(s, d.parameter)
	plan.AddInput("work left", s.Work-s.Done, "s")
	plan.AddInput("time left", s.Deadline-s.Now, "s")
	if expensive < 0 && answer == OnDemandMachine {
		answer = SpotMachine // no pool on demand is large enough
	}
	if s.Running == OnDemandMachine && answer != OnDemandMachine && !policyutil.Saved(v, j, plan) {
		return
	}
	if answer == OnDemandMachine {
		d.onDemand(v, j, expensive, since%d.poll == 0, plan)
	} else {
		policyutil.RequestSpot(v, j, d.n, plan)
		plan.SetReason("on spot, or waiting for it")
	}
	policyutil.KeepSaved(v, j, d.poll, true, plan)
}

// onDemand holds instances on demand. Grants on spot are released; a request for
// spot stays while it waits and the rule would take it, and is made again at a
// poll.
func (d *follower) onDemand(v sim.View, j, expensive int, poll bool, plan *sim.Plan) {
	hold := plan.Jobs[j].Hold
	granted := 0
	for p := range hold {
		if !v.Pool(p).OnDemand {
			granted += v.Held(j, p).Active()
		}
	}
	d.state.Available = true
	switch {
	case granted > 0 || d.rule(&d.state, d.parameter) == OnDemandMachine:
		clear(hold)
	case poll && v.Trigger()&sim.TriggerAgain == 0:
		policyutil.RequestSpot(v, j, d.n, plan)
		plan.AskAgain() // some may be granted at once
	}
	hold[expensive] = v.Held(j, expensive).Active()
	hold[expensive] += min(max(d.n-hold[expensive], 0), policyutil.Headroom(v, plan, j, expensive))
	plan.SetReason("on demand")
}

// observe fills in what the rule may know. Times are those of useful work on the
// job's number of instances.
func (d *follower) observe(v sim.View, j int) {
	job, s := v.Job(j), &d.state
	since := v.Now().Sub(job.Deadline().Add(-job.Objective().Within))
	// A decision a microsecond after a poll, to see whether a save is safe, is part of it.
	*s = State{Now: since.Truncate(time.Millisecond).Seconds(), Deadline: job.Objective().Within.Seconds(), Grain: d.poll.Seconds()}
	s.Work = d.work(job.Model(), job.Objective(), job.Servers(), d.n)
	s.Changeover = d.changing(job.Model(), d.n)
	spot, ready, expensive := 0, 0, 0
	for p := range v.Pools() {
		if h := v.Held(j, p); v.Pool(p).OnDemand {
			expensive += h.Active()
		} else {
			spot += h.Active()
			ready += h.Ready
		}
	}
	s.Available = spot >= d.n
	offered := v.Trigger()&sim.TriggerGrant != 0 && ready == 0 // the rule may still refuse it
	switch {
	case expensive > 0:
		s.Running = OnDemandMachine
	case s.Available && !offered:
		s.Running = SpotMachine
	}
	if !job.Training() {
		s.Warming = s.Changeover
	}
	s.Done = job.Done() * s.Work
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

// Greedy trains on spot whenever there is capacity, else waits, and moves to on
// demand when the time left just suffices (Can't Be Late, NSDI 2024).
type Greedy struct {
	Instances  int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"instances on which the job trains, all at once; 0 takes the smallest number that leaves time to wait for spot, or else that meets the deadline"`
	Changeover time.Duration `set:"changeover_s" min:"0" max:"86400" doc:"time that the rule assumes for each changeover to another machine; 0 derives it from the boots and the model's restart"`
	Poll       time.Duration `set:"poll_s" min:"1" max:"86400" doc:"time between decisions; the rule compares times in multiples of it"`

	follower follower
}

// Name implements sim.Policy.
func (*Greedy) Name() string { return "greedy" }

// Decide implements sim.Policy.
func (p *Greedy) Decide(v sim.View, plan *sim.Plan) {
	p.follower.instances, p.follower.changeover, p.follower.poll = p.Instances, p.Changeover, p.Poll
	p.follower.rule, p.follower.parameter = func(s *State, _ float64) Machine { return s.Greedy() }, 0
	p.follower.follow(v, plan)
}

// TimeSliced divides the time into slices and is greedy in each: by its end its
// share of the work is done (Can't Be Late, NSDI 2024). Work beyond that share is
// done on spot only.
type TimeSliced struct {
	Instances  int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"instances on which the job trains, all at once; 0 takes the smallest number that leaves time to wait for spot, or else that meets the deadline"`
	Changeover time.Duration `set:"changeover_s" min:"0" max:"86400" doc:"time that the rule assumes for each changeover to another machine; 0 derives it from the boots and the model's restart"`
	Poll       time.Duration `set:"poll_s" min:"1" max:"86400" doc:"time between decisions; the rule compares times in multiples of it"`
	Slices     int           `set:"slices" min:"1" max:"10000" doc:"number of slices of the objective time"`

	follower follower
}

// Name implements sim.Policy.
func (*TimeSliced) Name() string { return "time-sliced" }

// Decide implements sim.Policy.
func (p *TimeSliced) Decide(v sim.View, plan *sim.Plan) {
	p.follower.instances, p.follower.changeover, p.follower.poll = p.Instances, p.Changeover, p.Poll
	p.follower.rule, p.follower.parameter = (*State).TimeSliced, float64(p.Slices)
	p.follower.follow(v, plan)
}

// UniformProgress trains on spot whenever there is capacity, and on demand when it
// is behind an even pace (Can't Be Late, NSDI 2024). It leaves on demand for spot
// only when it is ahead of the even pace by some changeovers.
type UniformProgress struct {
	Instances  int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"instances on which the job trains, all at once; 0 takes the smallest number that leaves time to wait for spot, or else that meets the deadline"`
	Changeover time.Duration `set:"changeover_s" min:"0" max:"86400" doc:"time that the rule assumes for each changeover to another machine; 0 derives it from the boots and the model's restart"`
	Poll       time.Duration `set:"poll_s" min:"1" max:"86400" doc:"time between decisions; the rule compares times in multiples of it"`
	Hysteresis float64       `set:"hysteresis" min:"-1" max:"100" doc:"lead, in changeovers, needed to leave on-demand; below 0 leaves whenever spot is available"`

	follower follower
}

// Name implements sim.Policy.
func (*UniformProgress) Name() string { return "uniform-progress" }

// Decide implements sim.Policy.
func (p *UniformProgress) Decide(v sim.View, plan *sim.Plan) {
	p.follower.instances, p.follower.changeover, p.follower.poll = p.Instances, p.Changeover, p.Poll
	p.follower.rule, p.follower.parameter = (*State).Uniform, p.Hysteresis
	if p.Hysteresis < 0 {
		p.follower.parameter = math.NaN()
	}
	p.follower.follow(v, plan)
}
