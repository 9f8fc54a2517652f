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

// clusterRecorder keeps the timeline of a run of many jobs. The pools of one model of GPU and one market are a row, and
// intervals in which none of them changed are one.
type clusterRecorder struct {
	recorder
	jobs  []workload.Job
	quota []int32 // GPUs by group; below 0: limited by the market
	last  int     // where the rows of the last interval begin

	running int32 // jobs, at present
	waiting int32
	wanted  int32     // GPUs that they ask for
	used    int       // GPUs that the running jobs hold by their plans
	done    float64   // by all jobs, in parts of each
	doneOf  []float64 // by job, where a span says which changed

	parts    []sim.Part               // scratch
	hold     map[int][]sim.Part       // by job: what it holds by the last plan, if anything
	changes  []string                 // what the last decision changed, in brief
	reported map[string]sim.Candidate // by job: what the scheduler last said of it
}

func newClusterRecorder(l label, m *sim.Market, start sim.Time, jobs []workload.Job) *clusterRecorder {
	r := &clusterRecorder{
		recorder: newRecorder(l, m, start),
		jobs:     jobs,
		hold:     map[int][]sim.Part{},
		reported: map[string]sim.Candidate{},
	}
	for p := range m.Pools() {
		facts := m.Pool(p)
		row := newRow(l, facts)
		g := slices.IndexFunc(r.groups, func(group results.Span) bool {
			return group.InstanceType == row.InstanceType && group.Market == row.Market
		})
		if g >= 0 {
			r.of = append(r.of, g)
		} else {
			if !facts.OnDemand {
				row.Pool = facts.InstanceType
			}
			g = len(r.groups)
			r.addGroup(row)
			r.quota = append(r.quota, 0)
		}
		if _, limited := m.Capacity(p, start); limited || r.quota[g] < 0 {
			r.quota[g] = -1
		} else {
			r.quota[g] += int32(facts.Quota)
		}
	}
	return r
}

// fillTimes fills nothing: gangs know when they ran.
func (*clusterRecorder) fillTimes(*results.Job) {}

// Span implements sim.Recorder: rows of all groups if any changed.
func (r *clusterRecorder) Span(s *sim.Span) {
	before := r.begin(s)
	r.noteJobs(s)
	r.fillPools(s)
	for g := range r.capacity {
		r.capacity[g] = max(r.quota[g], 0)
	}
	for p := range s.Pools {
		if g := r.of[p]; r.quota[g] < 0 {
			r.capacity[g] += int32(min(max(s.Pools[p].Capacity, 0), r.market.Pool(p).Quota))
		}
	}
	if n := len(r.rows.Spans); n > 0 && slices.EqualFunc(r.rows.Spans[r.last:], r.state, sameState) {
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

// sameState reports whether two intervals differ in time and progress only.
func sameState(a, b results.Span) bool {
	return sameOffer(&a, &b) &&
		a.Ready == b.Ready && a.Starting == b.Starting && a.Noticed == b.Noticed && a.Waiting == b.Waiting &&
		a.JobsRunning == b.JobsRunning && a.JobsWaiting == b.JobsWaiting && a.GPUsWanted == b.GPUsWanted
}

// noteJobs notes what the jobs do together.
func (r *clusterRecorder) noteJobs(s *sim.Span) {
	r.addDone(s)
	x := &r.now
	x.Progress = r.done / float64(len(s.Jobs))
	x.Activity = sim.Waiting.String()
	if r.running > 0 {
		x.Activity = sim.Useful.String()
	}
	x.JobsRunning = r.running
	x.JobsWaiting = r.waiting
	x.GPUsWanted = r.wanted
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

// Decision implements sim.Recorder.
func (r *clusterRecorder) Decision(v sim.View, plan *sim.Plan, changed bool) {
	r.notePlan(v)
	if len(r.changes) == 0 && !changed && answersTimer(v) {
		return
	}
	for _, c := range plan.Candidates() {
		if said, known := r.reported[c.Name]; known && said.Chosen == c.Chosen && said.Note == c.Note {
			continue
		}
		r.reported[c.Name] = c
		r.addCandidate(v, &c)
	}
	d := r.decision(v, plan, changed)
	d.State = fmt.Sprintf("%d jobs on %d GPUs, %d jobs wait for %d", r.running, r.used, r.waiting, r.wanted)
	d.Plan = listed(r.changes)
	r.rows.Decisions = append(r.rows.Decisions, d)
}

// notePlan notes what the jobs hold by a plan, and what is new.
func (r *clusterRecorder) notePlan(v sim.View) {
	r.running = 0
	r.waiting = 0
	r.wanted = 0
	r.used = 0
	r.changes = r.changes[:0]
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
		before := r.hold[j]
		switch {
		case slices.Equal(before, r.parts) || n == 0 && before == nil:
		case n == 0:
			r.changes = append(r.changes, fmt.Sprintf("%s: stopped", r.jobs[j].ID))
			delete(r.hold, j)
		default:
			parts := strings.Join(describeParts(v, r.parts), " + ")
			r.changes = append(r.changes, fmt.Sprintf("%s: %s", r.jobs[j].ID, parts))
			r.hold[j] = append(before[:0], r.parts...)
		}
	}
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
