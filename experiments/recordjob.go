package experiments

import (
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/sim"
)

// jobRecorder keeps the timeline of a run of one job. Each pool has rows of its own.
type jobRecorder struct {
	recorder
	model   sim.Model
	started *float64 // when the job first trained, s
	waited  float64  // for how long it had no instances on which it trains, s
	reason  string   // of the last decision that was kept
}

func newJobRecorder(l label, m *sim.Market, start sim.Time, model sim.Model) *jobRecorder {
	r := &jobRecorder{recorder: newRecorder(l, m, start), model: model}
	for p := range m.Pools() {
		r.addGroup(newRow(l, m.Pool(p)))
	}
	return r
}

// fillTimes fills when the job trained and waited; nobody says how many GPUs its instances have.
func (r *jobRecorder) fillTimes(row *results.Job) {
	row.StartS = r.started
	row.QueueS = &r.waited
}

// Span implements sim.Recorder: a row of the first pool, of those of which something is held or requested, and of those
// that changed.
func (r *jobRecorder) Span(s *sim.Span) {
	before := r.begin(s)
	r.noteJob(&s.Jobs[0])
	r.fillPools(s)
	for p := range s.Pools {
		capacity := s.Pools[p].Capacity
		r.capacity[p] = int32(min(capacity, math.MaxInt32))
		if capacity < 0 {
			r.state[p].Capacity = nil
		}
	}
	for p := range r.state {
		r.addPool(p, &before)
	}
}

// addPool adds the row of a pool, unless nothing of it is used and the one before goes on.
func (r *jobRecorder) addPool(p int, before *results.Span) {
	state := &r.state[p]
	idle := p > 0 && !state.Used()
	if open := r.open[p]; idle && open >= 0 && sameOffer(&r.rows.Spans[open], state) {
		return
	}
	row := r.add(p, before)
	if idle {
		row.Activity = ""
		row.RateProgressPerS = 0
		row.Slowed = 0
		row.Layout = ""
		r.open[p] = len(r.rows.Spans) - 1
	}
}

// noteJob notes what the job does.
func (r *jobRecorder) noteJob(job *sim.JobSpan) {
	x := &r.now
	x.Activity = job.Activity.String()
	x.RateProgressPerS = job.Rate
	x.Slowed = job.Slowed
	x.Progress = job.Done
	x.Loss = job.Loss
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

// Decision implements sim.Recorder.
func (r *jobRecorder) Decision(v sim.View, plan *sim.Plan, changed bool) {
	if !changed && answersTimer(v) && plan.Reason() == r.reason {
		return
	}
	r.reason = plan.Reason()
	for _, c := range plan.Candidates() {
		r.addCandidate(v, &c)
	}
	d := r.decision(v, plan, changed)
	job := v.Job(0)
	d.Plan = describePlan(v, plan)
	d.State = describeView(v)
	if job.Training() || job.Paused() != sim.Never {
		if text := describeLayout(r.model, job.Layout()); text != "" {
			d.State += "; layout " + text
		}
	}
	d.Loss = job.Loss()
	d.RemainingS = job.Deadline().Sub(v.Now()).Seconds()
	r.rows.Decisions = append(r.rows.Decisions, d)
}

// describePlan says in brief what a policy asks for.
func describePlan(v sim.View, plan *sim.Plan) string {
	out := describeParts(v, v.Planned(0, nil))
	if out == nil {
		return "nothing"
	}
	text := strings.Join(out, ", ")
	job := &plan.Jobs[0]
	most := 0
	for p := range v.Pools() {
		most += v.Pool(p).Quota
	}
	switch {
	case job.Stages == 0:
	case job.Pipelines*job.Stages > most:
		text += "; trains on none of them" // the layout has more places than there can be instances
	default:
		text += fmt.Sprintf("; pipelines x stages %d x %d", job.Pipelines, job.Stages)
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
