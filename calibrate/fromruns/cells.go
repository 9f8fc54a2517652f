package fromruns

import (
	"math"
	"slices"
)

// cells returns how fast a run trained on each number of workers of one type, from the stretches between two points in which nothing
// else happened; mixed counts the seconds on workers of several types, of which no speed is fitted.
func (f *fleet) cells(r *Run, run int) (out []cell, mixed float64) {
	clean, all := map[[2]any]*cell{}, map[[2]any]*cell{}
	var order [][2]any
	for i := 1; i < len(r.Progress); i++ {
		a, b := r.Progress[i-1], r.Progress[i]
		if b.Steps <= a.Steps || !f.steady(a.At, b.At) || resumedIn(r.Resumed, a.At, b.At) >= 0 {
			continue
		}
		n, kind := f.at(a.At)
		switch {
		case n == 0:
			continue
		case kind == "":
			mixed += b.At - a.At
			continue
		}
		stopped, unknown := savesIn(r.Saves, a.At, b.At)
		if stopped >= b.At-a.At {
			continue
		}
		key := [2]any{kind, n}
		if all[key] == nil {
			order = append(order, key)
			all[key], clean[key] = &cell{run: run, kind: kind, workers: n}, &cell{run: run, kind: kind, workers: n}
		}
		all[key].add(b.Steps-a.Steps, b.At-a.At-stopped)
		if !unknown {
			clean[key].add(b.Steps-a.Steps, b.At-a.At-stopped)
		}
	}
	for _, key := range order {
		if c := clean[key]; c.seconds > 0 { // else no stretch was without a save of unknown length
			out = append(out, *c)
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
	for _, s := range saves {
		switch {
		case math.IsNaN(s.Took):
			unknown = unknown || s.At > from && s.At <= to
		default:
			seconds += math.Max(math.Min(s.At, to)-math.Max(s.At-s.Took, from), 0)
		}
	}
	return seconds, unknown
}
