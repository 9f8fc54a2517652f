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
	label      label
	market     *sim.Market
	spans      []results.Span
	decisions  []results.Decision
	candidates []results.Candidate
	instances  []results.Instance
	living     map[[2]int]int // where in instances the n-th of a pool is
}

// Span implements sim.Recorder: one row a pool.
func (d *diary) Span(s *sim.Span) {
	job := &s.Jobs[0]
	row := results.Span{Run: d.label.run, Policy: d.label.policy, Scenario: d.label.scenario, Objective: d.label.objective, Seed: d.label.seed,
		StartS: elapsed(s.From), EndS: elapsed(s.To), Activity: job.Activity.String(), RateProgressPerS: job.Rate,
		Progress: job.Done, Loss: job.Loss, CostUSD: s.USD}
	for p := range s.Pools {
		facts, x := d.market.Pool(p), &s.Pools[p]
		row.Pool, row.InstanceType, row.Market = facts.Name, facts.InstanceType, marketOf(facts)
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
	bill, number := v.Bill(), int64(len(d.decisions))
	for _, c := range plan.Candidates() {
		d.candidates = append(d.candidates, results.Candidate{Run: d.label.run, Policy: d.label.policy, Decision: number, AtS: elapsed(v.Now()),
			Name: c.Name, Score: c.Score, Unit: c.Unit, Note: c.Note, Chosen: c.Chosen})
	}
	d.decisions = append(d.decisions, results.Decision{Run: d.label.run, Policy: d.label.policy, Scenario: d.label.scenario,
		Objective: d.label.objective, Seed: d.label.seed, Number: number, AtS: elapsed(v.Now()), Trigger: v.Trigger().String(),
		State: saw(v), Inputs: reckoned(plan), Plan: wants(v, plan), Reason: plan.Reason(), Changed: changed, Loss: v.Job(0).Loss(),
		RemainingS: v.Job(0).Deadline().Sub(v.Now()).Seconds(), CostUSD: bill.Total()})
}

// Instance implements sim.InstanceRecorder.
func (d *diary) Instance(now sim.Time, _, p, n int, what sim.InstanceEvent) {
	at, id := elapsed(now), [2]int{p, n}
	if what == sim.InstanceGranted {
		facts := d.market.Pool(p)
		d.living[id] = len(d.instances)
		d.instances = append(d.instances, results.Instance{Run: d.label.run, Policy: d.label.policy, Pool: facts.Name,
			InstanceType: facts.InstanceType, Market: marketOf(facts), Number: int64(n), GrantedS: at, End: results.Held})
		return
	}
	x := &d.instances[d.living[id]]
	switch what {
	case sim.InstanceReady:
		x.ReadyS = &at
	case sim.InstanceNoticed:
		x.NoticedS = &at
	case sim.InstanceRevoked:
		x.EndS, x.End = at, results.Revoked
		delete(d.living, id)
	case sim.InstanceReleased:
		x.EndS, x.End = at, results.Released
		delete(d.living, id)
	}
}

// close ends the lives of what is held when the run ends.
func (d *diary) close(end sim.Time) {
	for _, i := range d.living {
		d.instances[i].EndS = elapsed(end)
	}
}

func marketOf(p *sim.Pool) string {
	if p.OnDemand {
		return results.OnDemand
	}
	return results.Spot
}

// saw puts what a policy sees in brief: for every pool in which the job has or
// wants something, the instances by state, and the price.
func saw(v sim.View) string {
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

// wants puts what a policy asks for in brief.
func wants(v sim.View, plan *sim.Plan) string {
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

// reckoned puts the numbers that a policy reckoned with in brief.
func reckoned(plan *sim.Plan) string {
	var out []string
	for _, in := range plan.Inputs() {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %.6g %s", in.Name, in.Value, in.Unit)))
	}
	return strings.Join(out, "; ")
}
