package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
		n := *row.Capacity
		out.Capacity = &n
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

// sameOffer reports whether price and capacity of two rows are the same.
func sameOffer(a, b *results.Span) bool {
	return a.PriceUSDPerH == b.PriceUSDPerH && (a.Capacity == nil) == (b.Capacity == nil) && (a.Capacity == nil || *a.Capacity == *b.Capacity)
}

// sameState reports whether two intervals differ in time and progress only.
func sameState(a, b results.Span) bool {
	return sameOffer(&a, &b) && a.Ready == b.Ready && a.Starting == b.Starting && a.Noticed == b.Noticed && a.Waiting == b.Waiting &&
		a.JobsRunning == b.JobsRunning && a.JobsWaiting == b.JobsWaiting && a.GPUsWanted == b.GPUsWanted
}

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
