package policyutil

import (
	"math"
	"reflect"
	"time"

	"github.com/marigram/marigram/sim"
)

// KeepSaved asks for a save of job j when the last one is every ago, and to be asked when the next one is due. With
// onNotice it also asks for one that is safe just before an instance under notice is gone, and leaves out one that
// would be in the way of that. A save that cannot be made now is made as soon as it can.
func KeepSaved(v sim.View, j int, every time.Duration, onNotice bool, plan *sim.Plan) {
	s := savingOf(v, v.Job(j))
	plan.AddInput("interval between saves", every.Seconds(), "s")
	plan.AddInput("since the last save", s.Now.Sub(s.Saved).Seconds(), "s")
	if why := s.Due(every, onNotice, plan.WakeIn); why != "" {
		plan.Jobs[j].Save = true
		plan.SetReason(why)
	}
}

// Saving is what decides when a job is saved.
type Saving struct {
	Now         sim.Time
	Saved       sim.Time // when the last save began
	Paused      sim.Time // when a pause ends; sim.Never without
	Leaving     sim.Time // when the next instance under notice goes; sim.Never without
	Training    bool
	Safe        bool          // the last save is; not looked at while the job does not train
	SaveTime    time.Duration // what a save takes
	PersistTime time.Duration // and then until it is safe
}

func savingOf(v sim.View, job sim.JobView) Saving {
	training := job.Training()
	return Saving{
		Now:         v.Now(),
		Saved:       job.LastSave(),
		Paused:      job.Paused(),
		Leaving:     job.Leaving(),
		Training:    training,
		Safe:        training && job.Safe(),
		SaveTime:    job.SaveTime(),
		PersistTime: job.PersistTime(),
	}
}

// Due is the rule of KeepSaved: it returns why a save is due now, "" if none is, and tells wake after which spans to
// ask again.
func (s *Saving) Due(every time.Duration, onNotice bool, wake func(time.Duration)) (why string) {
	if wait := s.Wait(every); wait > 0 {
		wake(wait)
		return ""
	}
	next := max(s.Saved.Add(every), s.Now)
	why = "save"
	latest := sim.Never
	if onNotice {
		lead := s.SaveTime + s.PersistTime + time.Microsecond
		latest = s.Leaving.Add(-lead)
		if s.Saved < latest && next.Add(lead) > latest {
			next = latest
			why = "save before an announced loss"
		}
	}
	if wait := next.Sub(s.Now); wait > 0 {
		wake(wait)
		return ""
	}
	wake(every)
	if wait := latest.Sub(s.Now); wait > 0 {
		wake(wait)
	}
	return why
}

// Wait returns how long a save has to wait: for the end of a pause, for training to start (an interval before the first
// save), or for the save before to be safe.
func (s *Saving) Wait(every time.Duration) time.Duration {
	switch {
	case !s.Training && s.Paused != sim.Never:
		return s.Paused.Sub(s.Now)
	case !s.Training:
		return every
	case !s.Safe:
		return max(s.PersistTime-s.Now.Sub(s.Saved), time.Microsecond)
	}
	return 0
}

// UntilSavable returns how long a save of a job has to wait (Saving.Wait).
func UntilSavable(v sim.View, job sim.JobView, every time.Duration) time.Duration {
	s := savingOf(v, job)
	return s.Wait(every)
}

// Unsaved is the rule of Saved: it returns whether a save is due before the machine of a job is released, and for how
// long to wait until the work is saved, but for what was done while the save became safe; 0 if it is.
func (s *Saving) Unsaved() (due bool, wait time.Duration) {
	switch {
	case !s.Training && s.Paused == sim.Never:
		return false, 0 // no work is under way
	case !s.Training || !s.Safe:
		return false, s.Wait(time.Microsecond)
	case s.Now.Sub(s.Saved) > s.PersistTime+time.Millisecond:
		return true, max(s.SaveTime, time.Microsecond)
	}
	return false, 0
}

// Saved reports whether the work of job j is saved, except for what it did while the save became safe, and asks for a
// save if it is not: its machine is about to be released.
func Saved(v sim.View, j int, plan *sim.Plan) bool {
	s := savingOf(v, v.Job(j))
	due, wait := s.Unsaved()
	if due {
		plan.Jobs[j].Save = true
	}
	if wait > 0 {
		plan.WakeIn(wait)
	}
	return wait == 0
}

// Trial evaluates a model on numbers of instances of one type. It holds scratch
// memory.
type Trial struct{ layout sim.Layout }

// Layout returns the layout of the last Train.
func (t *Trial) Layout() *sim.Layout { return &t.layout }

// Train returns the seconds that the whole job trains on n instances without a
// pause, +Inf if it cannot, and the fastest layout on them.
func (t *Trial) Train(m sim.Model, o sim.Objective, servers, n int) (seconds float64, l *sim.Layout) {
	l = &t.layout
	l.Workers = append(l.Workers[:0], int32(n))
	l.Servers = int32(servers)
	if m, ok := m.(sim.PipelineModel); ok {
		pipelines, stages := m.Best(n)
		l.Pipelines = int32(pipelines)
		l.Stages = int32(stages)
	}
	rate := m.Rate(l).Progress
	if rate == 0 {
		return math.Inf(1), l
	}
	return (m.Goal(o.Loss) - m.Begin(l)) / rate, l
}

// SameModel reports whether two models are one, of which what was worked out holds for the other: false for those of a
// type whose values cannot be compared.
func SameModel(a, b sim.Model) bool {
	return a != nil && reflect.TypeOf(a).Comparable() && a == b
}
