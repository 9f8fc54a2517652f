// Package workload makes the jobs of a spec: of a trace or of a generator, as jobs of the
// simulated world.
package workload

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/spec/cluster"
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
	if g := s.Jobs.Synthetic; g != nil {
		if w.rhythm, err = g.Generator(s.Path); err != nil {
			return nil, s.ErrorAt("$.jobs.synthetic", "%v", err)
		}
	}
	return w, nil
}

// Drawn reports whether every seed has jobs of its own.
func (w *Workload) Drawn() bool { return w.jobs == nil }

// For returns the jobs of a seed on a market. Errors name the job.
func (w *Workload) For(seed int64, m *sim.Market) (*Jobs, error) {
	list := w.jobs
	if list == nil {
		list = w.generate(seed)
	}
	list = choose(list, w.spec.Jobs)
	out := &Jobs{List: make([]Job, 0, len(list)), Sim: make([]sim.Job, 0, len(list))}
	b := newBuilder(w, m)
	for i := range list {
		j := &list[i]
		if b.tooLarge(j) && w.spec.Jobs.DropTooLarge {
			out.Dropped++
			continue
		}
		gang, err := b.gang(j)
		if err != nil {
			return nil, fmt.Errorf("%s%w", j.place(), err)
		}
		within := j.Deadline
		if within == 0 {
			within = unlimited
		}
		if out.Picky == "" {
			out.Picky = b.picky(j)
		}
		out.List = append(out.List, *j)
		out.Sim = append(out.Sim, sim.Job{Name: j.ID, Submit: j.Submit, Model: gang, Objective: sim.Objective{Within: within}})
	}
	if len(out.List) == 0 {
		return nil, fmt.Errorf("no job is left, expected at least one (limit, from_s, until_s and drop_too_large leave jobs out)")
	}
	return out, nil
}

// choose leaves out jobs as the spec wants it, and counts time from the first of those that are left.
func choose(list []Job, x *cluster.Jobs) []Job {
	out := make([]Job, 0, len(list))
	for _, j := range list {
		at := j.Submit.Seconds()
		if at < x.FromS || x.UntilS != nil && at >= *x.UntilS {
			continue
		}
		if x.Limit > 0 && len(out) == x.Limit {
			break
		}
		out = append(out, j)
	}
	if len(out) == 0 {
		return out
	}
	first := out[0].Submit
	for i := range out {
		out[i].Submit -= first
		if x.Load != nil {
			out[i].Submit = time.Duration(float64(out[i].Submit) / *x.Load).Round(time.Microsecond)
		}
	}
	return out
}
