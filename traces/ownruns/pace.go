package ownruns

import (
	"cmp"

	"github.com/marigram/marigram/internal/stats"
)

// mark is a recorded number of steps: training came from the mark before to this one, or it
// went back before.
type mark struct {
	at    int64
	steps float64 // now
	from  float64 // where it went on from: the mark before, or the checkpoint it went back to
	fell  bool
}

// marks are the recorded numbers of steps, in order of time.
func (r *Run) marks() []mark {
	var out []mark
	var w training
	for i := range r.Events {
		e := &r.Events[i]
		before := w.steps
		lost := w.see(e)
		switch {
		case e.Kind == Step:
			out = append(out, mark{e.T, e.Value, before - lost, lost > 0})
		case e.Kind == Restored && w.steps != before:
			out = append(out, mark{e.T, w.steps, w.steps, lost > 0})
		}
	}
	return out
}

// paces are the usual times of a step, us, by the number of machines that train.
type paces struct {
	of      map[int]float64
	overall float64 // 0: not known
}

// pacesOf takes the medians over the pieces in which machines did not change.
func pacesOf(marks []mark, size *fleetSize) paces {
	by := map[int][]float64{}
	var all []float64
	for i := 1; i < len(marks); i++ {
		m, before := &marks[i], &marks[i-1]
		if m.fell || m.steps <= m.from || m.at <= before.at {
			continue
		}
		each := float64(m.at-before.at) / (m.steps - m.from)
		all = append(all, each)
		if p := size.place(before.at); p == size.place(m.at) {
			by[size.training(p)] = append(by[size.training(p)], each)
		}
	}
	p := paces{of: map[int]float64{}}
	if len(all) > 0 {
		p.overall = stats.Median(all)
	}
	for n, each := range by {
		p.of[n] = stats.Median(each)
	}
	return p
}

// between is the usual time of a step from one instant to another: the slower one where the
// machines changed.
func (p *paces) between(size *fleetSize, from, to int64) float64 {
	slow := 0.0
	for i := size.place(from); i <= size.place(to); i++ {
		slow = max(slow, p.of[size.training(i)])
	}
	return cmp.Or(slow, p.overall)
}
