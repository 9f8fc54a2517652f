package sim

import (
	"time"
)

// remember starts at the first instant of the grid from now on.
func (w *World) remember() {
	if w.plan.forget {
		w.past.next, w.past.n = Never, 0
	}
	w.plan.forked, w.plan.forget = false, false
	if w.past.next != Never {
		return
	}
	every := w.plan.every
	w.past.next = w.now
	if late := w.now.Sub(w.start) % every; late > 0 {
		w.past.next = w.now.Add(every - late)
	}
	w.past.counts = resize(w.past.counts, w.plan.keep*len(w.jobs))
}

// note fills in the instants of the grid before at, until when nothing changes.
func (w *World) note(at Time) {
	x := &w.past
	for x.next < at {
		if behind := at.Sub(x.next) / w.plan.every; int(behind) > w.plan.keep { // none of these is kept
			skip := int(behind) - w.plan.keep
			x.next = x.next.Add(w.plan.every * time.Duration(skip))
			x.n += skip
		}
		row := x.counts[x.n%w.plan.keep*len(w.jobs):][:len(w.jobs)]
		clear(row)
		for _, j := range w.activeJobs {
			row[j] = w.activeInstances(j)
		}
		x.n++
		x.next = x.next.Add(w.plan.every)
	}
}

// Past appends to into how many instances the job had, those under notice left out,
// at the instants that Plan.Remember asks for, the oldest first. They are at most as
// many as it keeps; the present instant is the last if it is on the grid.
func (v JobView) Past(into []float64) []float64 {
	x, keep := &v.w.past, v.w.plan.keep
	if v.w.plan.forget {
		return into
	}
	first, now := max(x.n-keep, 0), x.next == v.w.now
	if now && x.n >= keep {
		first++
	}
	for i := first; i < x.n; i++ {
		into = append(into, float64(x.counts[i%keep*len(v.w.jobs)+v.j]))
	}
	if now {
		into = append(into, float64(v.w.activeInstances(v.j)))
	}
	return into
}
