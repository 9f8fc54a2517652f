package fromruns

import (
	"math"
	"slices"
	"sort"
)

// stops is how long training stood, and why.
type stops struct {
	restarts, resizes, saves sample
	losses, back             int // losses after training had begun, and those after which steps were done again
}

// clock is a run with the speed of its workers at any instant.
type clock struct {
	number int
	run    *Run
	fleet  *fleet
	speed  func(kind string, n int) float64 // steps per second
	min    int
}

// rate returns the speed at an instant.
func (c *clock) rate(t float64) float64 {
	n, kind := c.fleet.at(t)
	if n < c.min || n == 0 {
		return 0
	}
	if kind != "" {
		return c.speed(kind, n)
	}
	sum := 0.0
	for _, worker := range c.fleet.workers {
		if worker.from <= t && t < worker.until {
			sum += c.speed(worker.kind, n) / float64(n)
		}
	}
	return sum
}

// spans calls visit with the spans of constant speed between two instants.
func (c *clock) spans(from, to float64, visit func(from, to, rate float64)) {
	for _, change := range append(slices.Clone(c.fleet.changes), to) {
		if change > from && from < to {
			end := math.Min(change, to)
			visit(from, end, c.rate(from))
			from = end
		}
	}
}

// work returns the steps that the workers can do between two instants.
func (c *clock) work(from, to float64) (steps float64) {
	c.spans(from, to, func(a, b, rate float64) { steps += rate * (b - a) })
	return steps
}

// resumed returns when the workers must have gone on after an instant for n steps at another.
func (c *clock) resumed(after, by, steps float64) float64 {
	late := c.work(after, by) - steps // could have been done, and was not
	at := after
	if late <= 0 {
		return after + late/math.Max(c.rate(after), 1e-12)
	}
	c.spans(after, by, func(a, b, rate float64) {
		done := rate * (b - a)
		if late > done {
			late -= done
			at = b
		} else if late > 0 {
			at = a + late/rate
			late = 0
		}
	})
	return at
}

// able returns the first instant from t on at which enough workers are there to train.
func (c *clock) able(t float64) float64 {
	if c.rate(t) > 0 {
		return t
	}
	for _, change := range c.fleet.changes {
		if change > t && c.rate(change) > 0 {
			return change
		}
	}
	return math.Inf(1)
}

// stops measures how long training stood after losses, after workers joined and for saves, where the record shows it.
func (c *clock) stops(out *stops) {
	for _, save := range c.run.Saves {
		if !math.IsNaN(save.Took) {
			out.saves.add(c.number, save.Took)
		}
	}
	points := c.run.Progress
	for i := 1; i < len(points); i++ {
		a := points[i-1]
		b := points[i]
		loss, losses := within(c.fleet.losses, a.At, b.At)
		if losses > 0 {
			out.losses++
			c.loss(a, b, loss, out)
			continue
		}
		if b.Steps <= a.Steps {
			continue
		}
		join, joins := within(c.fleet.joins, a.At, b.At)
		if joins == 0 && c.fleet.steady(a.At, b.At) && c.rate(a.At) > 0 {
			out.saves.add(c.number, c.save(a, b)...)
		}
		if joins == 1 && c.rate(math.Nextafter(join, 0)) > 0 && !c.saved(a.At, b.At) && c.alone(join, a.At, b.At) {
			out.resizes.add(c.number, c.resumed(join, b.At, b.Steps-a.Steps-c.work(a.At, join))-join)
		}
	}
}

// loss measures what follows a loss at an instant between two points.
func (c *clock) loss(a, b Point, at float64, out *stops) {
	able := c.able(at)
	done := b.Steps - a.Steps - c.work(a.At, at)
	if b.Steps < a.Steps {
		out.back++
		done = b.Steps - c.savedSteps(at, b.Steps)
	}
	resumed := c.resumed(able, b.At, done)
	if i := resumedIn(c.run.Resumed, at, b.At); i >= 0 {
		resumed = c.run.Resumed[i]
	}
	if able < b.At {
		out.restarts.add(c.number, resumed-able)
	}
}

// savedSteps returns the steps of the last save before an instant, at most those of the first point after it.
func (c *clock) savedSteps(at, largest float64) float64 {
	for i := len(c.run.Saves) - 1; i >= 0; i-- {
		save := c.run.Saves[i]
		if save.At > at {
			continue
		}
		begun := save.At
		if !math.IsNaN(save.Took) {
			begun -= save.Took
		}
		return math.Min(c.stepsAt(begun), largest)
	}
	return largest
}

// stepsAt returns the steps at an instant, between two points in proportion to the time.
func (c *clock) stepsAt(t float64) float64 {
	points := c.run.Progress
	i := sort.Search(len(points), func(i int) bool { return points[i].At > t })
	if i == 0 {
		return 0
	}
	before := points[i-1]
	if i == len(points) || points[i].Steps <= before.Steps {
		return before.Steps
	}
	after := points[i]
	return before.Steps + (after.Steps-before.Steps)*(t-before.At)/(after.At-before.At)
}

// save returns how long the save between two points took, if there was one of unknown length and no other.
func (c *clock) save(a, b Point) []float64 {
	n := 0
	for _, one := range c.run.Saves {
		if one.At > a.At && one.At <= b.At {
			n++
			if n > 1 || !math.IsNaN(one.Took) {
				return nil
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []float64{b.At - a.At - (b.Steps-a.Steps)/c.rate(a.At)}
}

// alone reports whether nothing else than what happens at an instant changes the workers between two others.
func (c *clock) alone(at, from, to float64) bool {
	return c.fleet.steady(from, at) && c.fleet.steady(at, to)
}

// saved reports whether a save was complete between two instants.
func (c *clock) saved(from, to float64) bool {
	return slices.ContainsFunc(c.run.Saves, func(s Save) bool { return s.At > from && s.At <= to })
}

// within returns the first of ascending instants from an instant on and before another, and how many there are.
func within(at []float64, from, to float64) (first float64, n int) {
	for _, instant := range at {
		if instant >= from && instant < to {
			if n == 0 {
				first = instant
			}
			n++
		}
	}
	return first, n
}
