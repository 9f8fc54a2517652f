package sim

import (
	"fmt"
	"time"
)

// Source is jobs in the order of their submission, for runs of more jobs than memory has room
// for. Only a policy that plans by parts or by tasks can run it. It is shared and read only.
type Source interface {
	// Open returns the jobs from the first on.
	Open() Arrivals
}

// Arrivals is what is left of a Source.
type Arrivals interface {
	// Next sets job to the next one, and reports whether there was one. Submit must not be before that
	// of the job before. What job holds at first is a job that is over, or nothing: its Model may be
	// used again. The model of a job must last until the job is over.
	Next(job *Job) (bool, error)
	// Fork returns what is left for a copy of the run. It shares no memory that changes.
	Fork() Arrivals
}

// intake is the part of a world that takes jobs from a Source. Jobs have slots, which are used
// again when the scheduler has been told that their jobs are over.
type intake struct {
	stream Arrivals // nil without a Source
	slots  []Job    // the jobs of the slots
	coming Job      // the next job
	came   int      // jobs that were submitted
	vacant []int    // slots without a job, a stack
	ended  []int    // slots of jobs that are over, of which the scheduler is not told yet
	shared int      // models of jobs before this one are a fork's, too
	err    error    // what ended the arrivals
}

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
	w.plan.Jobs[j] = JobPlan{Servers: w.specs[j].ParameterServers, parts: w.plan.Jobs[j].parts[:0], tasks: w.plan.Jobs[j].tasks[:0]}
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

// jobOver notes that the job of a slot is over: where jobs come from a source, its slot is used again once the scheduler was told.
func (a *intake) jobOver(j int) {
	if a.stream != nil {
		a.ended = append(a.ended, j)
	}
}

// extend returns s with length n, which is more; what it had before is kept, beyond it too where
// there is memory.
func extend[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return append(s[:cap(s)], make([]T, n-cap(s))...)
}

// freeSlots frees the slots of jobs that are over, of which the scheduler has been told, and whose tasks have left their hosts.
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
