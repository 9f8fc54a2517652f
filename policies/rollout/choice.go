package rollout

import (
	"math"

	"github.com/marigram/marigram/sim"
)

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
		"the base",
		"the base with 3 on demand",
		"the base with 4 on demand",
		"the base with 6 on demand",
		"the base with 8 on demand",
	}
	plusSpot      = [...]string{"1 more on spot", "2 more on spot"}
	plusExpensive = [...]string{"1 more on demand", "2 more on demand", "3 more on demand"}
	onlySpot      = [...]string{"1 on spot", "2 on spot", "3 on spot", "4 on spot", "5 on spot", "6 on spot"}
)
