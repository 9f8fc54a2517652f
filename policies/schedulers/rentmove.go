package schedulers

import (
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// look moves the jobs that train to where their work is cheaper, if what that saves until the next such look is more
// than what the moves cost.
func (r *Rent) look(v sim.View, plan *sim.Plan, s *renting) {
	horizon, moved := s.horizon(v), false
	for _, j := range v.ActiveJobs() {
		hold := plan.Jobs[j].Hold
		from := slices.IndexFunc(hold, func(n int) bool { return n > 0 })
		if from < 0 || !v.Job(j).Training() || v.Job(j).Waiting() > 0 {
			continue
		}
		to := r.cheapest(v, s, j)
		if to < 0 || to == from {
			continue
		}
		n := float64(hold[from])
		saving := (v.Price(from) - v.Price(to)*r.speeds[from]/r.speeds[to]) * n / 3600 // USD/s
		lost := (v.Pool(to).Boot.Mean() + r.Restart).Seconds()
		if cost := lost * v.Price(to) * n / 3600; saving*horizon > cost {
			r.take(hold, to, hold[from])
			r.take(hold, from, -hold[from])
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
