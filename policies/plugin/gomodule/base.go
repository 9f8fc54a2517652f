package gomodule

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Base is what most policies need beside Ask: embed it, and it is the Begin of the policy. Jobs are those of the view by their place in
// it, pools by their number. What it is named in Go and in Python has the same meaning there (policyutil, marigram.py).
type Base struct {
	Pools  []message.Pool
	Limits []message.Limit // quotas over several pools
}

// Begin implements Policy.
func (b *Base) Begin(m *message.Begin) { b.Pools, b.Limits = m.Pools, m.Limits }

// Plan returns the plan of job j, to change.
func (b *Base) Plan(v *message.View, j int, plan *message.Plan) *message.JobPlan {
	if plan.Jobs == nil {
		plan.Jobs = make([]message.JobPlan, len(v.Jobs))
		for i := range v.Jobs {
			plan.Jobs[i].Job = &v.Jobs[i].Job
		}
	}
	return &plan.Jobs[j]
}

// Hold returns how many instances job j is to hold by pool, to change: what it wants so far, until the plan says something else.
func (b *Base) Hold(v *message.View, j int, plan *message.Plan) []int {
	mine := b.Plan(v, j, plan)
	if mine.Hold == nil {
		mine.Hold = &message.Hold{ByPool: make([]int, len(b.Pools))}
		for _, h := range v.Jobs[j].Held {
			mine.Hold.ByPool[h.Pool] = h.Want
		}
	}
	return mine.Hold.ByPool
}

// Held returns what job j has and has requested in pool p.
func (b *Base) Held(v *message.View, j, p int) message.Held {
	for _, h := range v.Jobs[j].Held {
		if h.Pool == p {
			return h
		}
	}
	return message.Held{Pool: p}
}

// Headroom returns how many more instances of pool p job j can hold within the quotas, beside those that it has (starting, ready or
// under notice) and those that other jobs plan to hold.
func (b *Base) Headroom(v *message.View, plan *message.Plan, j, p int) int {
	free := b.left(v, plan, j, p, b.Pools[p].Quota, p)
	for _, l := range b.Limits {
		for _, of := range l.Pools {
			if of == p {
				free = min(free, b.left(v, plan, j, p, l.Instances, l.Pools...))
			}
		}
	}
	return max(free, 0)
}

// left is what a quota over pools leaves to job j in pool p.
func (b *Base) left(v *message.View, plan *message.Plan, j, p, quota int, pools ...int) int {
	for _, q := range pools {
		for i := range v.Jobs {
			h := b.Held(v, i, q)
			quota -= h.Noticed
			if i == j && q == p {
				quota -= h.Starting + h.Ready
			} else {
				quota -= b.Hold(v, i, plan)[q]
			}
		}
	}
	return quota
}

// KeepSaved asks for a save of job j when the last one is every ago, and to be asked when the next one is due. With onNotice it also
// asks for one that is safe just before an instance under notice is gone.
func (b *Base) KeepSaved(v *message.View, j int, every time.Duration, onNotice bool, plan *message.Plan) {
	s := saving(v, j)
	b.AddInput(v, "interval between saves", every.Seconds(), "s", plan)
	b.AddInput(v, "since the last save", s.Now.Sub(s.Saved).Seconds(), "s", plan)
	if why := s.Due(every, onNotice, func(d time.Duration) { b.WakeIn(d, plan) }); why != "" {
		b.Plan(v, j, plan).Save, plan.Because = true, why
	}
}

// Saved reports whether the work of job j is saved, except for what it did while the save became safe, and asks for a save if it is
// not: its machine is about to be released.
func (b *Base) Saved(v *message.View, j int, plan *message.Plan) bool {
	s := saving(v, j)
	due, wait := s.Unsaved()
	if due {
		b.Plan(v, j, plan).Save = true
	}
	if wait > 0 {
		b.WakeIn(wait, plan)
	}
	return wait == 0
}

func saving(v *message.View, j int) policyutil.Saving {
	x := &v.Jobs[j]
	return policyutil.Saving{Now: sim.At(v.NowS), Saved: sim.At(x.SavedS), Paused: instant(x.PausedS), Leaving: instant(x.LeavingS),
		Training: x.Training, Safe: x.Safe, SaveTime: span(x.SaveS), PersistTime: span(x.PersistS)}
}

// ReadyAfter returns the seconds after which all of n instances of a pool are ready with a probability of share, which is a quantile of
// their lognormal boot times.
func ReadyAfter(p *message.Pool, n int, share float64) float64 {
	return policyutil.ReadyAfter(sim.Boot{Median: span(p.BootMedianS), Sigma: p.BootSigma}, n, share)
}

// WakeIn asks to be asked again after a span above 0, or after the shortest of several; it is rounded up to the microsecond.
func (b *Base) WakeIn(d time.Duration, plan *message.Plan) {
	s := sim.Time(0).Add(d).Seconds()
	if plan.WakeS == nil || s < *plan.WakeS {
		plan.WakeS = &s
	}
}

// AddInput records a number that the decision is based on, where somebody listens.
func (b *Base) AddInput(v *message.View, name string, value float64, unit string, plan *message.Plan) {
	if v.Recorded {
		plan.Inputs = append(plan.Inputs, message.Input{Name: name, Value: value, Unit: unit})
	}
}

func instant(s *float64) sim.Time {
	if s == nil {
		return sim.Never
	}
	return sim.At(*s)
}

// span returns seconds as a span; those of models may be as fine as nanoseconds.
func span(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }
