// Package workload makes the jobs of a spec: of a trace or of a generator, as jobs of the
// simulated world. Those of a trace are read once, and then job by job by each run: they are not held.
package workload

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
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
	if g := s.Model.Gang; g != nil && g.Phases != "" {
		if w.phases, err = throughput.OpenPhases(s.Path(g.Phases)); err != nil {
			return nil, s.ErrorAt("$.model.gang.phases", "%v", err)
		}
	}
	if s.Jobs.Trace != "" {
		if err := w.read(); err != nil {
			return nil, s.ErrorAt("$.jobs.trace", "%v", err)
		}
	}
	return w, w.openClaims()
}

// openClaims reads what users ask of a scheduler.
func (w *Workload) openClaims() (err error) {
	claims := w.spec.Jobs.Claims.Chosen()
	if claims == nil {
		return nil
	}
	if w.claims, err = claims.Open(w.spec.Path); err != nil {
		return w.spec.ErrorAt("$.jobs."+claims.Key(), "%v", err)
	}
	w.Warnings = append(w.Warnings, w.claims.Warnings()...)
	return nil
}

// Drawn reports whether every seed has jobs, or deadlines, of its own.
func (w *Workload) Drawn() bool { return w.jobs == nil || w.spec.Jobs.Deadlines != nil }

// For returns the jobs of a seed on a market, of a run that starts so long after the beginning of the traces. Errors
// name the job.
func (w *Workload) For(seed int64, m *sim.Market, start time.Duration) (*Jobs, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.last != nil && w.last.Are(seed, m, start) {
		return w.last, nil
	}
	jobs := &Jobs{of: w, seed: seed, start: start, market: m, jobs: w.jobs}
	if jobs.jobs == nil {
		var err error
		if jobs.jobs, err = w.generate(seed); err != nil {
			return nil, err
		}
	}
	if err := jobs.check(); err != nil {
		return nil, err
	}
	w.last = jobs
	return jobs, nil
}

// Are reports whether they are those of a seed on a market, of a run that starts then.
func (x *Jobs) Are(seed int64, m *sim.Market, start time.Duration) bool {
	return x.market == m && (x.seed == seed || !x.of.Drawn()) && (x.start == start || !x.of.spec.Jobs.FollowStart)
}

// check looks at all jobs once.
func (x *Jobs) check() error {
	left := x.arrivals(nil)
	var job sim.Job
	var unnamed fallen
	if gang := x.of.spec.Model.Gang; gang != nil {
		for _, kind := range slices.Sorted(maps.Keys(gang.NetworkByKind)) {
			x.Strange = append(x.Strange, StrangeKind{"model.gang.network_by_kind", kind})
		}
	}
	if x.of.phases != nil {
		for _, kind := range x.of.phases.Kinds {
			x.Strange = append(x.Strange, StrangeKind{"model.gang.phases", kind})
		}
	}
	for {
		more, err := left.Next(&job)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if left.number == 1 {
			x.Claim = job.Claim
		}
		unnamed.note(x.of, &left.job)
		x.note(left.build, &left.job)
	}
	x.N = left.number
	x.Dropped = left.dropped
	if x.N == 0 {
		return errors.New("no job is left, expected at least one (limit, from_s, until_s, drop_too_large, and " +
			"follow_start with a late start leave jobs out)")
	}
	if unnamed.n > 0 {
		x.Unnamed = unnamed.warning(x.of.table.Kinds)
	}
	return nil
}

// note notes what one of the jobs is like.
func (x *Jobs) note(b *builder, j *Job) {
	x.Users.note(j.User)
	x.Kinds.note(j.Kind)
	if len(x.Strange) > 0 {
		ofKind := func(of StrangeKind) bool { return of.Kind == j.Kind || of.Kind == "*" }
		x.Strange = slices.DeleteFunc(x.Strange, ofKind)
	}
	if x.Picky == "" {
		x.Picky = b.picky(j)
	}
	if j.Most > 0 {
		x.Resizable++
		if x.Perfect == "" {
			x.Perfect = b.scalesPerfectly(j)
		}
	}
	if x.Stranded == "" {
		x.Stranded = b.stranded(j)
	}
	x.compare(b, j)
}

// Hold returns all jobs, as the spec says them and as the world has them: for schedulers that look at all
// of them, and for recorders.
func (x *Jobs) Hold() (list []Job, jobs []sim.Job, err error) {
	list = make([]Job, 0, x.N)
	jobs = make([]sim.Job, 0, x.N)
	left := x.arrivals(nil)
	for {
		var job sim.Job
		more, err := left.Next(&job)
		if err != nil || !more {
			return list, jobs, err
		}
		list = append(list, left.job)
		jobs = append(jobs, job)
	}
}
