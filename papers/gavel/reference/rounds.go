// Package reference replays the simulator of Gavel (OSDI 2020; stanford-futuredata/gavel at bc66833,
// scheduler/scheduler.py) as it counts: rounds, on a clock of floating-point seconds, whose
// operations are kept in their order. For claims only: the simulator's jobs restart at no cost.
package reference

import (
	"math"
	"slices"

	"github.com/marigram/marigram/internal/pyrandom"
)

// Run simulates until all jobs are over.
func Run(c Config) []Result {
	r := &rounds{Config: c, random: pyrandom.New(c.Seed + 5), need: true, end: math.NaN(), pairs: map[Unit]int{}}
	if r.Until == 0 {
		r.Until = len(c.Jobs)
	}
	r.open = r.Until
	r.jobs, r.result, r.taken = make([]job, len(c.Jobs)), make([]Result, len(c.Jobs)), make([]int, len(c.Jobs))
	r.worker = make([]float64, len(c.GPUs))
	r.order = slices.Clone(c.Order)
	for idle := 0; r.open > 0 && idle < 3; {
		if len(r.running) > 0 || r.next < len(r.Jobs) {
			idle = 0
		} else {
			idle++ // nothing can run any more, perhaps
		}
		r.step()
	}
	return r.result
}

// step is one round.
func (r *rounds) step() {
	r.count++
	r.clock()
	if len(r.running) > 0 {
		for _, e := range r.ends {
			r.finish(&r.running[e.task])
		}
		r.running = r.running[:0]
	}
	for r.next < len(r.Jobs) && r.Jobs[r.next].Arrival <= r.t {
		r.arrive(r.next)
		r.next++
	}
	if r.need && (r.t-r.last >= recompute || r.last == 0) {
		r.share()
	}
	r.selectUnits()
}

// clock moves the time to the end of the round, or to the next arrival. What runs is put in order
// of its end, latest first.
func (r *rounds) clock() {
	switch {
	case len(r.running) > 0:
		if !math.IsNaN(r.end) {
			r.start = r.end
		}
		r.orderEnds()
		r.t = r.ends[0].at
		r.end = r.t
	case r.next < len(r.Jobs):
		r.t = r.Jobs[r.next].Arrival
	default:
		r.t = r.last + recompute
	}
}

// orderEnds puts what runs in order of its end. That is nearly the order of the round before, since a job takes about
// as long in every round.
func (r *rounds) orderEnds() {
	r.ends = r.ends[:0]
	for _, k := range r.ended {
		if u := &r.units[k]; u.ran == r.count-1 {
			u.ran = 0
			r.ends = append(r.ends, end{r.running[u.task].finish, u.task})
		}
	}
	for i := range r.running {
		if u := &r.units[r.running[i].u]; u.ran != 0 {
			r.ends = append(r.ends, end{r.running[i].finish, i})
		}
	}
	r.ended = r.ended[:0]
	for i, e := range r.ends {
		k := i
		for ; k > 0 && r.later(e, r.ends[k-1]) < 0; k-- {
			r.ends[k] = r.ends[k-1]
		}
		r.ends[k] = e
	}
	for _, e := range r.ends {
		r.ended = append(r.ended, r.running[e.task].u)
	}
}

// arrive adds a job, and its pairs with all of its size.
func (r *rounds) arrive(j int) {
	r.result[j].Seen = r.t
	r.jobs[j] = job{seen: r.t, unit: r.add(j, Alone, credit)}
	if r.Together != nil {
		for _, i := range r.alive {
			if r.Jobs[i].GPUs == r.Jobs[j].GPUs {
				r.pairs[Unit{A: i, B: j}] = r.add(i, j, 0)
			}
		}
	}
	r.alive = append(r.alive, j)
	r.need = true
}
