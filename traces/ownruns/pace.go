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
	var marks []mark
	var so training
	for i := range r.Events {
		event := &r.Events[i]
		before := so.steps
		lost := so.see(event)
		switch {
		case event.Kind == Step:
			marks = append(marks, mark{at: event.T, steps: event.Value, from: before - lost, fell: lost > 0})
		case event.Kind == Restored && so.steps != before:
			marks = append(marks, mark{at: event.T, steps: so.steps, from: so.steps, fell: lost > 0})
		}
	}
	return marks
}

// paces are the usual times of a step, us, by the number of machines that train.
type paces struct {
	of      map[int]float64
	overall float64 // 0: not known
}

// pacesOf takes the medians over the pieces in which machines did not change.
func pacesOf(marks []mark, size *fleetSize) paces {
	by := map[int][]float64{} // by the number of machines
	var all []float64
	for i := 1; i < len(marks); i++ {
		mark := &marks[i]
		before := &marks[i-1]
		if mark.fell || mark.steps <= mark.from || mark.at <= before.at {
			continue
		}
		stepTime := float64(mark.at-before.at) / (mark.steps - mark.from)
		all = append(all, stepTime)
		place := size.place(before.at)
		if place == size.place(mark.at) {
			machines := size.training(place)
			by[machines] = append(by[machines], stepTime)
		}
	}
	pace := paces{of: map[int]float64{}}
	if len(all) > 0 {
		pace.overall = stats.Median(all)
	}
	for machines, stepTimes := range by {
		pace.of[machines] = stats.Median(stepTimes)
	}
	return pace
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
