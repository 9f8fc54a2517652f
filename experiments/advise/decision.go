package advise

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// decision is what a policy decides now.
type decision struct {
	Plan
	next sim.Time    // when it is asked again at the latest
	jobs []JobChange // of many jobs
}

// emptyPlan is a plan whose lists are empty in JSON, not null.
func emptyPlan() Plan {
	return Plan{
		Order:      []string{},
		HandOver:   []Where{},
		Changes:    []Change{},
		Inputs:     []Input{},
		Candidates: []Candidate{},
	}
}

// note notes what a decision says beside what is to be held.
func (d *decision) note(plan *sim.Plan) {
	d.next = plan.Wake()
	d.Plan = emptyPlan()
	d.Reason = plan.Reason()
	for _, x := range plan.Inputs() {
		d.Inputs = append(d.Inputs, Input{x.Name, stats.FiniteOrNil(x.Value), x.Unit})
	}
	for _, x := range plan.Candidates() {
		d.Candidates = append(d.Candidates, Candidate{x.Name, stats.FiniteOrNil(x.Score), x.Unit, x.Note, x.Chosen})
	}
}

// jobRecorder keeps the first decision on one job at now. What a policy asks to see before it goes on
// (Plan.AskAgain) is not known yet.
type jobRecorder struct {
	record *record
	into   *decision
	kept   bool
}

// Span implements sim.Recorder.
func (*jobRecorder) Span(*sim.Span) {}

func (*jobRecorder) begin(sim.View) {}

// Decision implements sim.Recorder.
func (r *jobRecorder) Decision(v sim.View, plan *sim.Plan, _ bool) {
	if r.kept || v.Now() < r.record.now {
		return
	}
	r.kept = true
	job := &plan.Jobs[0]
	r.into.note(plan)
	r.into.Save = job.Save && v.Job(0).Training()
	r.into.Servers = job.Servers
	r.into.Pipelines = job.Pipelines
	r.into.Stages = job.Stages
	for p, want := range job.Hold {
		if held := v.Held(0, p); want == 0 && held.Active()+held.Waiting == 0 {
			continue
		}
		c := changeTo(v, p, want)
		c.IDs = r.nameReleased(v, job, p, c.Release)
		r.into.Changes = append(r.into.Changes, c)
	}
}

// nameReleased names the instances of a pool that are given back: those that the plan names, then those that start,
// then the newest.
func (r *jobRecorder) nameReleased(v sim.View, job *sim.JobPlan, p, n int) (ids []string) {
	all := slices.DeleteFunc(v.Job(0).Instances(nil), func(x sim.Instance) bool { return x.Pool != p || x.Noticed })
	rank := func(x sim.Instance) int {
		named := slices.ContainsFunc(job.GiveBack, func(y sim.Instance) bool {
			return y.Pool == x.Pool && y.Ordinal == x.Ordinal
		})
		switch {
		case named && !x.Ready:
			return 0
		case named:
			return 1
		case !x.Ready:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(all, func(x, y sim.Instance) int { return cmp.Or(rank(x)-rank(y), y.Ordinal-x.Ordinal) })
	for _, x := range all[:min(n, len(all))] {
		if id := r.record.lifetimes[p][x.Ordinal].id; id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// finish notes as well what the policy would hold once all that it requests has been granted and is ready: one that
// requests in many pools what it needs once takes the rest back, and one that moves between spot and on demand releases
// what it had.
func (r *jobRecorder) finish(w *sim.World, steady func() *sim.World) {
	granted := steady()
	w.RunUntil(r.record.now)
	requests := 0
	for i := range r.into.Changes {
		requests += r.into.Changes[i].Request + r.into.Changes[i].Wait
	}
	if requests == 0 {
		return
	}
	granted.RunUntil(r.record.now.Add(longestBoot(granted.View())))
	if granted.View().Job(0).Active() {
		r.into.noteGranted(granted.View(), r.record.now, requests)
	}
}

// noteGranted notes which of the requests are taken back, and what is handed over, by what is held once all are
// granted.
func (d *decision) noteGranted(v sim.View, now sim.Time, requests int) {
	left := map[string]int{} // by market, of what is held then, without what is kept now
	old := map[string]int{}  // by pool, of what is held now
	for _, x := range v.Job(0).Instances(nil) {
		pool := v.Pool(x.Pool)
		left[marketOf(pool)]++
		if x.Granted < now {
			old[pool.Name]++
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
			d.HandOver = append(d.HandOver, Where{c.Pool, n})
			left[c.Market] += n
		}
	}
	if more >= requests {
		return
	}
	d.AtMost = &more
	asked := slices.DeleteFunc(slices.Clone(d.Changes), func(c Change) bool { return c.Request+c.Wait == 0 })
	slices.SortStableFunc(asked, func(x, y Change) int { return cmp.Compare(x.Price, y.Price) })
	for i := range asked {
		d.Order = append(d.Order, asked[i].Pool)
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

// changeTo is what is to be done in a pool for so many instances to be held or asked for.
func changeTo(v sim.View, p, want int) Change {
	pool := v.Pool(p)
	held := heldOf(v, p)
	keep := min(held.Active(), want)
	wait := min(held.Waiting, want-keep)
	return Change{
		Pool:    pool.Name,
		Type:    pool.InstanceType,
		Zone:    pool.Zone,
		Market:  marketOf(pool),
		Price:   v.Price(p),
		Keep:    keep,
		Release: held.Active() - keep,
		Wait:    wait,
		Cancel:  held.Waiting - wait,
		Request: max(min(want, pool.Quota)-keep-wait, 0),
	}
}

// marketOf names the market of a pool.
func marketOf(pool *sim.Pool) string {
	switch {
	case pool.OnDemand:
		return "on-demand"
	case pool.IsServer():
		return "own"
	}
	return "spot"
}
