package advise

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// decisionRecorder keeps the first decision at now. What a policy asks to see before it goes on
// (Plan.AskAgain) is not known yet.
type decisionRecorder struct {
	now    sim.Time
	record *record
	into   *decision
	kept   bool

	many *many
	was  [][]sim.Part // of many: what each held by the plan before
	held []int        // the same of all of them, by pool
	open bool         // it has asked for what may not be granted
}

// Span implements sim.Recorder.
func (*decisionRecorder) Span(*sim.Span) {}

// Decision implements sim.Recorder.
func (r *decisionRecorder) Decision(v sim.View, plan *sim.Plan, _ bool) {
	if r.many != nil {
		r.ofJobs(v, plan)
		return
	}
	if r.kept || v.Now() < r.now {
		return
	}
	r.kept = true
	job := &plan.Jobs[0]
	*r.into = decision{Save: job.Save && v.Job(0).Training(), Reason: plan.Reason(), Servers: job.Servers, Pipelines: job.Pipelines,
		Stages: job.Stages, next: plan.Wake(), Inputs: slices.Clone(plan.Inputs()), Candidates: slices.Clone(plan.Candidates()), hold: slices.Clone(job.Hold)}
	for p, want := range job.Hold {
		h, pool := v.Held(0, p), v.Pool(p)
		active, waiting := h.Active(), h.Waiting
		if want == 0 && active+waiting == 0 {
			continue
		}
		c := changeOf(v, p)
		c.Keep = min(active, want)
		c.Release = active - c.Keep
		c.Wait = min(waiting, want-c.Keep)
		c.Cancel = waiting - c.Wait
		c.Request = max(min(want, pool.Quota)-c.Keep-c.Wait, 0)
		c.IDs = r.released(v, job, p, c.Release)
		r.into.Changes = append(r.into.Changes, c)
	}
}

// granted notes what the policy would hold once all that it requests has been granted and is ready, which it is in
// fork: a policy that requests in many pools what it needs once takes the rest back, and one that moves between spot
// and on demand releases what it had.
func (d *decision) granted(fork *sim.World, now sim.Time) {
	requests := 0
	for i := range d.Changes {
		requests += d.Changes[i].Request + d.Changes[i].Wait
	}
	if requests == 0 {
		return
	}
	fork.RunUntil(now.Add(longestBoot(fork.View())))
	v := fork.View()
	job := v.Job(0)
	if !job.Active() {
		return
	}
	left := map[string]int{} // by market, of what is held then, without what is kept now
	old := map[string]int{}  // by pool, of what is held now
	for _, x := range job.Instances(nil) {
		c := changeOf(v, x.Pool)
		left[c.Market]++
		if x.Granted < now {
			old[c.Pool]++
		}
	}
	for i := range d.Changes {
		left[d.Changes[i].Market] -= d.Changes[i].Keep
	}
	more := 0
	for _, n := range left {
		more += max(n, 0)
	}
	if more == 0 { // it waits for more than all of that
		return
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		if n := min(c.Keep-old[c.Pool], -left[c.Market]); n > 0 {
			d.handOver = append(d.handOver, Where{c.Pool, n})
			left[c.Market] += n
		}
	}
	if more >= requests {
		return
	}
	d.atMost = &more
	asked := slices.DeleteFunc(slices.Clone(d.Changes), func(c Change) bool { return c.Request+c.Wait == 0 })
	slices.SortStableFunc(asked, func(x, y Change) int { return cmp.Compare(x.Price, y.Price) })
	for i := range asked {
		d.order = append(d.order, asked[i].Pool)
	}
}

// longestBoot is the time within which what is granted now is ready, but for one in a thousand.
func longestBoot(v sim.View) (span time.Duration) {
	for p := range v.Pools() {
		boot := v.Pool(p).Boot
		span = max(span, time.Duration(float64(boot.Median)*math.Exp(3.1*boot.Sigma)))
	}
	return span + time.Second
}

// changeOf is a change of a pool that is still to be counted.
func changeOf(v sim.View, p int) Change {
	pool := v.Pool(p)
	c := Change{Pool: pool.Name, Type: pool.InstanceType, Zone: pool.Zone, Market: "spot", Price: v.Price(p)}
	switch {
	case pool.OnDemand:
		c.Market = "on-demand"
	case isOwn(pool):
		c.Market = "own"
	}
	return c
}

// isOwn reports whether a pool is a server of one's own, which may fail.
func isOwn(pool *sim.Pool) bool { return pool.Reserved || pool.Failures != nil && pool.Failures.Whole }

// released names the instances of a pool that are given back: those that the plan names, then those that start,
// then the newest.
func (r *decisionRecorder) released(v sim.View, job *sim.JobPlan, p, n int) (ids []string) {
	all := v.Job(0).Instances(nil)
	all = slices.DeleteFunc(all, func(x sim.Instance) bool { return x.Pool != p || x.Noticed })
	named := func(x sim.Instance) bool {
		return slices.ContainsFunc(job.GiveBack, func(y sim.Instance) bool { return y.Pool == x.Pool && y.Ordinal == x.Ordinal })
	}
	slices.SortStableFunc(all, func(x, y sim.Instance) int {
		switch {
		case named(x) != named(y):
			return before(named(x))
		case x.Ready != y.Ready:
			return before(y.Ready)
		}
		return y.Ordinal - x.Ordinal
	})
	for _, x := range all[:min(n, len(all))] {
		if id := r.record.lifetimes[p][x.Ordinal].id; id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// before is the result of a comparison.
func before(is bool) int {
	if is {
		return -1
	}
	return 1
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

// want counts what the plan holds and asks for, by pool, for all jobs together.
func (r *decisionRecorder) want(v sim.View, into []int) {
	clear(into)
	for _, j := range v.ActiveJobs() {
		for _, x := range v.Planned(j, nil) {
			into[x.Pool] += int(x.N)
		}
	}
}

// ofJobs keeps the decision of now: the last one at this instant that does not follow a request which may not be
// granted.
func (r *decisionRecorder) ofJobs(v sim.View, plan *sim.Plan) {
	if v.Now() < r.now || r.was == nil || r.open {
		return
	}
	*r.into = decision{Reason: plan.Reason(), Inputs: slices.Clone(plan.Inputs()), Candidates: slices.Clone(plan.Candidates()), next: plan.Wake()}
	for _, j := range v.ActiveJobs() {
		to := v.Planned(j, nil)
		c := JobChange{Job: r.many.list[j].ID, GPUs: r.many.jobs[j].Model.(sim.GangModel).Gang(), Done: v.Job(j).Done(), Do: doing(r.was[j], to),
			From: where(v, r.was[j]), To: where(v, to)}
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
		c.IDs = r.idle(v, p, c.Release)
		r.into.Changes = append(r.into.Changes, c)
		r.open = r.open || c.Request > 0 && !isOwn(v.Pool(p))
	}
}

// idle names n instances of a pool that the state names and no job is to hold any more.
func (r *decisionRecorder) idle(v sim.View, pool, n int) (ids []string) {
	kept := map[*life]bool{}
	for _, j := range v.ActiveJobs() {
		if r.record.tasks == nil || len(r.record.tasks[j]) == 0 {
			continue
		}
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
