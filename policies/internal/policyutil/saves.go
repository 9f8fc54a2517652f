package policyutil

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// Save asks for a save when the last one is interval ago. With onNotice it also
// asks for one that is safe just before an instance under notice is gone, and
// leaves out one that would be in the way of that. A save that cannot be made now
// is made as soon as it can.
func Save(v sim.View, j int, interval time.Duration, onNotice bool, plan *sim.Plan) {
	job := v.Job(j)
	plan.AddInput("interval between saves", interval.Seconds(), "s")
	plan.AddInput("since the last save", v.Now().Sub(job.LastSave()).Seconds(), "s")
	if wait := UntilSavable(v, job, interval); wait > 0 {
		plan.WakeIn(wait)
		return
	}
	next, why, latest := max(job.LastSave().Add(interval), v.Now()), "save", sim.Never
	if onNotice {
		lead := job.SaveTime() + job.PersistTime() + time.Microsecond
		latest = job.Leaving().Add(-lead)
		if job.LastSave() < latest && next.Add(lead) > latest {
			next, why = latest, "save before an announced loss"
		}
	}
	if wait := next.Sub(v.Now()); wait > 0 {
		plan.WakeIn(wait)
		return
	}
	plan.Jobs[j].Save = true
	plan.WakeIn(interval)
	if wait := latest.Sub(v.Now()); wait > 0 {
		plan.WakeIn(wait)
	}
	plan.SetReason(why)
}

// UntilSavable returns how long a save has to wait: for the end of a pause, for
// training to start (an interval before the first save), or for the save before to
// be safe.
func UntilSavable(v sim.View, job sim.JobView, interval time.Duration) time.Duration {
	switch {
	case !job.Training() && job.Paused() != sim.Never:
		return job.Paused().Sub(v.Now())
	case !job.Training():
		return interval
	case !job.Safe():
		return max(job.PersistTime()-v.Now().Sub(job.LastSave()), time.Microsecond)
	}
	return 0
}

// Saved reports whether the work of job j is saved, except for what it did while the
// save became safe, and asks for a save if it is not: its machine is about to be
// released.
func Saved(v sim.View, j int, plan *sim.Plan) bool {
	job := v.Job(j)
	switch {
	case !job.Training() && job.Paused() == sim.Never:
		return true // no work is under way
	case !job.Training() || !job.Safe():
		plan.WakeIn(UntilSavable(v, job, time.Microsecond))
		return false
	case v.Now().Sub(job.LastSave()) > job.PersistTime()+time.Millisecond:
		plan.Jobs[j].Save = true
		plan.WakeIn(max(job.SaveTime(), time.Microsecond))
		return false
	}
	return true
}
