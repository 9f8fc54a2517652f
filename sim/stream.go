package sim

import (
	"fmt"
	"time"
)

// Err returns what was wrong with the jobs of Config.Source, if that ended the run; nil otherwise.
func (w *World) Err() error { return w.intake.err }

// resetIntake begins to take jobs from the source, if there is one.
func (w *World) resetIntake() {
	a := &w.intake
	*a = intake{slots: a.slots, vacant: a.vacant[:0], ended: a.ended[:0]}
	if w.cfg.Source != nil {
		a.stream = w.cfg.Source.Open()
		clear(a.slots)
		a.slots = append(a.slots[:0], w.specs...) // the host owner of a world of shared hosts
	}
}

// await looks at the next job of the source, and sets the timer of the arrivals to it.
func (w *World) await(before time.Duration) {
	a := &w.intake
	at := Never
	more, err := a.stream.Next(&a.coming)
	switch {
	case err != nil:
		a.err = fmt.Errorf("sim: job %d: %w", a.came, err)
	case more && a.coming.Submit < before:
		a.err = fmt.Errorf("sim: job %d (%s): submitted %v after the start, the one before it %v", a.came, a.coming.Name, a.coming.Submit, before)
	case more:
		if err := a.coming.checkIn(w.cfg.Policy, w.max); err != nil {
			a.err = fmt.Errorf("sim: job %d (%s): %w", a.came, a.coming.Name, err)
		}
		at = w.start.Add(a.coming.Submit)
		w.unfinished++
	}
	if a.err != nil {
		at, w.unfinished = Never, 0 // the run ends here
	}
	w.timers.Set(w.jobBase-1, at)
}

// arrive submits the job that is coming.
func (w *World) arrive() {
	w.changed()
	a := &w.intake
	if len(a.vacant) == 0 {
		w.moreSlots()
	}
	j := a.vacant[len(a.vacant)-1]
	a.vacant = a.vacant[:len(a.vacant)-1]
	fresh := w.jobs[j].id >= a.shared
	w.specs[j], a.coming = a.coming, w.specs[j]
	if !fresh {
		a.coming = Job{}
	}
	w.prepare(j, a.came, w.start)
	w.noteSaveTime(j)
	w.gangs[j] = gang{since: w.now, started: Never}
	w.plan.Jobs[j].empty(&w.specs[j])
	w.admit(&w.training, j)
	a.came++
	w.submit(w, j)
	w.await(w.specs[j].Submit)
}

// firstSlots is for how many jobs at once there is room at first.
const firstSlots = 64

// moreSlots makes room for twice as many jobs at once.
func (w *World) moreSlots() {
	was := len(w.jobs)
	n := max(2*was, firstSlots)
	w.slots = extend(w.slots, n)
	w.specs = w.slots
	w.dirtyJobs = extend(w.dirtyJobs, n)[:len(w.dirtyJobs)]
	w.gangs, w.jobs, w.lostPlaces, w.plan.Jobs = extend(w.gangs, n), extend(w.jobs, n), extend(w.lostPlaces, n), extend(w.plan.Jobs, n)
	if w.hostOwner >= 0 {
		w.placements = extend(w.placements, n)
	}
	for j := n - 1; j >= was; j-- {
		w.vacant = append(w.vacant, j)
	}
	w.timers.grow(w.jobBase + n)
}

// freeSlots frees the slots of jobs that are over, of which the scheduler has been notified, and whose tasks have left their hosts.
func (w *World) freeSlots() {
	if w.stream != nil {
		kept := w.ended[:0]
		for _, j := range w.ended {
			if w.isLeaving(j) {
				kept = append(kept, j)
			} else {
				w.vacant = append(w.vacant, j)
			}
		}
		w.ended = kept
	}
}

// copyFrom makes a the intake of a fork of src.
func (a *intake) copyFrom(src *intake) {
	old := *a
	*a = *src
	a.vacant, a.ended = append(old.vacant[:0], src.vacant...), append(old.ended[:0], src.ended...)
	if src.stream != nil {
		src.shared = src.came + 1 // the one that is coming, too
		a.stream, a.shared, a.slots = src.stream.Fork(), src.shared, append(old.slots[:0], src.slots...)
	}
}
