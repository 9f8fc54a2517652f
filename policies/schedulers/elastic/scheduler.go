package elastic

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// Scheduler gives out the GPUs of a cluster by a rule, at ticks that are Interval apart, counted from the start of the
// run. GPUs of different models are shared apart: a job stays on the model on which it is fastest. A job whose number
// stays the same keeps its GPUs; the others get theirs anew. Where there is spot capacity, which may not come, a job
// keeps what it has of them, and asks for the others. Of servers that failed, and of spot capacity that does not come,
// it has nothing at once: a job goes on with what is left, if that is enough, until the next tick.
type Scheduler struct {
	// Interval is the time between two ticks; 0: a tick whenever something happens.
	Interval time.Duration `set:"interval_s" min:"0" max:"86400" doc:"time between two times at which GPUs are given out anew; 0: whenever a job comes or ends, or a server fails or is back"`
	// Placement is Closest or MostFree.
	Placement Placement `set:"placement" names:"closest,most-free" doc:"which free GPUs a job gets whose number changes: closest (as close together as they are: one server, one rack, and so on), or most-free (of the server with most free ones, then the next)"`

	rule    Rule
	name    string
	reason  string
	sharing Sharing
	changed []*Job // scratch
	free    []int  // scratch, by pool
	active  []int  // scratch
	closest schedulers.Closeness
}

// Placement says which free GPUs a job gets.
type Placement string

// The placements; the empty one is Closest.
const (
	Closest  Placement = "closest"
	MostFree Placement = "most-free"
)

// Rule says how many GPUs each job gets.
type Rule interface {
	// Share sets Job.Gets of all jobs: 0, or from Least to Most, and at most Sharing.GPUs together.
	Share(s *Sharing)
	// KnowsWork reports whether it uses how much work is left (Job.Left).
	KnowsWork() bool
}

// betweenTicks is a Rule that is asked whenever something happens, and told whether it is a tick (Sharing.Tick).
type betweenTicks interface{ ActsBetweenTicks() }

// Sharing is what a rule has to share.
type Sharing struct {
	Jobs     []*Job // of one model of GPU, that are not done, in the order of submission
	GPUs     int    // that these jobs may have together
	Now      sim.Time
	Interval time.Duration // between ticks
	Tick     bool
	// Order is for the rule to set, if the jobs that get GPUs are to be given places in another order than by their
	// number of GPUs, the fewest first.
	Order []*Job
}

// Job is a job as a rule sees it. What a rule notes stays until the job ends.
type Job struct {
	Number            int // in the run, in the order of submission
	Gang, Least, Most int // GPUs that it asks for, and on which it trains at least and at most
	Has               int // GPUs at present
	Left              float64
	Submitted         sim.Time
	Gets              int // what the rule gives it

	Queue    int      // for the rule: the queue that it is in, from 1; 0 at first
	Since    sim.Time // for the rule: when it came there
	Served   time.Duration
	Peak     int // the most GPUs that it has had
	Restarts int // times that its GPUs were changed after it started
	before   int // for the rule: what it got before a step that may not be worth it

	slot   int
	part   *part
	model  sim.GangModel
	speeds []float64 // by number of GPUs, below 0 where it is not known yet
}

// part is the servers of one model of GPU.
type part struct {
	pools  []int
	quotas []int32    // of these
	spot   bool       // some may not be granted
	layout sim.Layout // scratch
}

// Name implements sim.Policy.
func (s *Scheduler) Name() string { return s.name }

// Traits says what the policy is.
func (s *Scheduler) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true, KnowsWork: s.rule.KnowsWork()}
}

// RentsOnDemand says that it takes nothing on demand.
func (*Scheduler) RentsOnDemand() bool { return false }

// Fits says that a job runs on one model of GPU.
func (*Scheduler) Fits() schedulers.Fit { return schedulers.OnModel }

// state is what a Scheduler remembers of a run.
type state struct {
	ready  bool    // the parts are found
	parts  []*part // never changed from then on
	jobs   []*Job  // by slot
	full   schedulers.FullPools
	ticked sim.Time
}

// NewState implements sim.Stateful.
func (*Scheduler) NewState(from, used any) any {
	if was, is := from.(*state); is {
		fork := &state{ready: was.ready, full: slices.Clone(was.full), ticked: was.ticked}
		fork.setUpParts(was.parts)
		for _, job := range was.jobs {
			fork.jobs = append(fork.jobs, job.clone(was.parts, fork.parts))
		}
		return fork
	}
	if own, is := used.(*state); is {
		*own = state{jobs: own.jobs, parts: own.parts[:0], full: own.full[:0], ticked: sim.Never}
		return own
	}
	return &state{ticked: sim.Never}
}

// clone returns a copy for a fork, whose parts are at the same places.
func (x *Job) clone(from, to []*part) *Job {
	c := *x
	c.speeds = slices.Clone(x.speeds)
	if at := slices.Index(from, x.part); at >= 0 {
		c.part = to[at]
	}
	return &c
}

// setUpParts copies the parts of another state.
func (s *state) setUpParts(from []*part) {
	for _, p := range from {
		s.parts = append(s.parts, &part{pools: slices.Clone(p.pools), quotas: slices.Clone(p.quotas), spot: p.spot})
	}
}

// setUp finds the servers of each model, once in a run.
func (s *state) setUp(v sim.View) {
	if s.ready {
		return
	}
	s.ready = true
	s.full = slices.Grow(s.full, v.Pools())[:v.Pools()]
	clear(s.full)
	for p := range v.Pools() {
		pool := v.Pool(p)
		if pool.OnDemand {
			continue
		}
		at := slices.IndexFunc(s.parts, func(x *part) bool {
			first := v.Pool(x.pools[0])
			return strings.EqualFold(cmp.Or(first.GPU, first.InstanceType), cmp.Or(pool.GPU, pool.InstanceType))
		})
		if at < 0 {
			at = s.addPart()
		}
		s.parts[at].spot = s.parts[at].spot || !pool.Reserved && (pool.Failures == nil || !pool.Failures.Whole)
		s.parts[at].pools = append(s.parts[at].pools, p)
		s.parts[at].quotas = append(s.parts[at].quotas, int32(pool.Quota))
	}
}

// addPart adds a part, in the memory of an earlier run if there is some, and returns its number.
func (s *state) addPart() int {
	at := len(s.parts)
	if at == cap(s.parts) || s.parts[:at+1][at] == nil {
		s.parts = append(s.parts, &part{})
		return at
	}
	s.parts = s.parts[:at+1]
	old := s.parts[at]
	*old = part{pools: old.pools[:0], quotas: old.quotas[:0], layout: old.layout}
	return at
}

// Decide implements sim.Policy.
func (s *Scheduler) Decide(v sim.View, plan *sim.Plan) {
	own := v.State().(*state)
	own.setUp(v)
	for _, change := range v.JobChanges() {
		if change.What == sim.JobSubmitted {
			own.meet(v, change.Job)
		}
	}
	s.active = append(s.active[:0], v.ActiveJobs()...)
	s.shrink(v, plan, own)
	tick := s.isTick(v) && own.ticked != v.Now()
	_, always := s.rule.(betweenTicks)
	if tick {
		own.ticked = v.Now()
	}
	if tick || always {
		for _, of := range own.parts {
			s.share(v, plan, own, of, tick)
		}
	}
	s.wake(v, plan, own)
	if s.reason == "" {
		s.reason = "GPUs are given out by the rule of " + s.name
	}
	plan.SetReason(s.reason)
}

// isTick reports whether GPUs are given out anew now.
func (s *Scheduler) isTick(v sim.View) bool {
	return s.Interval == 0 || v.Now() > v.Start() && v.Now().Sub(v.Start())%s.Interval == 0
}

// meet notes a job that was submitted: the model of GPU on which it is fastest is its own.
func (s *state) meet(v sim.View, j int) {
	for len(s.jobs) <= j {
		s.jobs = append(s.jobs, &Job{})
	}
	model := v.Job(j).Model().(sim.GangModel)
	x := s.jobs[j]
	*x = Job{Number: v.Job(j).ID(), Gang: model.Gang(), Submitted: v.Job(j).Submitted(), slot: j, speeds: x.speeds[:0]}
	x.Least, x.Most = sim.RangeOf(model)
	best := 0.0
	for _, of := range s.parts {
		speed := schedulers.SpeedIn(&of.layout, model, of.pools[0])
		if speed > best {
			best = speed
			x.part = of
		}
	}
}

// shrink has jobs go on with what they have whose other GPUs do not come: of servers that failed, or in spot pools
// without capacity, which are not asked for a while.
func (s *Scheduler) shrink(v sim.View, plan *sim.Plan, own *state) {
	if !v.AnyWaiting() {
		return
	}
	for _, j := range s.active {
		if v.Job(j).Waiting() == 0 {
			continue
		}
		left := 0
		for _, part := range plan.Parts(j) {
			p := int(part.Pool)
			held := v.Held(j, p)
			left += held.Active()
			if held.Waiting > 0 {
				plan.Place(j, p, held.Active())
				if !v.Down(p) {
					own.full[p] = v.Now().Add(fullAgain)
				}
			}
		}
		if left < own.jobs[j].Least {
			plan.Stop(j)
		}
	}
}

// fullAgain is how long a pool is not asked in which requests were not granted, as for other schedulers.
const fullAgain = 5 * time.Minute

// share gives out the GPUs of one model.
func (s *Scheduler) share(v sim.View, plan *sim.Plan, own *state, of *part, tick bool) {
	sharing := &s.sharing
	*sharing = Sharing{
		Jobs: sharing.Jobs[:0], Order: sharing.Order[:0], Now: v.Now(), Interval: s.Interval, Tick: tick,
	}
	for _, j := range s.active {
		if own.jobs[j].part == of {
			sharing.Jobs = append(sharing.Jobs, own.refresh(v, plan, j, s.rule.KnowsWork()))
		}
	}
	if len(sharing.Jobs) == 0 {
		return
	}
	slices.SortFunc(sharing.Jobs, func(a, b *Job) int { return cmp.Compare(a.Number, b.Number) })
	s.free = slices.Grow(s.free[:0], v.Pools())[:v.Pools()]
	for _, p := range of.pools {
		s.free[p] = own.full.Headroom(v, plan, s.active, p)
		sharing.GPUs += s.free[p]
	}
	s.rule.Share(sharing)
	s.apply(v, plan, of)
}

// refresh brings what is known of a job up to date.
func (s *state) refresh(v sim.View, plan *sim.Plan, j int, left bool) *Job {
	x := s.jobs[j]
	x.Has = plan.Held(j)
	x.Gets = 0
	x.model = v.Job(j).Model().(sim.GangModel)
	if left {
		x.Left = v.Job(j).WorkLeft()
	}
	return x
}

// apply puts in force what the rule gives the jobs.
func (s *Scheduler) apply(v sim.View, plan *sim.Plan, of *part) {
	order := s.sharing.Order
	if len(order) == 0 {
		order = s.sharing.Jobs
	}
	s.changed = s.changed[:0]
	for _, x := range order {
		if x.Gets != x.Has && x.Gets > 0 {
			s.changed = append(s.changed, x)
		}
	}
	if len(s.sharing.Order) == 0 {
		slices.SortStableFunc(s.changed, func(a, b *Job) int { return cmp.Compare(a.Gets, b.Gets) })
	}
	for _, x := range s.sharing.Jobs {
		if x.Gets != x.Has {
			x.noteChange()
			if !of.spot || x.Gets == 0 {
				plan.Stop(x.slot)
				continue
			}
			x.giveBack(plan)
		}
		for _, part := range plan.Parts(x.slot) {
			s.free[part.Pool] -= int(part.N)
		}
	}
	for _, x := range s.changed {
		s.place(v, plan, of, x)
	}
}

// giveBack has a job give back what it has more than it gets, where it has least first.
func (x *Job) giveBack(plan *sim.Plan) {
	for more := x.Has - x.Gets; more > 0; {
		fewest := sim.Part{}
		for _, part := range plan.Parts(x.slot) {
			if part.N > 0 && (fewest.N == 0 || part.N < fewest.N) {
				fewest = part
			}
		}
		n := min(more, int(fewest.N))
		plan.Place(x.slot, int(fewest.Pool), int(fewest.N)-n)
		more -= n
	}
}

// noteChange counts that a job has other GPUs than before.
func (x *Job) noteChange() {
	if x.Peak > 0 {
		x.Restarts++
	}
	x.Peak = max(x.Peak, x.Gets)
}

// place gives a job the GPUs that it has not, which are free.
func (s *Scheduler) place(v sim.View, plan *sim.Plan, of *part, x *Job) {
	missing := x.Gets - plan.Held(x.slot)
	if missing == 0 {
		return
	}
	if s.Placement == MostFree {
		for left := missing; left > 0; {
			p := schedulers.Emptiest(of.pools, s.free)
			left -= s.take(v, plan, x, p, min(left, s.free[p]))
		}
		return
	}
	for _, part := range s.closest.Choose(v.Tiers(), of.pools, s.free, missing) {
		s.take(v, plan, x, int(part.Pool), int(part.N))
	}
}

// take gives a job n GPUs more of a pool, and returns n. That a spot pool is full is noticed at once.
func (s *Scheduler) take(v sim.View, plan *sim.Plan, x *Job, p, n int) int {
	plan.Place(x.slot, p, plan.Hold(x.slot, p)+n)
	s.free[p] -= n
	if !v.Pool(p).Reserved {
		plan.AskAgain()
	}
	return n
}

// wake asks for a decision at the next tick, and when a pool that was full may be asked again.
func (s *Scheduler) wake(v sim.View, plan *sim.Plan, own *state) {
	if len(s.active) == 0 {
		return
	}
	if s.Interval > 0 {
		plan.WakeIn(s.Interval - v.Now().Sub(v.Start())%s.Interval)
		return
	}
	for _, until := range own.full {
		if until > v.Now() {
			plan.WakeIn(until.Sub(v.Now()))
		}
	}
}

// Speed returns how fast the job is on n GPUs, from Least to Most, on as few servers as they fill.
func (x *Job) Speed(n int) float64 {
	for len(x.speeds) <= n {
		x.speeds = append(x.speeds, -1)
	}
	if x.speeds[n] < 0 {
		x.speeds[n] = x.part.speed(x.model, n)
	}
	return x.speeds[n]
}

// speed is how fast a gang is on the first servers of a model that have n GPUs.
func (p *part) speed(model sim.GangModel, n int) float64 {
	p.layout.Workers = p.layout.Workers[:0]
	p.layout.Pools = p.layout.Pools[:0]
	left := int32(n)
	for k, quota := range p.quotas {
		taken := min(left, quota)
		if taken > 0 {
			p.layout.Pools = append(p.layout.Pools, int32(p.pools[k]))
			p.layout.Workers = append(p.layout.Workers, taken)
		}
		left -= taken
	}
	return model.Rate(&p.layout).Progress
}
