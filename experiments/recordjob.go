package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
)

// Span implements sim.Recorder: a row of the first group, of those of which something is held or requested, and of
// those that changed; of many jobs, rows of all groups if any changed.
func (r *recorder) Span(s *sim.Span) {
	before := r.now
	r.now = results.Span{StartS: r.elapsed(s.From), EndS: r.elapsed(s.To), CostUSD: s.USD}
	if r.many {
		r.jobsNow(s)
	} else {
		r.jobNow(&s.Jobs[0])
	}
	r.poolsNow(s)
	if n := len(r.rows.Spans); r.many && n > 0 && slices.EqualFunc(r.rows.Spans[r.last:], r.state, sameState) {
		for i := r.last; i < n; i++ {
			goOn(&r.rows.Spans[i], &r.now)
		}
		return
	}
	r.last = len(r.rows.Spans)
	for g := range r.state {
		r.add(g, &before)
	}
}

// add adds the row of a group, unless the one before goes on; before is what the interval before had in common.
func (r *recorder) add(g int, before *results.Span) {
	row := &r.state[g]
	idle := !r.many && g > 0 && !row.Used()
	if open := r.open[g]; open >= 0 {
		if idle && sameOffer(&r.rows.Spans[open], row) {
			return
		}
		r.end(g, before)
	}
	out := *row
	if row.Capacity != nil {
		out.Capacity = new(*row.Capacity)
	}
	if idle {
		out.Activity, out.RateProgressPerS, out.Layout, r.open[g] = "", 0, "", len(r.rows.Spans)
	}
	r.rows.Spans = append(r.rows.Spans, out)
}

// jobNow notes what the job of a run of one does.
func (r *recorder) jobNow(job *sim.JobSpan) {
	x := &r.now
	x.Activity, x.RateProgressPerS, x.Progress, x.Loss = job.Activity.String(), job.Rate, job.Done, job.Loss
	if len(job.Layout.Workers) > 0 {
		x.Layout = describeLayout(r.model, &job.Layout)
	}
	if job.Activity == sim.Waiting || job.Activity == sim.Starting {
		r.waited += x.EndS - x.StartS
	}
	if job.Rate > 0 && r.started == nil {
		r.started = new(x.StartS)
	}
}

// describeLayout names the layout of a job that trains in layouts over GPU types or in pipelines; empty of others.
func describeLayout(m sim.Model, l *sim.Layout) string {
	if x, names := m.(interface{ Describe(*sim.Layout) string }); names {
		return x.Describe(l)
	}
	if l.Stages == 0 {
		return ""
	}
	return fmt.Sprintf("pipelines x stages %d x %d", l.Pipelines, l.Stages)
}

// jobsNow notes what many jobs do together.
func (r *recorder) jobsNow(s *sim.Span) {
	r.addDone(s)
	x := &r.now
	x.Progress, x.Activity = r.done/float64(len(s.Jobs)), sim.Waiting.String()
	if r.running > 0 {
		x.Activity = sim.Useful.String()
	}
	x.JobsRunning, x.JobsWaiting, x.GPUsWanted = r.running, r.waiting, r.wanted
}

// addDone brings the sum of what the jobs have done up to date.
func (r *recorder) addDone(s *sim.Span) {
	if s.Changed == nil {
		r.done = 0
		for j := range s.Jobs {
			r.done += s.Jobs[j].Done
		}
		return
	}
	if r.doneOf == nil {
		r.doneOf = make([]float64, len(s.Jobs))
	}
	for _, j := range s.Changed {
		r.done += s.Jobs[j].Done - r.doneOf[j]
		r.doneOf[j] = s.Jobs[j].Done
	}
}

// poolsNow fills the rows of the present interval.
func (r *recorder) poolsNow(s *sim.Span) {
	r.state = append(r.state[:0], r.groups...)
	for g := range r.state {
		row := &r.state[g]
		row.StartS, row.Activity, row.RateProgressPerS = r.now.StartS, r.now.Activity, r.now.RateProgressPerS
		row.JobsRunning, row.JobsWaiting, row.GPUsWanted, row.Layout = r.now.JobsRunning, r.now.JobsWaiting, r.now.GPUsWanted, r.now.Layout
		goOn(row, &r.now)
		r.capacity[g] = max(r.quota[g], 0)
		row.Capacity = &r.capacity[g]
	}
	for p := range s.Pools {
		x, g := &s.Pools[p], r.of[p]
		row := &r.state[g]
		row.Ready, row.Starting = row.Ready+int32(x.Ready), row.Starting+int32(x.Starting)
		row.Noticed, row.Waiting = row.Noticed+int32(x.Noticed), row.Waiting+int32(x.Waiting)
		switch {
		case !r.many && x.Capacity < 0:
			row.Capacity = nil
		case !r.many:
			r.capacity[g] = int32(min(x.Capacity, math.MaxInt32))
		case r.quota[g] < 0:
			r.capacity[g] += int32(min(max(x.Capacity, 0), r.market.Pool(p).Quota))
		}
	}
	clear(r.prices)
	for p := range s.Pools {
		r.prices[r.of[p]].add(&s.Pools[p], r.state[r.of[p]].Held())
	}
	for g := range r.state {
		r.state[g].PriceUSDPerH = r.prices[g].mean()
	}
}

// sameOffer reports whether price and capacity of two rows are the same.
func sameOffer(a, b *results.Span) bool {
	return a.PriceUSDPerH == b.PriceUSDPerH && (a.Capacity == nil) == (b.Capacity == nil) && (a.Capacity == nil || *a.Capacity == *b.Capacity)
}

// sameState reports whether two intervals differ in time and progress only.
func sameState(a, b results.Span) bool {
	return sameOffer(&a, &b) && a.Ready == b.Ready && a.Starting == b.Starting && a.Noticed == b.Noticed && a.Waiting == b.Waiting &&
		a.JobsRunning == b.JobsRunning && a.JobsWaiting == b.JobsWaiting && a.GPUsWanted == b.GPUsWanted
}
