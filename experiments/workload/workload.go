// Package workload makes the jobs of a spec: of a trace or of a generator, as jobs of the
// simulated world. Those of a trace are read once, and then job by job by each run: they are not held.
package workload

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// Open reads what a spec says of its jobs. Errors name the file and the place.
func Open(s *spec.Spec) (*Workload, error) {
	w := &Workload{spec: s}
	var err error
	if w.table, err = s.Model.Gang.Table(s.Path); err != nil {
		return nil, s.ErrorAt("$.model.gang.speeds", "%v", err)
	}
	if s.Jobs.Trace != "" {
		if err := w.read(); err != nil {
			return nil, s.ErrorAt("$.jobs.trace", "%v", err)
		}
	}
	return w, nil
}

// Drawn reports whether every seed has jobs, or deadlines, of its own.
func (w *Workload) Drawn() bool { return w.jobs == nil || w.spec.Jobs.Deadlines != nil }

// For returns the jobs of a seed on a market, of a run that starts so long after the beginning of the traces. Errors
// name the job.
func (w *Workload) For(seed int64, m *sim.Market, start time.Duration) (*Jobs, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if l := w.last; l != nil && l.Are(seed, m, start) {
		return l, nil
	}
	x := &Jobs{of: w, seed: seed, start: start, market: m, jobs: w.jobs}
	if x.jobs == nil {
		var err error
		if x.jobs, err = w.generate(seed); err != nil {
			return nil, err
		}
	}
	if err := x.check(); err != nil {
		return nil, err
	}
	w.last = x
	return x, nil
}

// Are reports whether they are those of a seed on a market, of a run that starts then.
func (x *Jobs) Are(seed int64, m *sim.Market, start time.Duration) bool {
	return x.market == m && (x.seed == seed || !x.of.Drawn()) && (x.start == start || !x.of.spec.Jobs.FollowStart)
}

// check looks at all jobs once.
func (x *Jobs) check() error {
	a, job, unnamed := x.arrivals(nil), sim.Job{}, fallen{}
	if g := x.of.spec.Model.Gang; g != nil {
		x.Strange = slices.Sorted(maps.Keys(g.NetworkByKind))
	}
	for {
		more, err := a.Next(&job)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		unnamed.note(x.of, &a.job)
		x.Users.note(a.job.User)
		x.Kinds.note(a.job.Kind)
		if len(x.Strange) > 0 {
			x.Strange = slices.DeleteFunc(x.Strange, func(kind string) bool { return kind == a.job.Kind })
		}
		if x.Picky == "" {
			x.Picky = a.build.picky(&a.job)
		}
		if x.Stranded == "" {
			x.Stranded = a.build.stranded(&a.job)
		}
		x.compare(a.build, &a.job)
	}
	if x.N, x.Dropped = a.number, a.dropped; x.N == 0 {
		return fmt.Errorf("no job is left, expected at least one (limit, from_s, until_s, drop_too_large, and follow_start with a late start leave jobs out)")
	}
	if unnamed.n > 0 {
		x.Unnamed = unnamed.warning(x.of.table.Kinds)
	}
	return nil
}

// Hold returns all jobs, as the spec says them and as the world has them: for schedulers that look at all
// of them, and for recorders.
func (x *Jobs) Hold() (list []Job, jobs []sim.Job, err error) {
	list, jobs = make([]Job, 0, x.N), make([]sim.Job, 0, x.N)
	a := x.arrivals(nil)
	for {
		var job sim.Job
		more, err := a.Next(&job)
		if err != nil || !more {
			return list, jobs, err
		}
		list, jobs = append(list, a.job), append(jobs, job)
	}
}
