// Package fromruns fits a model of training to runs that were observed: from the instances that a run
// held and the steps that it had done by when, it works out how fast n workers train, how long
// training stands after a loss, after a change of their number and for a save, how long instances
// take until they are ready and until they train, and how long before a loss the cloud says so.
//
// Fit returns a Fitted: each number with the count of its observations, an interval and residuals, what could not be
// fitted and which default stands in its place. Fitted.Point is the model of its best numbers, Fitted.Draw one of the
// models that the observations allow: simulated many times, these are the interval of a prediction.
// Write and Read keep it in a model file, which specs read (model.observed).
package fromruns

import (
	"math"
	"slices"

	"github.com/marigram/marigram/internal/stats"
)

// Run is one observed run. Times are seconds from its beginning; NaN is unknown.
type Run struct {
	Name      string
	Instances []Instance
	Progress  []Point // by time, as recorded: a fall is a step back to a save
	Saves     []Save  // by time
	// Resumed are the instants, as far as recorded, at which training went on after it had stood.
	Resumed  []float64
	End      float64 // of the run
	Finished bool    // it reached its goal
}

// Instance is one that a run held.
type Instance struct {
	Type, Zone string
	OnDemand   bool
	Launched   float64 // granted
	Ready      float64 // it can train
	Noticed    float64 // its end was announced
	Gone       float64 // +Inf: held until the run ended
	Taken      bool    // by the cloud, or by a failure; else given back
}

// Point is the number of steps done by an instant.
type Point struct{ At, Steps float64 }

// Save is a checkpoint that is complete at an instant, after n seconds.
type Save struct{ At, Took float64 }

// Steps returns the steps at the beginning of the record and the most that were done. A first point that is no farther
// than two of the usual distances between points is taken to belong to a run that began at 0, if an instance was
// there before it.
func (r *Run) Steps() (from, to float64) {
	if len(r.Progress) == 0 {
		return 0, 0
	}
	first := r.Progress[0]
	from = first.Steps
	before := slices.ContainsFunc(r.Instances, func(x Instance) bool { return x.Launched < first.At })
	if before && from <= 2*r.gap() {
		from = 0
	}
	for _, point := range r.Progress {
		to = math.Max(to, point.Steps)
	}
	return from, to
}

// gap returns the median number of steps between two points, 0 without two.
func (r *Run) gap() float64 {
	var gaps []float64
	for i := 1; i < len(r.Progress); i++ {
		if steps := r.Progress[i].Steps - r.Progress[i-1].Steps; steps > 0 {
			gaps = append(gaps, steps)
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	return stats.Median(gaps)
}
