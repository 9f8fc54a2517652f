package experiments

import (
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/sim"
)

// label says which run a row belongs to.
type label struct {
	run                         int64
	policy, scenario, objective string
	seed                        int64
}

// recorder is a sim.Recorder that keeps the rows of what happened in one run. Decisions are kept if they change the
// plan or answer something other than the policy's own timer; the summary counts all.
type recorder struct {
	label     label
	market    *sim.Market
	start     sim.Time
	jobs      []workload.Job // of a run of many jobs; nil: of one
	model     sim.Model      // of a run of one job
	rows      results.Set
	instances map[[2]int]int // where in its rows the n-th of a pool is, while it is held

	spanRows
	plans
}

// newRecorder returns a recorder of a run of many jobs, or of one job if jobs is nil.
func newRecorder(l label, m *sim.Market, start sim.Time, jobs []workload.Job, model sim.Model) *recorder {
	r := &recorder{label: l, market: m, start: start, jobs: jobs, model: model, instances: map[[2]int]int{}}
	r.plans = plans{hold: map[int][]sim.Part{}, reported: map[string]sim.Candidate{}}
	r.spanRows = newSpanRows(l, m, start, jobs != nil)
	return r
}

// elapsed returns the seconds from the start of the run.
func (r *recorder) elapsed(t sim.Time) float64 { return t.Sub(r.start).Seconds() }

// Instance implements sim.InstanceRecorder.
func (r *recorder) Instance(now sim.Time, j, p, n int, what sim.InstanceEvent) {
	at, id := r.elapsed(now), [2]int{p, n}
	if what == sim.InstanceGranted {
		facts := r.market.Pool(p)
		r.instances[id] = len(r.rows.Instances)
		r.rows.Instances = append(r.rows.Instances, results.Instance{Run: r.label.run, Policy: r.label.policy, Pool: facts.Name,
			Job: int64(j), InstanceType: facts.InstanceType, Market: marketOf(facts), Number: int64(n), GrantedS: at, End: results.Held})
		return
	}
	x := &r.rows.Instances[r.instances[id]]
	switch what {
	case sim.InstanceReady:
		x.ReadyS = &at
	case sim.InstanceNoticed:
		x.NoticedS = &at
	default:
		x.EndS, x.End = at, endOf(what)
		delete(r.instances, id)
	}
}

// Outage implements sim.InstanceRecorder.
func (r *recorder) Outage(from, until sim.Time, p, m int, cause sim.OutageCause) {
	facts := r.market.Pool(p)
	x := results.Outage{Run: r.label.run, Policy: r.label.policy, Pool: facts.Name, InstanceType: facts.InstanceType, Machine: int64(m),
		FromS: r.elapsed(from), UntilS: math.Inf(1), Cause: [...]string{"failed", "misdiagnosed", "recorded"}[cause]}
	if until != sim.Never {
		x.UntilS = r.elapsed(until)
	}
	r.rows.Outages = append(r.rows.Outages, x)
}

// endOf says how an instance ended.
func endOf(e sim.InstanceEvent) string {
	switch e {
	case sim.InstanceRevoked:
		return results.Revoked
	case sim.InstanceReleased:
		return results.Released
	case sim.InstanceFailed:
		return results.Failed
	}
	return results.Held
}

// close notes the end of the run for the instances that are still held, and ends the rows of pools.
func (r *recorder) close(end sim.Time) {
	for g, open := range r.open {
		if open >= 0 {
			r.end(g, &r.now)
		}
	}
	for _, i := range r.instances {
		r.rows.Instances[i].EndS = r.elapsed(end)
	}
	for i := range r.rows.Outages {
		x := &r.rows.Outages[i]
		switch last := r.elapsed(end); {
		case x.UntilS <= last:
			x.End = results.Repaired
		case math.IsInf(x.UntilS, 1) && x.Cause != "recorded":
			x.End, x.UntilS = results.Retired, last
		default:
			x.End, x.UntilS = results.Down, last
		}
	}
}

func marketOf(p *sim.Pool) string {
	if p.OnDemand {
		return results.OnDemand
	}
	return results.Spot
}

// plans is what a recorder knows of the plans for many jobs.
type plans struct {
	running int32 // jobs, at present
	waiting int32
	wanted  int32 // GPUs that they ask for
	used    int   // GPUs that the running jobs hold by their plans

	parts    []sim.Part               // scratch
	hold     map[int][]sim.Part       // by job: what it holds by the last plan, if anything
	changes  []string                 // what the last decision changed, in brief
	reported map[string]sim.Candidate // by job: what the scheduler last said of it
}

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

// end ends the open row of a group with the interval whose rows had these columns.
func (r *recorder) end(g int, last *results.Span) {
	goOn(&r.rows.Spans[r.open[g]], last)
	r.open[g] = -1
}

// goOn makes a row end as the interval that has these columns.
func goOn(row, last *results.Span) {
	row.EndS, row.Progress, row.Loss, row.CostUSD = last.EndS, last.Progress, last.Loss, last.CostUSD
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
