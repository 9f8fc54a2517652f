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
