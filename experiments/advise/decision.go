package advise

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// decision is what a policy decides now.
type decision struct {
	Changes    []Change
	Save       bool
	Reason     string
	Servers    int
	Pipelines  int
	Stages     int
	Inputs     []sim.Input
	Candidates []sim.Candidate
	hold       []int
	jobs       []JobChange
	next       sim.Time // when it is asked again at the latest
}

// Change is what is to be done in one pool.
type Change struct {
	Pool    string   `json:"pool" jsonschema:"name of the pool"`
	Type    string   `json:"type" jsonschema:"instance type"`
	Zone    string   `json:"zone" jsonschema:"zone; empty on demand in any"`
	Market  string   `json:"market" jsonschema:"spot, on-demand, or own: servers that are always there"`
	Keep    int      `json:"keep" jsonschema:"instances that are held on, not counting those under notice"`
	Request int      `json:"request" jsonschema:"instances to ask for, in addition to those that wait already"`
	Wait    int      `json:"wait" jsonschema:"requests that wait already and stay"`
	Cancel  int      `json:"cancel" jsonschema:"requests that wait and are to be taken back"`
	Release int      `json:"release" jsonschema:"instances to give back"`
	IDs     []string `json:"release_ids,omitempty" jsonschema:"the state's ids of those, if it has them"`
	Price   float64  `json:"usd_per_h" jsonschema:"present price of one instance"`
}

// decisionRecorder keeps the first decision at now. What a policy asks to see before it goes on
// (Plan.AskAgain) is not known yet.
type decisionRecorder struct {
	now    sim.Time
	record *record
	into   *decision
	kept   bool

	many *many
	was  [][]sim.Part // of many: what each held by the plan before
	held []int        // the same of all of them, or as hosts, by pool
	open bool         // it has asked for what may not be granted

	hosts map[int]*life // by the number of a host, where instances are shared
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

// changeOf is a change of a pool that is still to be counted.
func changeOf(v sim.View, p int) Change {
	pool := v.Pool(p)
	c := Change{Pool: pool.Name, Type: pool.InstanceType, Zone: pool.Zone, Market: "spot", Price: v.Price(p)}
	switch {
	case pool.OnDemand:
		c.Market = "on-demand"
	case pool.Reserved:
		c.Market = "own"
	}
	return c
}

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
