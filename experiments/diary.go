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

// diary is a sim.Recorder that keeps the rows of one run's timeline. Decisions
// are kept if they change the plan or answer something other than the policy's
// own timer; the summary counts all.
type diary struct {
	label     label
	market    *sim.Market
	spans     []results.Span
	decisions []results.Decision
}

// Span implements sim.Recorder: one row a pool.
func (d *diary) Span(s *sim.Span) {
	job := &s.Jobs[0]
	row := results.Span{Run: d.label.run, Policy: d.label.policy, Scenario: d.label.scenario, Objective: d.label.objective, Seed: d.label.seed,
		StartS: elapsed(s.From), EndS: elapsed(s.To), Activity: job.Activity.String(), RateProgressPerS: job.Rate,
		Progress: job.Done, Loss: job.Loss, CostUSD: s.USD}
	for p := range s.Pools {
		facts, x := d.market.Pool(p), &s.Pools[p]
		row.Pool, row.InstanceType, row.Market = facts.Name, facts.InstanceType, results.Spot
		if facts.OnDemand {
			row.Market = results.OnDemand
		}
		row.PriceUSDPerH, row.Capacity = x.Price, nil
		if x.Capacity >= 0 {
			n := int32(min(x.Capacity, math.MaxInt32))
			row.Capacity = &n
		}
		row.Ready, row.Starting, row.Noticed, row.Waiting = int32(x.Ready), int32(x.Starting), int32(x.Noticed), int32(x.Waiting)
		d.spans = append(d.spans, row)
	}
}

// Decision implements sim.Recorder.
func (d *diary) Decision(v sim.View, plan *sim.Plan, changed bool) {
	if !changed && v.Trigger() == sim.TriggerWake {
		return
	}
	bill := v.Bill()
	d.decisions = append(d.decisions, results.Decision{Run: d.label.run, Policy: d.label.policy, Scenario: d.label.scenario,
		Objective: d.label.objective, Seed: d.label.seed, AtS: elapsed(v.Now()), Trigger: v.Trigger().String(),
		Saw: saw(v), Wants: wants(v, plan), Why: plan.Why(), Loss: v.Job(0).Loss(),
		RemainingS: v.Job(0).Deadline().Sub(v.Now()).Seconds(), CostUSD: bill.Total()})
}

// saw puts what a policy sees in brief: for every pool in which the job has or
// wants something, the instances by state, and the price.
func saw(v sim.View) string {
	var out []string
	for p := range v.Pools() {
		h := v.Held(0, p)
		if h.Coming()+h.Noticed+h.Waiting == 0 {
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

// wants puts what a policy asks for in brief.
func wants(v sim.View, plan *sim.Plan) string {
	var out []string
	for p, n := range plan.Jobs[0].Hold {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, v.Pool(p).Name))
		}
	}
	if out == nil {
		return "nothing"
	}
	return strings.Join(out, ", ")
}
