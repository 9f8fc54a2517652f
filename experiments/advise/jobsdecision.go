package advise

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// jobsRecorder keeps the decision on many jobs at now: the last one at this instant that does not follow a request
// which may not be granted.
type jobsRecorder struct {
	record *record
	of     *manyJobs
	into   *decision
	was    [][]sim.Part // what each held by the plan before
	held   []int        // the same of all of them, by pool
	open   bool         // it has asked for what may not be granted
}

// Span implements sim.Recorder.
func (*jobsRecorder) Span(*sim.Span) {}

// begin notes what the jobs hold before the decision.
func (r *jobsRecorder) begin(v sim.View) {
	r.was = make([][]sim.Part, len(r.of.sims))
	for _, j := range v.ActiveJobs() {
		r.was[j] = v.Planned(j, nil)
	}
	r.held = planned(v)
}

// planned counts what the plan holds and asks for, by pool, for all jobs together.
func planned(v sim.View) []int {
	all := make([]int, v.Pools())
	for _, j := range v.ActiveJobs() {
		for _, x := range v.Planned(j, nil) {
			all[x.Pool] += int(x.N)
		}
	}
	return all
}

// Decision implements sim.Recorder.
func (r *jobsRecorder) Decision(v sim.View, plan *sim.Plan, _ bool) {
	if v.Now() < r.record.now || r.was == nil || r.open {
		return
	}
	r.into.note(plan)
	r.into.jobs = nil
	for _, j := range v.ActiveJobs() {
		r.into.jobs = append(r.into.jobs, r.changeOfJob(v, plan, j))
	}
	for p, n := range planned(v) {
		if n == 0 && r.held[p] == 0 {
			continue
		}
		c := changeTo(v, p, n)
		c.IDs = r.nameIdle(v, p, c.Release)
		r.into.Changes = append(r.into.Changes, c)
		r.open = r.open || c.Request > 0 && !v.Pool(p).IsServer()
	}
}

// changeOfJob is what becomes of a job by a plan.
func (r *jobsRecorder) changeOfJob(v sim.View, plan *sim.Plan, j int) JobChange {
	to := v.Planned(j, nil)
	c := JobChange{
		Job:  r.of.list[j].ID,
		GPUs: r.of.sims[j].Model.(sim.GangModel).Gang(),
		Done: v.Job(j).Done(),
		Do:   doing(r.was[j], to),
		From: where(v, r.was[j]),
		To:   where(v, to),
	}
	for _, x := range plan.Candidates() {
		if x.Name == c.Job && x.Note != "" {
			c.Note = x.Note
		}
	}
	return c
}

// finish has the scheduler decide. Its requests are not followed until they are granted.
func (r *jobsRecorder) finish(w *sim.World, _ func() *sim.World) { w.RunUntil(r.record.now) }

// nameIdle names n instances of a pool that the state names and no job is to hold any more.
func (r *jobsRecorder) nameIdle(v sim.View, pool, n int) (ids []string) {
	if r.record.heldBy == nil {
		return nil
	}
	kept := map[*life]bool{}
	for _, j := range v.ActiveJobs() {
		left := 0 // that the job keeps of the pool
		for _, x := range v.Planned(j, nil) {
			if int(x.Pool) == pool {
				left = int(x.N)
			}
		}
		for _, l := range r.record.heldBy[j] {
			if l.pool == pool && left > 0 {
				kept[l] = true
				left--
			}
		}
	}
	for _, l := range r.record.inOrder {
		if l.pool == pool && l.id != "" && !kept[l] && l.until() > r.record.now && len(ids) < n {
			ids = append(ids, l.id)
		}
	}
	return ids
}

// The things that are done with a job.
const (
	doStart = "start"
	doStop  = "stop"
	doMove  = "move"
	doKeep  = "keep"
	doWait  = "wait"
)

// doing says what is done with a job.
func doing(from, to []sim.Part) string {
	switch {
	case len(from) == 0 && len(to) == 0:
		return doWait
	case len(from) == 0:
		return doStart
	case len(to) == 0:
		return doStop
	case slices.Equal(from, to):
		return doKeep
	}
	return doMove
}

func where(v sim.View, parts []sim.Part) []Where {
	out := []Where{}
	for _, x := range parts {
		out = append(out, Where{v.Pool(int(x.Pool)).Name, int(x.N)})
	}
	return out
}
