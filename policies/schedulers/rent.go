package schedulers

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/internal/policyutil"
	"github.com/marigram/marigram/sim"
)

// Rent rents GPUs for each job alone, in the pool in which its work costs least at present: there is no cluster, and
// nothing is shared. Pools may be spot or on demand; a job has all its GPUs in one, and waits where none has so many.
// A job whose GPUs are not there within Patience goes on to the next pool.
//
// With Move it looks again every while, and moves jobs where their work has become cheaper, by the rule of Eva (EuroSys
// 2025) for when a new plan is worth its moves. What makes most of Eva's savings is left out: an instance of the world
// has one job. Its plans with several jobs on an instance are package eva, its simulator is replayed by
// papers/eva/reference.
type Rent struct {
	// Move moves jobs, else each stays in its pool while it has its GPUs there.
	Move bool
	// Every is the time between two looks at where jobs are.
	Every time.Duration `set:"every_s" min:"1" max:"86400" doc:"time between two looks at where jobs are (eva-like)"`
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
	next   sim.Time   // the next look
	in     []bool     // by job: it has come
	active []int      // jobs at the last decision
	events int        // jobs that came or went
	first  sim.Time   // the first of them
	last   sim.Time   // the last of them
	moves  int        // looks at which jobs were moved
}

// Traits says what the policy is.
func (*Rent) Traits() sim.Traits {
	return sim.Traits{KnowsModels: true}
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
	s.full, s.in, s.active = slices.Clone(was.full), slices.Clone(was.in), slices.Clone(was.active)
	return &s
}

// Decide implements sim.Policy.
func (r *Rent) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*renting)
	s.count(v)
	r.count(v, plan)
	plan.SetReason("each job where its work is cheapest")
	for _, j := range v.ActiveJobs() {
		hold := plan.Jobs[j].Hold
		if held(hold) > 0 && !policyutil.WithinPatience(v, j, r.Patience, plan) {
			r.giveUp(v, s, j, hold)
		}
		if held(hold) == 0 {
			if to := r.cheapest(v, s, j); to >= 0 {
				r.take(hold, to, gang(v, j).Gang())
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
			r.look(v, plan, s)
			s.next = v.Now().Add(r.Every)
		}
		plan.WakeIn(s.next.Sub(v.Now()))
	}
}

// explain records where a job is to have its GPUs.
func (r *Rent) explain(v sim.View, plan *sim.Plan, j int) {
	c := sim.Candidate{Name: v.Job(j).Name(), Unit: "USD/h", Note: "no pool has capacity for it, or all that have did not grant its requests"}
	for p, n := range plan.Jobs[j].Hold {
		if n > 0 {
			c.Score, c.Note, c.Chosen = v.Price(p)*float64(n), "in "+v.Pool(p).Name, true
		}
	}
	plan.AddCandidate(c)
}

// count notes which jobs have come and gone.
func (s *renting) count(v sim.View) {
	for len(s.full) < v.Pools() {
		s.full = append(s.full, 0)
	}
	for len(s.in) < v.Jobs() {
		s.in = append(s.in, false)
	}
	changed := 0
	for _, j := range s.active {
		if !v.Job(j).Active() {
			changed++
		}
	}
	for _, j := range v.ActiveJobs() {
		if !s.in[j] {
			s.in[j] = true
			changed++
		}
	}
	if changed > 0 {
		if s.events == 0 {
			s.first = v.Now()
		}
		s.events, s.last = s.events+changed, v.Now()
		s.active = append(s.active[:0], v.ActiveJobs()...)
	}
}

// count sets what the quotas leave free.
func (r *Rent) count(v sim.View, plan *sim.Plan) {
	r.free = r.free[:0]
	for p := range v.Pools() {
		r.free = append(r.free, v.Pool(p).Quota)
	}
	for _, j := range v.ActiveJobs() {
		for p, n := range plan.Jobs[j].Hold {
			r.free[p] -= n
		}
	}
}

func (r *Rent) take(hold []int, p, n int) {
	hold[p] += n
	r.free[p] -= n
}

// giveUp releases what a job holds, and notes that its pool is full, if there is another for it.
func (r *Rent) giveUp(v sim.View, s *renting, j int, hold []int) {
	at := slices.IndexFunc(hold, func(n int) bool { return n > 0 })
	s.full[at] = v.Now().Add(fullFor)
	if r.cheapest(v, s, j) >= 0 {
		r.take(hold, at, -hold[at])
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

// cheapest returns the pool with room in which a job's work costs least, -1 for none.
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
	g, n := gang(v, j), v.Pools()
	r.layout.Workers = slices.Grow(r.layout.Workers[:0], n)[:n]
	r.speeds = r.speeds[:0]
	for p := range n {
		if p > 0 && v.Pool(p).GPU == v.Pool(p-1).GPU && v.Pool(p).InstanceType == v.Pool(p-1).InstanceType {
			r.speeds = append(r.speeds, r.speeds[p-1])
			continue
		}
		clear(r.layout.Workers)
		r.layout.Workers[p] = int32(g.Gang())
		r.speeds = append(r.speeds, g.Rate(&r.layout).Progress)
	}
}
