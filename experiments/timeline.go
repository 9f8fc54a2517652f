package experiments

import (
	"fmt"
	"math"
	"slices"
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

// timelineRecorder is a sim.Recorder that keeps the rows of one run's timeline.
// Decisions are kept if they change the plan or answer something other than the
// policy's own timer; the summary counts all.
type timelineRecorder struct {
	label      label
	market     *sim.Market
	start      sim.Time
	spans      []results.Span
	decisions  []results.Decision
	candidates []results.Candidate
	instances  []results.Instance
	held       map[[2]int]int // where in instances the n-th of a pool is
	tasks      []results.Task

	open []int        // row of each pool that goes on, which ends when the pool changes; -1: none
	last results.Span // what the rows of the last interval have in common
}

// elapsed returns the seconds from the start of the run.
func (r *timelineRecorder) elapsed(t sim.Time) float64 { return t.Sub(r.start).Seconds() }

// Span implements sim.Recorder: a row of the first pool, of those of which something is held or requested, and of those that
// changed.
func (r *timelineRecorder) Span(s *sim.Span) {
	job := &s.Jobs[0]
	if r.open == nil {
		r.open = slices.Repeat([]int{-1}, len(s.Pools))
	}
	row := results.Span{Run: r.label.run, Policy: r.label.policy, Scenario: r.label.scenario, Objective: r.label.objective,
		Seed:   r.label.seed,
		StartS: r.elapsed(s.From), EndS: r.elapsed(s.To), Activity: job.Activity.String(), RateProgressPerS: job.Rate,
		Progress: job.Done, Loss: job.Loss, CostUSD: s.USD}
	before := r.last
	r.last = row
	for p := range s.Pools {
		facts, x := r.market.Pool(p), &s.Pools[p]
		idle := p > 0 && x.Ready+x.Starting+x.Noticed+x.Waiting == 0
		if open := r.open[p]; open >= 0 {
			if was := &r.spans[open]; idle && was.PriceUSDPerH == x.Price && sameCapacity(was.Capacity, x.Capacity) {
				continue
			}
			r.end(p, &before)
		}
		row.Activity, row.RateProgressPerS = r.last.Activity, r.last.RateProgressPerS
		if idle {
			row.Activity, row.RateProgressPerS, r.open[p] = "", 0, len(r.spans)
		}
		row.Pool, row.InstanceType, row.Market = facts.Name, facts.InstanceType, marketOf(facts)
		row.PriceUSDPerH, row.Capacity = x.Price, nil
		if x.Capacity >= 0 {
			n := int32(min(x.Capacity, math.MaxInt32))
			row.Capacity = &n
		}
		row.Ready, row.Starting, row.Noticed, row.Waiting = int32(x.Ready), int32(x.Starting), int32(x.Noticed),
			int32(x.Waiting)
		r.spans = append(r.spans, row)
	}
}

// end ends the open row of a pool with the interval whose rows had these columns.
func (r *timelineRecorder) end(p int, last *results.Span) {
	was := &r.spans[r.open[p]]
	was.EndS, was.Progress, was.Loss, was.CostUSD = last.EndS, last.Progress, last.Loss, last.CostUSD
	r.open[p] = -1
}

// sameCapacity reports whether a row has the capacity of a pool in a span.
func sameCapacity(row *int32, now int) bool {
	if row == nil || now < 0 {
		return row == nil && now < 0
	}
	return *row == int32(min(now, math.MaxInt32))
}

// Decision implements sim.Recorder.
func (r *timelineRecorder) Decision(v sim.View, plan *sim.Plan, changed bool) {
	if !changed && v.Trigger()&^(sim.TriggerWake|sim.TriggerAgain|sim.TriggerMet) == 0 {
		return
	}
	bill, number := v.Bill(), int64(len(r.decisions))
	for _, c := range plan.Candidates() {
		r.candidates = append(r.candidates, results.Candidate{Run: r.label.run, Policy: r.label.policy, Decision: number,
			AtS:  r.elapsed(v.Now()),
			Name: c.Name, Score: c.Score, Unit: c.Unit, Note: c.Note, Chosen: c.Chosen})
	}
	r.decisions = append(r.decisions, results.Decision{Run: r.label.run, Policy: r.label.policy,
		Scenario:  r.label.scenario,
		Objective: r.label.objective, Seed: r.label.seed, Number: number, AtS: r.elapsed(v.Now()),
		Trigger: v.Trigger().String(),
		State:   describeView(v), Inputs: describeInputs(plan), Plan: describePlan(v, plan), Reason: plan.Reason(),
		Changed: changed, Loss: v.Job(0).Loss(),
		RemainingS: v.Job(0).Deadline().Sub(v.Now()).Seconds(), CostUSD: bill.Total()})
}

// Instance implements sim.InstanceRecorder.
func (r *timelineRecorder) Instance(now sim.Time, j, p, n int, what sim.InstanceEvent) {
	at, id := r.elapsed(now), [2]int{p, n}
	if what == sim.InstanceGranted {
		facts := r.market.Pool(p)
		r.held[id] = len(r.instances)
		r.instances = append(r.instances, results.Instance{Run: r.label.run, Policy: r.label.policy, Pool: facts.Name,
			Job: int64(j), InstanceType: facts.InstanceType, Market: marketOf(facts), Number: int64(n), GrantedS: at, End: results.Held})
		return
	}
	x := &r.instances[r.held[id]]
	switch what {
	case sim.InstanceReady:
		x.ReadyS = &at
	case sim.InstanceNoticed:
		x.NoticedS = &at
	case sim.InstanceRevoked:
		x.EndS, x.End = at, results.Revoked
		delete(r.held, id)
	case sim.InstanceReleased:
		x.EndS, x.End = at, results.Released
		delete(r.held, id)
	}
}

// close notes the end of the run for the instances that are still held, and ends the rows of pools.
func (r *timelineRecorder) close(end sim.Time) {
	for p, open := range r.open {
		if open >= 0 {
			r.end(p, &r.last)
		}
	}
	for _, i := range r.held {
		r.instances[i].EndS = r.elapsed(end)
	}
}

func marketOf(p *sim.Pool) string {
	if p.OnDemand {
		return results.OnDemand
	}
	return results.Spot
}

// describeView says in brief what a policy sees: for every pool in which the job
// holds or requests something, the instances by state, and the price.
func describeView(v sim.View) string {
	var out []string
	for p := range v.Pools() {
		h := v.Held(0, p)
		if h.Active()+h.Noticed+h.Waiting == 0 {
			continue
		}
		state := fmt.Sprintf("%s: %d ready", v.Pool(p).Name, h.Ready)
		for _, x := range []struct {
			n    int
			what string
		}{{h.Starting, "starting"}, {h.Noticed, "noticed"}, {h.Waiting, "waiting"}} {
			if x.n > 0 {
				state += fmt.Sprintf(" %d %s", x.n, x.what)
			}
		}
		out = append(out, fmt.Sprintf("%s at %.4f USD/h", state, v.Price(p)))
	}
	if out == nil {
		return "nothing held"
	}
	return strings.Join(out, ", ")
}

// describePlan says in brief what a policy asks for.
func describePlan(v sim.View, plan *sim.Plan) string {
	var out []string
	job := &plan.Jobs[0]
	for p, n := range job.Hold {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, v.Pool(p).Name))
		}
	}
	if out == nil {
		return "nothing"
	}
	if job.Stages > 0 {
		return fmt.Sprintf("%s; pipelines x stages %d x %d", strings.Join(out, ", "), job.Pipelines, job.Stages)
	}
	return strings.Join(out, ", ")
}

// describeInputs says in brief which other numbers a decision used.
func describeInputs(plan *sim.Plan) string {
	var out []string
	for _, in := range plan.Inputs() {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %.6g %s", in.Name, in.Value, in.Unit)))
	}
	return strings.Join(out, "; ")
}
