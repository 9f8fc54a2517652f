package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
)

// Decision implements sim.Recorder.
func (r *recorder) Decision(v sim.View, plan *sim.Plan, changed bool) {
	if r.many {
		r.compare(v)
	}
	if len(r.changes) == 0 && !changed && v.Trigger()&^(sim.TriggerWake|sim.TriggerAgain|sim.TriggerMet) == 0 {
		return
	}
	bill, number := v.Bill(), int64(len(r.rows.Decisions))
	for _, c := range plan.Candidates() {
		if r.many && r.known(c) {
			continue
		}
		r.rows.Candidates = append(r.rows.Candidates, results.Candidate{Run: r.label.run, Policy: r.label.policy, Decision: number,
			AtS: r.elapsed(v.Now()), Name: c.Name, Score: c.Score, Unit: c.Unit, Note: c.Note, Chosen: c.Chosen})
	}
	d := results.Decision{Run: r.label.run, Policy: r.label.policy, Scenario: r.label.scenario, Objective: r.label.objective,
		Seed: r.label.seed, Number: number, AtS: r.elapsed(v.Now()), Trigger: v.Trigger().String(), Inputs: describeInputs(plan),
		Reason: plan.Reason(), Changed: changed, CostUSD: bill.Total()}
	if r.many {
		d.State = fmt.Sprintf("%d jobs on %d GPUs, %d jobs wait for %d", r.running, r.used, r.waiting, r.wanted)
		d.Plan = listed(r.changes)
	} else {
		d.State, d.Plan = describeView(v), describePlan(v, plan)
		if job := v.Job(0); job.Training() || job.Paused() != sim.Never {
			if text := describeLayout(r.model, job.Layout()); text != "" {
				d.State += "; layout " + text
			}
		}
		d.Loss, d.RemainingS = v.Job(0).Loss(), v.Job(0).Deadline().Sub(v.Now()).Seconds()
	}
	r.rows.Decisions = append(r.rows.Decisions, d)
}

// known reports whether a scheduler said the same of a job the last time.
func (r *plans) known(c sim.Candidate) bool {
	was, known := r.reported[c.Name]
	if known && was.Chosen == c.Chosen && was.Note == c.Note {
		return true
	}
	r.reported[c.Name] = c
	return false
}

// compare notes what many jobs hold by a plan, and what is new.
func (r *recorder) compare(v sim.View) {
	r.running, r.waiting, r.wanted, r.used, r.changes = 0, 0, 0, 0, r.changes[:0]
	for _, j := range v.ActiveJobs() {
		r.parts = v.Planned(j, r.parts)
		n := 0
		for _, x := range r.parts {
			n += int(x.N)
		}
		if n > 0 {
			r.running++
			r.used += n
		} else {
			r.waiting++
			r.wanted += int32(min(r.jobs[j].GPUs, math.MaxInt32))
		}
		was := r.hold[j]
		switch {
		case slices.Equal(was, r.parts) || n == 0 && was == nil:
		case n == 0:
			r.changes = append(r.changes, fmt.Sprintf("%s: stopped", r.jobs[j].ID))
			delete(r.hold, j)
		default:
			r.changes = append(r.changes, fmt.Sprintf("%s: %s", r.jobs[j].ID, strings.Join(describeParts(v, r.parts), " + ")))
			r.hold[j] = append(was[:0], r.parts...)
		}
	}
}

// describeParts says in brief how many instances of which pools.
func describeParts(v sim.View, parts []sim.Part) (out []string) {
	for _, x := range parts {
		out = append(out, fmt.Sprintf("%d %s", x.N, v.Pool(int(x.Pool)).Name))
	}
	return out
}

// describePlan says in brief what a policy asks for.
func describePlan(v sim.View, plan *sim.Plan) string {
	out := describeParts(v, v.Planned(0, nil))
	if out == nil {
		return "nothing"
	}
	text := strings.Join(out, ", ")
	if job := &plan.Jobs[0]; job.Stages > 0 {
		text += fmt.Sprintf("; pipelines x stages %d x %d", job.Pipelines, job.Stages)
	}
	return text
}

// maxListed bounds the jobs that one decision names.
const maxListed = 20

func listed(changes []string) string {
	if len(changes) == 0 {
		return "nothing new"
	}
	text := strings.Join(changes[:min(len(changes), maxListed)], "; ")
	if more := len(changes) - maxListed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
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

// describeInputs says in brief which other numbers a decision used.
func describeInputs(plan *sim.Plan) string {
	var out []string
	for _, in := range plan.Inputs() {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %.6g %s", in.Name, in.Value, in.Unit)))
	}
	return strings.Join(out, "; ")
}
