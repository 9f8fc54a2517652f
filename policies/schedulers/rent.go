package schedulers

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Rent rents GPUs for each job alone, in the pool in which its work costs least at present: there is no cluster, and
// nothing is shared. Pools may be spot or on demand; a job has all its GPUs in one, and waits where none has enough.
// A job whose GPUs are not there within Patience goes on to the next pool.
//
// With Move it compares prices every while, and moves jobs where their work has become cheaper, by the rule of Eva (EuroSys
// 2025) for when the value of a new plan exceeds the cost of its moves. What makes most of Eva's savings is left out: an instance of the world
// has one job. Its plans with several jobs on an instance are package eva, its simulator is replayed by
// papers/eva/reference.
type Rent struct {
	// Move moves jobs, else each stays in its pool while it has its GPUs there.
	Move bool
	// Every is the time between two comparisons of where jobs are cheapest.
	Every time.Duration `set:"every_s" min:"1" max:"86400" doc:"time between two comparisons of where jobs are cheapest (eva-like)"`
	// Patience is how long requests wait before the job goes on to the next pool; that pool is not asked for half
	// an hour. 0: for ever.
	Patience time.Duration `set:"patience_s" min:"0" max:"86400" doc:"how long requests wait before the job goes on to the next pool; 0: for ever"`
	// Restart is the time that a job is taken to lose by a move, in addition to the boot of its new GPUs.
	Restart time.Duration `set:"restart_s" min:"0" max:"86400" doc:"time that a job is taken to lose by a move, in addition to the boot (eva-like)"`

	free   []int
	layout sim.Layout
	speeds []float64
}

// fullFor is how long a pool is not asked in which requests were not granted.
const fullFor = 30 * time.Minute

// NewRent returns Rent with its default settings.
func NewRent(move bool) *Rent {
	return &Rent{Move: move, Every: 5 * time.Minute, Patience: 5 * time.Minute, Restart: time.Minute}
}

// Name implements sim.Policy.
func (r *Rent) Name() string {
	if r.Move {
		return "eva-like"
	}
	return "no-packing"
}

// renting is what Rent remembers.
type renting struct {
	full   []sim.Time // by pool: until when it is not asked
	next   sim.Time   // the next comparison
	events int        // jobs that came or went
	first  sim.Time   // the first of them
	last   sim.Time   // the last of them
	moves  int        // times at which jobs were moved
}

// Traits says what the policy is.
func (*Rent) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true}
}

// Fits says that a job runs in one pool.
func (*Rent) Fits() Fit { return OnPool }

// NewState implements sim.Stateful.
func (*Rent) NewState(from, _ any) any {
	was, ok := from.(*renting)
	if !ok {
		return &renting{}
	}
	s := *was
	s.full = slices.Clone(was.full)
	return &s
}

// Decide implements sim.Policy.
func (r *Rent) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*renting)
	s.count(v)
	r.count(v, plan)
	plan.SetReason("each job where its work is cheapest")
	for _, j := range v.ActiveJobs() {
		switch {
		case plan.Held(j) == 0:
		case holdsPart(v, plan, j): // it would pay for GPUs on which it cannot train
			r.giveUp(v, plan, s, j, true)
		case !policyutil.WithinPatience(v, j, r.Patience, plan):
			r.giveUp(v, plan, s, j, false)
		}
		if plan.Held(j) == 0 {
			if to := r.cheapest(v, s, j); to >= 0 {
				r.take(plan, j, to, gang(v, j).Gang())
				if r.Patience > 0 {
					plan.WakeIn(r.Patience)
				}
			} else {
				plan.WakeIn(r.retry(v, s))
			}
			if plan.Recorded() {
				r.explain(v, plan, j)
			}
		}
	}
	if r.Move && len(v.ActiveJobs()) > 0 {
		if v.Now() >= s.next {
			r.move(v, plan, s)
			s.next = v.Now().Add(r.Every)
		}
		plan.WakeIn(s.next.Sub(v.Now()))
	}
}

// explain records where a job is to have its GPUs.
func (r *Rent) explain(v sim.View, plan *sim.Plan, j int) {
	c := sim.Candidate{Name: v.Job(j).Name(), Unit: "USD/h", Note: "no pool has capacity for it, or all that have did not grant its requests"}
	if p := firstHeld(plan, j); p >= 0 {
		c.Score, c.Note, c.Chosen = v.Price(p)*float64(plan.Held(j)), "in "+v.Pool(p).Name, true
	}
	plan.AddCandidate(c)
}

// count notes which jobs have come and gone.
func (s *renting) count(v sim.View) {
	for len(s.full) < v.Pools() {
		s.full = append(s.full, 0)
	}
	changed := 0
	for _, x := range v.JobChanges() {
		if x.What == sim.JobSubmitted || x.What == sim.JobFinished || x.What == sim.JobLost {
			changed++
		}
	}
	if changed > 0 {
		if s.events == 0 {
			s.first = v.Now()
		}
		s.events, s.last = s.events+changed, v.Now()
	}
}

// count sets what the quotas leave free.
func (r *Rent) count(v sim.View, plan *sim.Plan) {
	r.free = r.free[:0]
	for p := range v.Pools() {
		r.free = append(r.free, v.Pool(p).Quota)
	}
	for _, j := range v.ActiveJobs() {
		for _, x := range plan.Parts(j) {
			r.free[x.Pool] -= int(x.N)
		}
	}
}

// take gives a job n GPUs of pool p, and none of another.
func (r *Rent) take(plan *sim.Plan, j, p, n int) {
	plan.Stop(j)
	plan.Place(j, p, n)
	r.free[p] -= n
}

// giveUp notes that the pool of a job is full, and gives back what it has there: if there is another pool for it, or in any case.
func (r *Rent) giveUp(v sim.View, plan *sim.Plan, s *renting, j int, inAnyCase bool) {
	at := firstHeld(plan, j)
	s.full[at] = v.Now().Add(fullFor)
	if inAnyCase || r.cheapest(v, s, j) >= 0 {
		r.free[at] += plan.Held(j)
		plan.Stop(j)
	}
}

// retry is the time until the next full pool is asked again.
func (r *Rent) retry(v sim.View, s *renting) time.Duration {
	next := fullFor
	for _, t := range s.full {
		if t > v.Now() {
			next = min(next, t.Sub(v.Now()))
		}
	}
	return next
}

// cheapest returns the pool with enough free GPUs in which a job's work costs least, -1 for none.
func (r *Rent) cheapest(v sim.View, s *renting, j int) int {
	best, smallest := -1, math.Inf(1)
	gpus, asked := gang(v, j).Gang(), false
	for p, n := range r.free {
		if n < gpus || s.full[p] > v.Now() {
			continue
		}
		if !asked {
			r.ask(v, j)
			asked = true
		}
		if r.speeds[p] <= 0 {
			continue
		}
		if usd := v.Price(p) / r.speeds[p]; usd < smallest {
			best, smallest = p, usd
		}
	}
	return best
}

// ask asks how fast a job is in each pool.
func (r *Rent) ask(v sim.View, j int) {
	g := gang(v, j)
	r.speeds = r.speeds[:0]
	for p := range v.Pools() {
		if p > 0 && v.Pool(p).GPU == v.Pool(p-1).GPU && v.Pool(p).InstanceType == v.Pool(p-1).InstanceType {
			r.speeds = append(r.speeds, r.speeds[p-1])
			continue
		}
		r.speeds = append(r.speeds, speedIn(&r.layout, g, p))
	}
}

// move moves the jobs that train to where their work is cheaper, if what that saves until the next such time is more
// than what the moves cost.
func (r *Rent) move(v sim.View, plan *sim.Plan, s *renting) {
	horizon, moved := s.horizon(v), false
	for _, j := range v.ActiveJobs() {
		from := firstHeld(plan, j)
		if from < 0 || !v.Job(j).Training() || v.Job(j).Waiting() > 0 {
			continue
		}
		to := r.cheapest(v, s, j)
		if to < 0 || to == from {
			continue
		}
		gpus := plan.Held(j)
		n := float64(gpus)
		saving := (v.Price(from) - v.Price(to)*r.speeds[from]/r.speeds[to]) * n / 3600 // USD/s
		lost := (v.Pool(to).Boot.Mean() + r.Restart).Seconds()
		if cost := lost * v.Price(to) * n / 3600; saving*horizon > cost {
			r.take(plan, j, to, gpus)
			r.free[from] += gpus
			moved = true
		}
	}
	if moved {
		s.moves++
	}
}

// horizon is how long the next plan is expected to hold, s: jobs come and go at a rate, and with a probability that is
// learned such an event brings a better plan (Eva, section 4.5). Before the first move it is the time so far.
func (s *renting) horizon(v sim.View) float64 {
	if s.moves == 0 || s.events < 2 {
		return v.Now().Sub(v.Start()).Seconds()
	}
	p := float64(s.moves) / float64(s.events)
	if p >= 1 {
		return 0
	}
	gap := s.last.Sub(s.first).Seconds() / float64(s.events-1)
	return -gap / math.Log(1-p)
}
