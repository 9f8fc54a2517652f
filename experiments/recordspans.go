package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
)

// spanRows is what a recorder knows of spans. Each pool has rows of its own in a run of one job; of many jobs, the
// pools of one model of GPU and one market are a row, and intervals in which none of them changed are one.
type spanRows struct {
	many   bool
	groups []results.Span // what does not change of the rows
	of     []int          // group by pool
	quota  []int32        // GPUs by group; below 0: limited by the market

	state    []results.Span // of the present interval, by group
	capacity []int32
	prices   []meanPrice

	open []int        // row of each group that goes on, which ends when the group changes; -1: none
	now  results.Span // what the rows of the last interval have in common
	last int          // where the rows of the last interval begin; of many jobs

	done    float64   // by all jobs, in parts of each
	doneOf  []float64 // by job, where a span says which changed
	started *float64  // when the job of a run of one first trained, s
	waited  float64   // for how long it had no instances on which it trains, s
}

func newSpanRows(l label, m *sim.Market, start sim.Time, many bool) spanRows {
	r := spanRows{many: many}
	for p := range m.Pools() {
		facts := m.Pool(p)
		one := results.Span{Run: l.run, Policy: l.policy, Scenario: l.scenario, Objective: l.objective, Seed: l.seed,
			Pool: facts.Name, InstanceType: facts.InstanceType, Market: marketOf(facts)}
		g := -1
		if many {
			g = slices.IndexFunc(r.groups, func(g results.Span) bool { return g.InstanceType == one.InstanceType && g.Market == one.Market })
			if !facts.OnDemand {
				one.Pool = facts.InstanceType
			}
		}
		if g < 0 {
			g = len(r.groups)
			r.groups, r.quota, r.open = append(r.groups, one), append(r.quota, 0), append(r.open, -1)
		}
		r.of = append(r.of, g)
		if _, limited := m.Capacity(p, start); !limited && r.quota[g] >= 0 {
			r.quota[g] += int32(facts.Quota)
		} else {
			r.quota[g] = -1
		}
	}
	r.capacity, r.prices = make([]int32, len(r.groups)), make([]meanPrice, len(r.groups))
	return r
}

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
		n := *row.Capacity
		out.Capacity = &n
	}
	if idle {
		out.Activity, out.RateProgressPerS, out.Layout, r.open[g] = "", 0, "", len(r.rows.Spans)
	}
	r.rows.Spans = append(r.rows.Spans, out)
}

// end ends the open row of a group with the interval whose rows had these columns.
func (r *recorder) end(g int, last *results.Span) {
	goOn(&r.rows.Spans[r.open[g]], last)
	r.open[g] = -1
}

// goOn makes a row end as the interval that has these columns.
func goOn(row, last *results.Span) {
	row.EndS, row.Progress, row.Loss, row.CostUSD = last.EndS, last.Progress, last.Loss, last.CostUSD
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
		at := x.StartS
		r.started = &at
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

// meanPrice is the price of a group: the mean of what is held, so that it times their number is what they cost, or
// where nothing is held the mean of all. One price of all is that very price.
type meanPrice struct{ min, max, sum, weight float64 }

// add adds a pool of a group of which n are held.
func (m *meanPrice) add(x *sim.PoolSpan, held int32) {
	weight := 1.0
	if held > 0 {
		weight = float64(x.Ready + x.Starting + x.Noticed)
	}
	if weight == 0 {
		return
	}
	if m.weight == 0 {
		m.min, m.max = x.Price, x.Price
	}
	m.min, m.max = min(m.min, x.Price), max(m.max, x.Price)
	m.sum, m.weight = m.sum+float64(x.Price*weight), m.weight+weight
}

func (m *meanPrice) mean() float64 {
	if m.min == m.max {
		return m.min
	}
	return m.sum / m.weight
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
