package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/sim"
)

// clusterRecorder keeps the rows of one run of many jobs. Pools of one model of GPU and one
// market are a row of spans, and intervals in which none of them changed are one.
type clusterRecorder struct {
	timelineRecorder
	list    []workload.Job
	groups  []results.Span // as they are, with what does not change
	of      []int          // group by pool
	quota   []int32        // GPUs by group; below 0: not limited
	last    []results.Span // of the last interval
	prices  []meanPrice    // scratch, by group
	running int32          // jobs, at present
	waiting int32
	wanted  int32 // GPUs that they ask for
	used    int   // GPUs that the running jobs hold by their plans

	done   float64   // by all jobs, in parts of each
	doneOf []float64 // by job, where a span says which changed

	parts []sim.Part               // scratch
	plans map[int][]sim.Part       // by job: what it holds by the last plan, if anything
	tried map[string]sim.Candidate // by job: what the scheduler last said of it
}

func newClusterRecorder(l label, m *sim.Market, start sim.Time, list []workload.Job) *clusterRecorder {
	r := &clusterRecorder{list: list, plans: map[int][]sim.Part{}, tried: map[string]sim.Candidate{},
		timelineRecorder: timelineRecorder{label: l, market: m, start: start, held: map[[2]int]int{}}}
	for p := range m.Pools() {
		facts := m.Pool(p)
		g := slices.IndexFunc(r.groups, func(g results.Span) bool { return g.InstanceType == facts.InstanceType && g.Market == marketOf(facts) })
		if g < 0 {
			g = len(r.groups)
			r.groups = append(r.groups, results.Span{Run: l.run, Policy: l.policy, Scenario: l.scenario, Objective: l.objective, Seed: l.seed,
				Pool: facts.InstanceType, InstanceType: facts.InstanceType, Market: marketOf(facts)})
			if facts.OnDemand {
				r.groups[g].Pool = facts.Name
			}
			r.quota = append(r.quota, 0)
		}
		r.of = append(r.of, g)
		if _, limited := m.Capacity(p, start); !limited && r.quota[g] >= 0 {
			r.quota[g] += int32(facts.Quota)
		} else {
			r.quota[g] = -1
		}
	}
	return r
}

// Span implements sim.Recorder: one row a group.
func (r *clusterRecorder) Span(s *sim.Span) {
	rows := slices.Clone(r.groups)
	capacity := slices.Clone(r.quota)
	for g := range capacity {
		if capacity[g] < 0 {
			capacity[g] = 0
		}
	}
	for p := range s.Pools {
		x, g := &s.Pools[p], r.of[p]
		row := &rows[g]
		row.Ready, row.Starting = row.Ready+int32(x.Ready), row.Starting+int32(x.Starting)
		row.Noticed, row.Waiting = row.Noticed+int32(x.Noticed), row.Waiting+int32(x.Waiting)
		if r.quota[g] < 0 {
			capacity[g] += int32(min(max(x.Capacity, 0), r.market.Pool(p).Quota))
		}
	}
	r.price(s, rows)
	r.addDone(s)
	for g := range rows {
		row := &rows[g]
		row.StartS, row.EndS, row.CostUSD, row.Capacity = r.elapsed(s.From), r.elapsed(s.To), s.USD, &capacity[g]
		row.Progress, row.Activity = r.done/float64(len(s.Jobs)), sim.Waiting.String()
		if r.running > 0 {
			row.Activity = sim.Useful.String()
		}
		row.JobsRunning, row.JobsWaiting, row.GPUsWanted = r.running, r.waiting, r.wanted
	}
	r.add(rows)
}

// price sets the price of each group: the mean of what is held, so that it times their number is what they cost, or where nothing is
// held the mean of all. One price of all is that very price.
func (r *clusterRecorder) price(s *sim.Span, rows []results.Span) {
	r.prices = slices.Grow(r.prices[:0], len(rows))[:len(rows)]
	clear(r.prices)
	for p := range s.Pools {
		x, g := &s.Pools[p], r.of[p]
		weight := 1.0
		if row := &rows[g]; row.Ready+row.Starting+row.Noticed > 0 {
			weight = float64(x.Ready + x.Starting + x.Noticed)
		}
		if weight > 0 {
			r.prices[g].add(x.Price, weight)
		}
	}
	for g := range rows {
		rows[g].PriceUSDPerH = r.prices[g].mean()
	}
}

// meanPrice is a mean of prices.
type meanPrice struct{ least, most, sum, weight float64 }

func (m *meanPrice) add(price, weight float64) {
	if m.weight == 0 {
		m.least, m.most = price, price
	}
	m.least, m.most = min(m.least, price), max(m.most, price)
	m.sum, m.weight = m.sum+float64(price*weight), m.weight+weight
}

func (m *meanPrice) mean() float64 {
	if m.least == m.most {
		return m.least
	}
	return m.sum / m.weight
}

// addDone brings the sum of what the jobs have done up to date.
func (r *clusterRecorder) addDone(s *sim.Span) {
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

// add adds the rows of an interval, to those before where nothing changed.
func (r *clusterRecorder) add(rows []results.Span) {
	if r.last != nil && slices.EqualFunc(r.last, rows, sameState) {
		for g := range rows {
			r.last[g].EndS, r.last[g].CostUSD, r.last[g].Progress = rows[g].EndS, rows[g].CostUSD, rows[g].Progress
		}
		return
	}
	r.spans = append(r.spans, rows...)
	r.last = r.spans[len(r.spans)-len(rows):]
}

// sameState reports whether two intervals differ in time and progress only.
func sameState(a, b results.Span) bool {
	return a.PriceUSDPerH == b.PriceUSDPerH && *a.Capacity == *b.Capacity && a.Ready == b.Ready && a.Starting == b.Starting &&
		a.Noticed == b.Noticed && a.Waiting == b.Waiting && a.JobsRunning == b.JobsRunning && a.JobsWaiting == b.JobsWaiting && a.GPUsWanted == b.GPUsWanted
}

// Decision implements sim.Recorder.
func (r *clusterRecorder) Decision(v sim.View, plan *sim.Plan, changed bool) {
	changes := r.compare(v, plan)
	if len(changes) == 0 && !changed && v.Trigger()&^(sim.TriggerWake|sim.TriggerAgain|sim.TriggerMet) == 0 {
		return
	}
	bill, number := v.Bill(), int64(len(r.decisions))
	for _, c := range plan.Candidates() {
		if was, known := r.tried[c.Name]; known && was.Chosen == c.Chosen && was.Note == c.Note {
			continue
		}
		r.tried[c.Name] = c
		r.candidates = append(r.candidates, results.Candidate{Run: r.label.run, Policy: r.label.policy, Decision: number,
			AtS: r.elapsed(v.Now()), Name: c.Name, Score: c.Score, Unit: c.Unit, Note: c.Note, Chosen: c.Chosen})
	}
	r.decisions = append(r.decisions, results.Decision{Run: r.label.run, Policy: r.label.policy, Scenario: r.label.scenario,
		Objective: r.label.objective, Seed: r.label.seed, Number: number, AtS: r.elapsed(v.Now()), Trigger: v.Trigger().String(),
		State: r.state(), Inputs: describeInputs(plan), Plan: listed(changes), Reason: plan.Reason(), Changed: changed, CostUSD: bill.Total()})
}

// Task implements sim.TaskRecorder.
func (r *clusterRecorder) Task(from, until sim.Time, j, task, p, n int, end sim.InstanceEvent) {
	how := results.Held
	switch end {
	case sim.InstanceRevoked:
		how = results.Revoked
	case sim.InstanceReleased:
		how = results.Released
	}
	r.tasks = append(r.tasks, results.Task{Run: r.label.run, Policy: r.label.policy, Job: int64(j), Task: int64(task), Pool: r.market.Pool(p).Name,
		Instance: int64(n), StartS: r.elapsed(from), EndS: r.elapsed(until), End: how})
}

// compare notes what the jobs hold by a plan, and says what is new, in brief.
func (r *clusterRecorder) compare(v sim.View, plan *sim.Plan) (changes []string) {
	r.running, r.waiting, r.wanted, r.used = 0, 0, 0, 0
	for _, j := range v.ActiveJobs() {
		r.parts = partsOf(plan, j, r.parts)
		hold, n := r.parts, plan.Held(j)
		if n > 0 {
			r.running++
			r.used += n
		} else {
			r.waiting++
			r.wanted += int32(min(r.list[j].GPUs, math.MaxInt32))
		}
		was := r.plans[j]
		if slices.Equal(was, hold) || n == 0 && was == nil {
			continue
		}
		if n == 0 {
			changes = append(changes, fmt.Sprintf("%s: stopped", r.list[j].ID))
			delete(r.plans, j)
			continue
		}
		changes = append(changes, fmt.Sprintf("%s: %s", r.list[j].ID, describePools(v, hold)))
		r.plans[j] = append(was[:0], hold...)
	}
	return changes
}

// partsOf returns what a job is to hold, by pool, whatever the form of the plan.
func partsOf(plan *sim.Plan, j int, into []sim.Part) []sim.Part {
	into = into[:0]
	for _, x := range plan.Parts(j) {
		if x.N > 0 {
			into = append(into, x)
		}
	}
	for p, n := range plan.Jobs[j].Hold {
		if n > 0 {
			into = append(into, sim.Part{Pool: int32(p), N: int32(n)})
		}
	}
	slices.SortFunc(into, func(a, b sim.Part) int { return int(a.Pool) - int(b.Pool) })
	return into
}

// state says how full the cluster is, and who waits.
func (r *clusterRecorder) state() string {
	return fmt.Sprintf("%d jobs on %d GPUs, %d jobs wait for %d", r.running, r.used, r.waiting, r.wanted)
}

// describePools says in brief how many GPUs of which pools.
func describePools(v sim.View, hold []sim.Part) string {
	var out []string
	for _, x := range hold {
		if x.N > 0 {
			out = append(out, fmt.Sprintf("%d %s", x.N, v.Pool(int(x.Pool)).Name))
		}
	}
	return strings.Join(out, " + ")
}

// mostListed bounds the jobs that one decision names.
const mostListed = 20

func listed(changes []string) string {
	if len(changes) == 0 {
		return "nothing new"
	}
	text := strings.Join(changes[:min(len(changes), mostListed)], "; ")
	if more := len(changes) - mostListed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
