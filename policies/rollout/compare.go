package rollout

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// Name implements sim.Policy.
func (*follower) Name() string { return "follower" }

// Decide implements sim.Policy.
func (f *follower) Decide(v sim.View, plan *sim.Plan) {
	f.r.decideAs(f.choice.base, v, plan)
	if !f.begun && f.choice.hold != nil {
		copy(plan.Jobs[v.ActiveJobs()[0]].Hold, f.choice.hold)
		plan.AskOnce() // the base's plan is not taken
	}
	f.begun = true
}

// early is the number of futures after which a choice that is more expensive is dropped.
const early = 4

// compare tries the choices in the same futures and returns the best.
func (r *Rollout) compare(v sim.View, j int) int {
	if s, ok := r.Base.Base.(*spotdnn.SpotDNN); ok { // to look when nothing happens takes time and changes nothing
		defer func(poll time.Duration) { s.Poll = poll }(s.Poll)
		s.Poll = 0
	}
	r.Base.SetRough(true)
	defer r.Base.SetRough(false)
	deadline := v.Job(j).Deadline()
	r.guess.fit(v, &r.Prior)
	for h := range r.Futures {
		r.guess.imagine(v, h, &r.Prior)
		v.Future(&r.future, deadline.Add(1), r.guess.outlooks)
		for i := range r.choices {
			if x := &r.choices[i]; !x.dropped {
				usd, met := r.try(v, j, x, r.guess.seed+uint64(h))
				x.add(usd, met, &r.choices[0])
			}
		}
		if h+1 >= early {
			r.drop(h + 1)
		}
	}
	return r.best()
}

// try returns what a choice costs in the imagined future, in all, and whether it meets
// the objective.
func (r *Rollout) try(v sim.View, j int, x *choice, seed uint64) (usd float64, met bool) {
	r.follower = follower{r: r, choice: x}
	v.Imagine(&r.fork, &r.future, seed, &r.follower)
	t := r.fork.Run()
	return t.Bill.Total(), t.Jobs[j].Finished
}

// drop drops choices that are more expensive than the base, or cannot meet the objective often
// enough any more.
func (r *Rollout) drop(n int) {
	base := &r.choices[0]
	for i := 1; i < len(r.choices); i++ {
		x := &r.choices[i]
		failed := n - x.met
		x.dropped = x.dropped || x.mean() >= 0 || failed > r.Futures-r.enough() && failed > n-base.met
	}
}

// enough is the number of futures in which a choice has to meet the objective.
func (r *Rollout) enough() int { return int(math.Ceil(r.Share * float64(r.Futures))) }

// best returns the choice that is surest to be cheaper than the base, 0 if none is.
func (r *Rollout) best() int {
	best, smallest := 0, 0.0
	for i := 1; i < len(r.choices); i++ {
		x := &r.choices[i]
		if x.dropped || x.met < min(r.choices[0].met, r.enough()) {
			continue
		}
		if bound := x.mean() + r.Sure*x.error(); bound < smallest {
			best, smallest = i, bound
		}
	}
	return best
}

// add adds what came of a future.
func (x *choice) add(usd float64, met bool, first *choice) {
	x.usd = usd
	x.n++
	if met {
		x.met++
	}
	d := usd - first.usd
	x.sum += d
	x.squares += d * d
	x.total += usd
}

// mean returns the mean difference to the first choice, USD, and error its standard error.
func (x *choice) mean() float64 { return x.sum / float64(x.n) }

func (x *choice) error() float64 {
	n := float64(x.n)
	return math.Sqrt(max(x.squares/n-x.mean()*x.mean(), 0) / max(n-1, 1))
}

// next returns the next choice of the list, with its memory.
func (r *Rollout) next(name string, base int) *choice {
	n := len(r.choices)
	if n < cap(r.choices) {
		r.choices = r.choices[:n+1]
	} else {
		r.choices = append(r.choices, choice{})
	}
	x := &r.choices[n]
	*x = choice{name: name, base: base, memory: x.memory[:0]}
	return x
}

// holding is next, of a choice that holds something; nothing else is to do so.
func (r *Rollout) holding(name string, hold []int) {
	mode := r.choices[0].base
	for i := range r.choices {
		if x := &r.choices[i]; x.hold != nil && x.base == mode && same(x.hold, hold) {
			return
		}
	}
	x := r.next(name, mode)
	x.memory = append(x.memory, hold...)
	x.hold = x.memory
}

func same(a, b []int) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// list lists what could be done. The first is what the base would do.
func (r *Rollout) list(v sim.View, j int, plan *sim.Plan) {
	r.choices = r.choices[:0]
	r.next("the base", 0)
	for b := 1; b < len(sizes); b++ {
		r.next(baseNames[b], b)
	}
	s := &r.shop
	s.open(v, j, plan)
	s.keep()
	r.holding("what the plan in force holds", r.force)
	r.holding("what runs or comes", s.have)
	s.spotOnly()
	r.holding("spot only", s.want)
	for n := 1; n <= 2; n++ {
		s.keep()
		if s.add(n, false) {
			r.holding(plusSpot[n-1], s.want)
		}
	}
	for n := 1; n <= 3; n++ {
		s.keep()
		if s.add(n, true) {
			r.holding(plusExpensive[n-1], s.want)
		}
	}
	for n := 1; n <= 6; n++ {
		s.none()
		if s.add(n, false) {
			r.holding(onlySpot[n-1], s.want)
		}
	}
}

var (
	baseNames = [len(sizes)]string{
		"the base", "the base with 3 on demand", "the base with 4 on demand", "the base with 6 on demand", "the base with 8 on demand",
	}
	plusSpot      = [...]string{"1 more on spot", "2 more on spot"}
	plusExpensive = [...]string{"1 more on demand", "2 more on demand", "3 more on demand"}
	onlySpot      = [...]string{"1 on spot", "2 on spot", "3 on spot", "4 on spot", "5 on spot", "6 on spot"}
)
