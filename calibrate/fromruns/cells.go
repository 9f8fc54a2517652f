package fromruns

import (
	"math"
	"slices"
)

// cells returns how fast a run trained on each number of workers of one type, from the stretches between two points
// in which nothing else happened; mixed counts the seconds on workers of several types, of which no speed is fitted.
func (f *fleet) cells(r *Run, run int) (out []cell, mixed float64) {
	type size struct {
		kind    string
		workers int
	}
	all := map[size]*cell{}
	clean := map[size]*cell{} // without the stretches with a save of unknown length
	var order []size
	for i := 1; i < len(r.Progress); i++ {
		from := r.Progress[i-1]
		to := r.Progress[i]
		steps := to.Steps - from.Steps
		seconds := to.At - from.At
		if steps <= 0 || !f.steady(from.At, to.At) || resumedIn(r.Resumed, from.At, to.At) >= 0 {
			continue
		}
		n, kind := f.at(from.At)
		if n == 0 {
			continue
		}
		if kind == "" {
			mixed += seconds
			continue
		}
		stopped, unknown := savesIn(r.Saves, from.At, to.At)
		if stopped >= seconds {
			continue
		}
		key := size{kind, n}
		if all[key] == nil {
			order = append(order, key)
			all[key] = &cell{run: run, kind: kind, workers: n}
			clean[key] = &cell{run: run, kind: kind, workers: n}
		}
		all[key].add(steps, seconds-stopped)
		if !unknown {
			clean[key].add(steps, seconds-stopped)
		}
	}
	for _, key := range order {
		if clean[key].seconds > 0 {
			out = append(out, *clean[key])
		} else {
			out = append(out, *all[key])
		}
	}
	return out, mixed
}

func (c *cell) add(steps, seconds float64) {
	c.steps += steps
	c.seconds += seconds
}

// resumedIn returns the first time that training went on again between two instants, -1 if there is none.
func resumedIn(at []float64, from, to float64) int {
	return slices.IndexFunc(at, func(t float64) bool { return t > from && t <= to })
}

// savesIn returns how long saves stopped training between two instants, and whether there were any of unknown length.
func savesIn(saves []Save, from, to float64) (seconds float64, unknown bool) {
	for _, save := range saves {
		switch {
		case math.IsNaN(save.Took):
			unknown = unknown || save.At > from && save.At <= to
		default:
			seconds += math.Max(math.Min(save.At, to)-math.Max(save.At-save.Took, from), 0)
		}
	}
	return seconds, unknown
}
