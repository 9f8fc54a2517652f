package reference

import (
	"math"
	"slices"
	"strconv"

	"github.com/marigram/marigram/policies/schedulers/eva"
)

// notice keeps the ticks at which jobs came and went, if that changes what can be moved. A job that
// is being moved is neither in one list nor in the other, and so counted twice.
func (w *world) notice(unfinished []*job) {
	if slices.Equal(unfinished, w.last) {
		return
	}
	var ticks []int
	for _, j := range unfinished {
		if !slices.Contains(w.last, j) {
			ticks = append(ticks, j.Arrival)
		}
	}
	for _, j := range w.last {
		if !slices.Contains(unfinished, j) {
			ticks = append(ticks, w.result.Ends[j.id])
		}
	}
	slices.Sort(ticks)
	w.ticks = append(w.ticks, ticks...)
}

// horizon is how long a plan is expected to hold, s.
func (w *world) horizon() float64 {
	n := len(w.ticks)
	if n == 0 || w.full == 0 {
		return float64(w.now)
	}
	p := float64(w.full) / float64(n)
	mean := 0.0
	if n > 1 {
		mean = float64(w.ticks[n-1]-w.ticks[0]) / float64(n-1)
	}
	return -mean / math.Log(1-p)
}

// value is what a plan saves until the horizon, less what it costs to move to it, USD.
func (w *world) value(plan []eva.Planned, horizon float64) float64 {
	value, price := 0.0, 0.0
	for _, x := range plan {
		value += w.planner.Value(x.Tasks, false)
		price += w.Types[x.Type].USD
	}
	saving := (value - cents(price)) / 3600
	return cents(saving*horizon - w.migration(plan))
}

// migration is what it costs to move to a plan, USD.
func (w *world) migration(plan []eva.Planned) float64 {
	moves := map[*job]bool{}
	cost := 0.0
	for _, x := range plan {
		if x.Instance == eva.New {
			cost += every * w.Types[x.Type].USD / 3600
		}
		for _, t := range x.Tasks {
			if o := w.tasks[t.ID]; o.to == nil || o.to.id != x.Instance {
				moves[o.job] = true
			}
		}
	}
	for _, j := range w.jobs {
		if !moves[j] {
			continue
		}
		longest := 0
		for _, t := range j.tasks {
			if t.Kind < len(w.moving) {
				m := &w.moving[t.Kind]
				longest = max(longest, m.fetch+m.build+m.upload)
			}
		}
		cost += float64(longest+j.Workload.Init) * w.alone(j)
	}
	return cost
}

// alone is the price a second of the instances that would be rented for a job alone.
func (w *world) alone(j *job) float64 {
	if j.alone == 0 {
		p := eva.Planner{Types: w.Types, Speed: &eva.Speeds{}, Released: true}
		for _, x := range p.TopDown(nil, tasksOf(j.tasks), nil) {
			j.alone += w.Types[x.Type].USD / 3600
		}
	}
	return j.alone
}

// cents rounds to two decimals as Python's round does: the value in binary, half to even.
func cents(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 2, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return y
}
