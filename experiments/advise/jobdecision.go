package advise

import (
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// Where is GPUs or tasks of a job in a pool.
type Where struct {
	Pool string `json:"pool" jsonschema:"name of the pool"`
	N    int    `json:"n" jsonschema:"GPUs, or tasks of jobs that share instances"`
}

// JobChange is what is to become of one of many jobs, and what is expected of it.
type JobChange struct {
	Job       string    `json:"job" jsonschema:"its name"`
	GPUs      int       `json:"gpus" jsonschema:"GPUs or tasks that it needs all at once"`
	Do        string    `json:"do" jsonschema:"start, stop, move (to other pools), keep (it runs on where it is) or wait"`
	From      []Where   `json:"from" jsonschema:"where it is; empty: it waits"`
	To        []Where   `json:"to" jsonschema:"where it is to be; empty: it waits"`
	NextTo    []string  `json:"next_to" jsonschema:"jobs that are to share instances with it"`
	Note      string    `json:"note" jsonschema:"what the scheduler says of it; may be empty"`
	Done      float64   `json:"done" jsonschema:"share of its work that is done"`
	DeadlineS *float64  `json:"deadline_s" jsonschema:"seconds from the start until its deadline; null: it has none"`
	FinishS   Quantiles `json:"finish_s" jsonschema:"quantiles of its end, seconds from the start; null: not by the horizon"`
	Met       float64   `json:"met" jsonschema:"share of the continuations in which it meets its deadline; 1 without one"`
	AtRisk    bool      `json:"at_risk" jsonschema:"whether that is a smaller share than has to"`
}

// The things that are done with a job.
const (
	doStart = "start"
	doStop  = "stop"
	doMove  = "move"
	doKeep  = "keep"
	doWait  = "wait"
)

// before notes what the jobs hold before the decision.
func (r *decisionRecorder) before(v sim.View) {
	r.was, r.held = make([][]sim.Part, len(r.many.jobs)), make([]int, v.Pools())
	for _, j := range v.ActiveJobs() {
		r.was[j] = v.Planned(j, nil)
	}
	r.want(v, r.held)
}

// want counts what the plan holds and asks for, by pool: for all jobs together, or as hosts.
func (r *decisionRecorder) want(v sim.View, into []int) {
	clear(into)
	for p := range into {
		into[p] = v.PlannedHosts(p)
	}
	if r.many.byTasks {
		return
	}
	for _, j := range v.ActiveJobs() {
		for _, x := range v.Planned(j, nil) {
			into[x.Pool] += int(x.N)
		}
	}
}

// ofJobs keeps the decision of now: the last one at this instant that does not follow a request which may not be granted.
func (r *decisionRecorder) ofJobs(v sim.View, plan *sim.Plan) {
	if v.Now() < r.now || r.was == nil || r.open {
		return
	}
	*r.into = decision{Reason: plan.Reason(), Inputs: slices.Clone(plan.Inputs()), Candidates: slices.Clone(plan.Candidates()), next: plan.Wake()}
	for _, j := range v.ActiveJobs() {
		to := v.Planned(j, nil)
		c := JobChange{Job: r.many.list[j].ID, GPUs: r.many.jobs[j].Model.(sim.GangModel).Gang(), Done: v.Job(j).Done(), Do: doing(r.was[j], to),
			From: where(v, r.was[j]), To: where(v, to), NextTo: r.nextTo(v, plan, j)}
		for _, x := range plan.Candidates() {
			if x.Name == c.Job && x.Note != "" {
				c.Note = x.Note
			}
		}
		r.into.jobs = append(r.into.jobs, c)
	}
	want := make([]int, v.Pools())
	r.want(v, want)
	for p, n := range want {
		if n == 0 && r.held[p] == 0 {
			continue
		}
		c, h := changeOf(v, p), heldOf(v, p)
		c.Keep = min(h.Active(), n)
		c.Release = h.Active() - c.Keep
		c.Wait = min(h.Waiting, n-c.Keep)
		c.Cancel = h.Waiting - c.Wait
		c.Request = n - c.Keep - c.Wait
		c.IDs = r.idle(v, plan, p, c.Release)
		r.into.Changes = append(r.into.Changes, c)
		r.open = r.open || c.Request > 0 && !v.Pool(p).Reserved
	}
}

// idle names n instances of a pool that the state names and no job is to hold any more.
func (r *decisionRecorder) idle(v sim.View, plan *sim.Plan, pool, n int) (ids []string) {
	kept := map[*life]bool{}
	for _, j := range v.ActiveJobs() {
		if r.record.tasks == nil || !r.many.byTasks && len(r.record.tasks[j]) == 0 {
			continue
		}
		if !r.many.byTasks {
			left := 0 // that the job keeps of the pool
			for _, x := range v.Planned(j, nil) {
				if int(x.Pool) == pool {
					left = int(x.N)
				}
			}
			for _, l := range r.record.tasks[j] {
				if l.pool == pool && left > 0 {
					kept[l] = true
					left--
				}
			}
			continue
		}
		for k := range r.many.jobs[j].Model.(sim.GangModel).Gang() {
			if l := r.hosts[plan.Assigned(j, k)]; l != nil {
				kept[l] = true
			}
		}
	}
	for _, l := range r.record.inOrder {
		if l.pool == pool && l.id != "" && !kept[l] && l.until() > r.now && len(ids) < n {
			ids = append(ids, l.id)
		}
	}
	return ids
}

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

// nextTo lists the jobs that are to share an instance with job j.
func (r *decisionRecorder) nextTo(v sim.View, plan *sim.Plan, j int) []string {
	out := []string{}
	tasks := func(j int) int { return r.many.jobs[j].Model.(sim.GangModel).Gang() }
	if !r.many.byTasks {
		return out
	}
	hosts := map[int]bool{}
	for k := range tasks(j) {
		hosts[plan.Assigned(j, k)] = true
	}
	delete(hosts, sim.Nowhere)
	for _, i := range v.ActiveJobs() {
		for k := range tasks(i) {
			if i != j && hosts[plan.Assigned(i, k)] {
				out = append(out, r.many.list[i].ID)
				break
			}
		}
	}
	return out
}

// reportJobs sets the progress of the jobs that was measured, and returns what is done of all, as a mean.
func (a *adviser) reportJobs(w *sim.World) (modelled, done float64, err error) {
	v := w.View()
	for _, j := range v.ActiveJobs() {
		modelled += v.Job(j).Done()
	}
	for i := range a.state.Jobs {
		x := &a.state.Jobs[i]
		j := a.many.of(x.ID)
		if x.Done != nil {
			w.Report(j, *x.Done)
		}
		if x.RanS == nil {
			continue
		}
		ran, longest := sim.At(*x.RanS).Sub(0), w.Now().Sub(v.Job(j).Submitted())
		if ran > longest {
			return 0, 0, a.state.errorAt(fmt.Sprintf("$.jobs[%d].ran_s", i), "%v, but %s was submitted %v ago", *x.RanS, x.ID, longest)
		}
		w.ReportRan(j, ran)
	}
	for _, j := range v.ActiveJobs() {
		done += v.Job(j).Done()
	}
	n := float64(len(v.ActiveJobs()))
	return modelled / n, done / n, nil
}

// expected adds to what is to become of the jobs what is expected of them.
func (a *adviser) expected(d *decision, all []outcome) []JobChange {
	out := append([]JobChange{}, d.jobs...)
	for i := range out {
		j := a.many.of(out[i].Job)
		of, met := &a.many.jobs[j], 0
		var finish []float64
		for k := range all {
			finish = append(finish, all[k].jobs[j])
			if inTime(of, all[k].jobs[j]) {
				met++
			}
		}
		if of.Objective.Within != sim.NoDeadline {
			at := (of.Submit + of.Objective.Within).Seconds()
			out[i].DeadlineS = &at
		}
		out[i].FinishS, out[i].Met = quantilesOf(finish), float64(met)/float64(len(all))
		out[i].AtRisk = out[i].Met < a.share()
	}
	return out
}

// deadlineS is the deadline, of many jobs the next; 0: there is none.
func (a *adviser) deadlineS() float64 {
	if a.many == nil {
		return a.objective().Within.Seconds()
	}
	next := math.Inf(1)
	for j := range a.many.jobs {
		x := &a.many.jobs[j]
		at := (x.Submit + x.Objective.Within).Seconds()
		if x.Objective.Within != sim.NoDeadline && at > a.record.now.Sub(a.record.started).Seconds() {
			next = min(next, at)
		}
	}
	if math.IsInf(next, 1) {
		return 0
	}
	return next
}

// meanJCT is the mean time from submission to the end of the jobs, s, over all continuations; nil where one does not end.
func (a *adviser) meanJCT(all []outcome) *float64 {
	if a.many == nil {
		return nil
	}
	sum := 0.0
	for k := range all {
		for j, at := range all[k].jobs {
			sum += at - a.many.jobs[j].Submit.Seconds()
		}
	}
	return stats.FiniteOrNil(sum / float64(len(all)*len(a.many.jobs)))
}
