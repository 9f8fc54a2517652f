package experiments

import (
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
)

// label says which run a row belongs to.
type label struct {
	run                         int64
	policy, scenario, objective string
	seed                        int64
}

// timeline keeps the rows of what happened in one run.
type timeline interface {
	sim.Recorder
	// close notes the end of the run, and returns the rows.
	close(end sim.Time) *results.Set
	// fillTimes fills in the row of a job what only the spans of a run say of it.
	fillTimes(r *results.Job)
}

// recorder is what the timelines of all workloads have in common: the rows of instances and outages, and those of
// spans. Decisions are kept if they change the plan, or, of one job, its reason, or answer something other than the
// policy's own timer; the summary counts all.
type recorder struct {
	label     label
	market    *sim.Market
	start     sim.Time
	rows      results.Set
	instances map[[2]int]int // where in its rows the n-th of a pool is, while it is held
	slow      map[[2]int]int // likewise a machine, while it is slow

	spanRows
}

func newRecorder(l label, m *sim.Market, start sim.Time) recorder {
	return recorder{label: l, market: m, start: start, instances: map[[2]int]int{}, slow: map[[2]int]int{}}
}

// elapsed returns the seconds from the start of the run.
func (r *recorder) elapsed(t sim.Time) float64 { return t.Sub(r.start).Seconds() }

// Instance implements sim.InstanceRecorder.
func (r *recorder) Instance(now sim.Time, j, p, n int, what sim.InstanceEvent) {
	at := r.elapsed(now)
	id := [2]int{p, n}
	if what == sim.InstanceGranted {
		facts := r.market.Pool(p)
		r.instances[id] = len(r.rows.Instances)
		r.rows.Instances = append(r.rows.Instances, results.Instance{
			Run:          r.label.run,
			Policy:       r.label.policy,
			Pool:         facts.Name,
			Job:          int64(j),
			InstanceType: facts.InstanceType,
			Market:       marketOf(facts),
			Number:       int64(n),
			GrantedS:     at,
			End:          results.Held,
		})
		return
	}
	x := &r.rows.Instances[r.instances[id]]
	switch what {
	case sim.InstanceReady:
		x.ReadyS = &at
	case sim.InstanceNoticed:
		x.NoticedS = &at
	default:
		x.EndS = at
		x.End = endOf(what)
		delete(r.instances, id)
	}
}

// Outage implements sim.InstanceRecorder.
func (r *recorder) Outage(from, until sim.Time, p, m int, cause sim.OutageCause) {
	facts := r.market.Pool(p)
	outage := results.Outage{
		Run:          r.label.run,
		Policy:       r.label.policy,
		Pool:         facts.Name,
		InstanceType: facts.InstanceType,
		Machine:      int64(m),
		FromS:        r.elapsed(from),
		UntilS:       math.Inf(1),
		Cause:        [...]string{"failed", "misdiagnosed", "recorded"}[cause],
	}
	if until != sim.Never {
		outage.UntilS = r.elapsed(until)
	}
	r.rows.Outages = append(r.rows.Outages, outage)
}

// Slow implements sim.SlowRecorder.
func (r *recorder) Slow(now sim.Time, p, n int, is sim.SlowState) {
	id := [2]int{p, n}
	k, open := r.slow[id]
	if !open {
		if is.Times <= 1 && is.Did == sim.SlowKeep {
			return
		}
		k = len(r.rows.Slow)
		facts := r.market.Pool(p)
		r.rows.Slow = append(r.rows.Slow, results.Slow{
			Run:          r.label.run,
			Policy:       r.label.policy,
			Job:          int64(is.Job),
			Pool:         facts.Name,
			InstanceType: facts.InstanceType,
			Machine:      int64(n),
			FromS:        r.elapsed(now),
			Times:        is.Times,
			Did:          reactions[sim.SlowKeep],
			CostS:        facts.Slow.Cost.Seconds(),
		})
		r.slow[id] = k
	}
	x := &r.rows.Slow[k]
	x.UntilS = r.elapsed(now)
	x.Times = max(x.Times, is.Times)
	if is.Times > 1 {
		x.EndsS = r.maybe(is.Ends)
		x.SeenS = r.maybe(is.Seen)
	}
	if is.Did != sim.SlowKeep {
		x.Did = reactions[is.Did]
		x.DidS = new(r.elapsed(now))
	}
	if is.Times <= 1 {
		delete(r.slow, id)
	}
}

// reactions are the names of what was done about slow machines.
var reactions = [...]string{
	sim.SlowKeep:      "kept",
	sim.SlowReplace:   "replaced",
	sim.SlowRebalance: "rebalanced",
	sim.SlowMove:      "moved",
}

// maybe is elapsed of an instant that may never come, nil then.
func (r *recorder) maybe(at sim.Time) *float64 {
	if at == sim.Never {
		return nil
	}
	return new(r.elapsed(at))
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
	case sim.InstanceReplaced:
		return results.Replaced
	}
	return results.Held
}

// close notes the end of the run for the instances that are still held, and ends the rows of pools.
func (r *recorder) close(end sim.Time) *results.Set {
	for g, open := range r.open {
		if open >= 0 {
			r.end(g, &r.now)
		}
	}
	last := r.elapsed(end)
	for _, i := range r.instances {
		r.rows.Instances[i].EndS = last
	}
	for _, k := range r.slow {
		r.rows.Slow[k].UntilS = last
	}
	for i := range r.rows.Outages {
		x := &r.rows.Outages[i]
		if x.UntilS <= last {
			x.End = results.Repaired
			continue
		}
		x.End = results.Down
		if math.IsInf(x.UntilS, 1) && x.Cause != "recorded" {
			x.End = results.Retired
		}
		x.UntilS = last
	}
	return &r.rows
}

func marketOf(p *sim.Pool) string {
	if p.OnDemand {
		return results.OnDemand
	}
	return results.Spot
}

// answersTimer reports whether a policy is asked for nothing but its own timer.
func answersTimer(v sim.View) bool {
	return v.Trigger()&^(sim.TriggerWake|sim.TriggerAgain|sim.TriggerMet) == 0
}

// decision begins the row of a decision.
func (r *recorder) decision(v sim.View, plan *sim.Plan, changed bool) results.Decision {
	bill := v.Bill()
	return results.Decision{
		Run:       r.label.run,
		Policy:    r.label.policy,
		Scenario:  r.label.scenario,
		Objective: r.label.objective,
		Seed:      r.label.seed,
		Number:    int64(len(r.rows.Decisions)),
		AtS:       r.elapsed(v.Now()),
		Trigger:   v.Trigger().String(),
		Inputs:    describeInputs(plan),
		Reason:    plan.Reason(),
		Changed:   changed,
		CostUSD:   bill.Total(),
	}
}

// addCandidate adds a row of the decision that comes next.
func (r *recorder) addCandidate(v sim.View, c *sim.Candidate) {
	r.rows.Candidates = append(r.rows.Candidates, results.Candidate{
		Run:      r.label.run,
		Policy:   r.label.policy,
		Decision: int64(len(r.rows.Decisions)),
		AtS:      r.elapsed(v.Now()),
		Name:     c.Name,
		Score:    c.Score,
		Unit:     c.Unit,
		Note:     c.Note,
		Chosen:   c.Chosen,
	})
}

// describeParts says in brief how many instances of which pools.
func describeParts(v sim.View, parts []sim.Part) (out []string) {
	for _, x := range parts {
		out = append(out, fmt.Sprintf("%d %s", x.N, v.Pool(int(x.Pool)).Name))
	}
	return out
}

// describeInputs says in brief which other numbers a decision used.
func describeInputs(plan *sim.Plan) string {
	var out []string
	for _, in := range plan.Inputs() {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %.6g %s", in.Name, in.Value, in.Unit)))
	}
	return strings.Join(out, "; ")
}
