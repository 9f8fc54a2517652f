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
	var p Progress
	var w training
	for i := range r.Events {
		e := &r.Events[i]
		switch e.Kind {
		case Restart:
			p.Restarts++
		case Save:
			p.Saves++
		}
		if lost := w.see(e); lost > 0 {
			p.Redone += lost
			p.Falls++
		}
		if e.Kind == Step || e.Kind == Restored && !math.IsNaN(e.Value) {
			p.Points = append(p.Points, Point{e.T, e.Value})
		}
	}
	p.Steps = w.steps
	for _, h := range r.Holdings() {
		if h.Lost() {
			p.Interruptions++
		}
	}
	return p
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
		w.steps, w.saved = e.Value, min(w.saved, e.Value)
	case e.Kind == Step:
		if e.Value < w.steps {
			lost = w.steps - w.from(e.Value)
		}
		w.steps, w.saved = e.Value, min(w.saved, e.Value)
	}
	return lost
}

// from is where training went on if it is at n steps after it went back: at the last
// checkpoint, where there was one before that.
func (w *training) from(steps float64) float64 {
	if w.saved > 0 && w.saved <= steps {
		return w.saved
	}
	return steps
}
