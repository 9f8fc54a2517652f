package ownruns

import (
	"math"
)

// Point is how far training was at an instant, us.
type Point struct {
	T     int64
	Steps float64
}

// Progress is how training went.
type Progress struct {
	// Points are the steps as recorded, falls included. Where training went on from a
	// checkpoint whose step was recorded, that is a point too.
	Points []Point
	Steps  float64 // steps that are done at the end
	// Redone is the steps that were lost, and done again or not. Where neither the checkpoint
	// nor the step from which training went on was recorded, it is what the record shows,
	// which is too few by what was trained since the last record and up to the next.
	Redone        float64
	Falls         int // times that training went back
	Restarts      int // times that the training process began again
	Saves         int // checkpoints
	Interruptions int // machines that were preempted or broke
}

// Progress returns how training went.
func (r *Run) Progress() Progress {
	var progress Progress
	var so training
	for i := range r.Events {
		event := &r.Events[i]
		switch event.Kind {
		case Restart:
			progress.Restarts++
		case Save:
			progress.Saves++
		}
		lost := so.see(event)
		if lost > 0 {
			progress.Redone += lost
			progress.Falls++
		}
		if event.Kind == Step || event.Kind == Restored && !math.IsNaN(event.Value) {
			progress.Points = append(progress.Points, Point{event.T, event.Value})
		}
	}
	progress.Steps = so.steps
	for _, holding := range r.Holdings() {
		if holding.Lost() {
			progress.Interruptions++
		}
	}
	return progress
}

// training follows how far training is.
type training struct {
	steps float64 // done
	saved float64 // at the last checkpoint
}

// see takes in an event and returns how many steps were lost before it.
func (w *training) see(e *Event) (lost float64) {
	switch {
	case e.Kind == Save:
		w.saved = w.steps
	case e.Kind == Restored && !math.IsNaN(e.Value):
		lost = max(0, w.steps-e.Value)
		w.moveTo(e.Value)
	case e.Kind == Step:
		if e.Value < w.steps {
			lost = w.steps - w.resumedFrom(e.Value)
		}
		w.moveTo(e.Value)
	}
	return lost
}

// moveTo takes in how far training is: a checkpoint of later steps is of no use any more.
func (w *training) moveTo(steps float64) {
	w.steps = steps
	w.saved = min(w.saved, steps)
}

// resumedFrom returns where training went on if it is at these steps after it went back: at the last checkpoint, where
// there was one before that.
func (w *training) resumedFrom(steps float64) float64 {
	if w.saved > 0 && w.saved <= steps {
		return w.saved
	}
	return steps
}
