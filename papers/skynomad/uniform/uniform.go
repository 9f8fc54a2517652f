// Package uniform has the policies with which SkyNomad was compared (NSDI 2027), on any traces, and registers them.
// Uniform Progress (Can't Be Late, NSDI 2024) decides between spot, on demand and nothing as if some zone had spot, and
// each of them looks for that zone in another way. The rules are those of the public code (marigram reproduce skynomad
// replays it). What the world has and the replay does not: prices of now, boots, losses of work, moves at their price
// and in their time, probes that are paid as the cloud bills them; the job saves its work before it leaves an instance,
// where a loss would take work back; and a loss is answered at once, not at the next poll. Where no pool on demand is
// large enough it waits for spot. Pools of queued capacity are left out.
package uniform

import (
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/policies/skynomad"
	"github.com/marigram/marigram/sim"
)

// poll is the time between decisions of the authors' experiments.
const poll = 10 * time.Minute

func init() {
	register("uniform progress over zones: spot in the cheapest that has some, those of another region first",
		"UP(S) of SkyNomad (NSDI 2027)", func() sim.Policy { return &Switching{Poll: poll} })
	register("uniform progress over zones: spot where the last looks found some",
		"UP(A) of SkyNomad (NSDI 2027)", func() sim.Policy { return &Available{Poll: poll, Probe: 2 * time.Hour} })
	register("uniform progress over zones: spot where it was found most often for its price",
		"UP(AP) of SkyNomad (NSDI 2027)", func() sim.Policy { return &AvailablePerUSD{Poll: poll, Probe: time.Hour} })
}

func register(doc, source string, policy func() sim.Policy) {
	policies.Register(policies.Info{
		Name:       policy().Name(),
		Doc:        doc,
		Source:     source,
		Needs:      policies.WorkerModels,
		ByDeadline: true,
		Defaults:   policy,
	})
}

// none is no pool.
const none = -1

// phase is what a decision waits for, at one instant.
type phase uint8

const (
	idle    phase = iota
	trying        // whether a request is granted
	probing       // whether probes are
	leaving       // for the save of the work, before the job leaves
	ended         // that what it left is gone
)

// Switching is UP(S): it tries the zones from the cheapest on, those of the region where it
// was last after the others, and stays where it is while that lasts.
type Switching struct {
	Instances int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"instances of one pool that the job trains on; 0 takes the smallest number with which it can wait for spot, or else that meets the objective"`
	Poll      time.Duration `set:"poll_s" min:"60" max:"86400" doc:"time between decisions"`
	Listed    bool          `set:"listed" doc:"tries the zones in the order of the spec"`

	uniform uniform
}

// Available is UP(A): it prefers zones that had spot when it last looked, and looks into one
// zone at a time.
type Available struct {
	Instances int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"instances of one pool that the job trains on; 0 takes the smallest number with which it can wait for spot, or else that meets the objective"`
	Poll      time.Duration `set:"poll_s" min:"60" max:"86400" doc:"time between decisions"`
	Probe     time.Duration `set:"probe_s" min:"60" max:"2678400" doc:"time between looks into a zone, rounded to polls. Zones without a boot time are not probed"`

	uniform uniform
}

// AvailablePerUSD is UP(AP): it prefers zones that often had spot for their price, and looks
// into all of them.
type AvailablePerUSD struct {
	Instances int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"instances of one pool that the job trains on; 0 takes the smallest number with which it can wait for spot, or else that meets the objective"`
	Poll      time.Duration `set:"poll_s" min:"60" max:"86400" doc:"time between decisions"`
	Probe     time.Duration `set:"probe_s" min:"60" max:"2678400" doc:"time between looks into a zone, rounded to polls. Zones without a boot time are not probed"`

	uniform uniform
}

// Name implements sim.Policy.
func (*Switching) Name() string { return "uniform-progress-s" }

// Name implements sim.Policy.
func (*Available) Name() string { return "uniform-progress-a" }

// Name implements sim.Policy.
func (*AvailablePerUSD) Name() string { return "uniform-progress-ap" }

// NewState implements sim.Stateful.
func (p *Switching) NewState(from, used any) any {
	return policyutil.NewMemory[traveller, *traveller](p, from, used)
}

// NewState implements sim.Stateful.
func (p *Available) NewState(from, used any) any {
	return policyutil.NewMemory[traveller, *traveller](p, from, used)
}

// NewState implements sim.Stateful.
func (p *AvailablePerUSD) NewState(from, used any) any {
	return policyutil.NewMemory[traveller, *traveller](p, from, used)
}

// Decide implements sim.Policy.
func (p *Switching) Decide(v sim.View, plan *sim.Plan) {
	p.uniform.search = byPrice
	if p.Listed {
		p.uniform.search = asListed
	}
	p.uniform.decide(v, plan, p.Instances, p.Poll, 0)
}

// Decide implements sim.Policy.
func (p *Available) Decide(v sim.View, plan *sim.Plan) {
	p.uniform.search = byAvailability
	p.uniform.decide(v, plan, p.Instances, p.Poll, p.Probe)
}

// Decide implements sim.Policy.
func (p *AvailablePerUSD) Decide(v sim.View, plan *sim.Plan) {
	p.uniform.search = byAvailabilityPerUSD
	p.uniform.decide(v, plan, p.Instances, p.Poll, p.Probe)
}

// uniform is what the three share.
type uniform struct {
	search  search
	saver   policyutil.LossSaver
	scratch skynomad.Scratch
}

func (u *uniform) decide(v sim.View, plan *sim.Plan, instances int, poll, probe time.Duration) {
	m := v.State().(*policyutil.Memory[traveller, *traveller])
	for _, j := range v.ActiveJobs() {
		t := travel{
			Decision: skynomad.Decision{
				View: v, Job: v.Job(j), ID: j, Plan: plan, Hold: plan.Jobs[j].Hold, Poll: poll, Scratch: &u.scratch,
			},
			search: u.search,
			every:  probe,
			n:      m.Job(j, v.Pools()),
		}
		t.ChooseInstances(&t.n.Reckoning, instances)
		t.decide()
		u.saver.Save(v, j, plan)
	}
}

func (t *travel) decide() {
	n := t.n
	lost := t.observe()
	since := t.Since()
	due := since%t.Poll == 0 && n.polled != t.View.Now()
	t.Plan.WakeIn(t.Poll - since%t.Poll)
	switch n.phase {
	case ended:
		t.start()
	case trying:
		t.tried()
	case probing:
		t.probed()
	case leaving:
		t.leave()
	case idle:
		if due || lost {
			n.polled = t.View.Now()
			t.Estimate(&n.Reckoning)
			t.choose()
		}
	}
}

// observe notes what the cloud took or will take, and reports whether that is what the job trains on.
func (t *travel) observe() (lost bool) {
	n := t.n
	if n.pool == none || t.View.Held(t.ID, n.pool).Active() >= t.Instances {
		return false
	}
	if n.kind == skynomad.OnDemand {
		t.extend() // others had the quota
		return false
	}
	t.Hold[n.pool] = t.View.Held(t.ID, n.pool).Active()
	n.leader, n.pool, n.kind = n.pool, none, skynomad.None
	return true
}

// choose asks Uniform Progress what to run on.
func (t *travel) choose() {
	n := t.n
	t.Plan.AddInput("work left", n.Job.Left(&n.State), "s")
	t.Plan.AddInput("time left", n.Job.DeadlineS-n.State.Now, "s")
	switch {
	case n.Ref == none:
		t.Plan.SetReason("no pool can train the job")
		return
	case n.late || n.Expensive != none && n.Job.MustRun(&n.State):
		n.late = true
		if n.kind != skynomad.OnDemand {
			t.Plan.SetReason("on demand from now on: otherwise the job would be late")
			t.want(skynomad.OnDemand, false)
		}
		return
	}
	if n.pool != none {
		n.leader = n.pool
		if t.View.Pool(n.pool).Region != "" {
			n.last = n.pool
		}
	}
	want, stay := n.Job.Progress(&n.State, n.kind, true)
	if n.Expensive == none {
		want = skynomad.Spot
	}
	t.follow()
	t.rank()
	switch {
	case want == skynomad.OnDemand && n.kind == skynomad.OnDemand:
		t.Plan.SetReason("on demand, until it is ahead of a steady progress")
		n.main = none
	case want == skynomad.OnDemand:
		t.Plan.SetReason("behind a steady progress: on demand")
		t.want(skynomad.OnDemand, false)
	case n.kind == skynomad.Spot && t.keeps():
		t.Plan.SetReason("it stays where it has spot")
		n.main = n.pool
		t.probes()
	default:
		t.Plan.SetReason("spot where there is some, in the order of the candidates")
		t.want(skynomad.Spot, stay)
	}
}

// want leaves what the job has for another kind.
func (t *travel) want(kind skynomad.Kind, stay bool) {
	t.n.wanted, t.n.stay, t.n.from = kind, stay, t.n.pool
	t.leave()
}

// leave gives back what the job has, once its work is saved.
func (t *travel) leave() {
	n := t.n
	if n.pool == none {
		t.start()
		return
	}
	if t.Loss.Of(t.Job.Model(), t.Job.Layout()).Rollback && !policyutil.Saved(t.View, t.ID, t.Plan) {
		n.phase = leaving
		return
	}
	t.Hold[n.pool] = 0
	n.pool, n.kind, n.main, n.phase = none, skynomad.None, none, ended
	t.Plan.AskAgain()
}

// start looks for what the job wants; it has nothing.
func (t *travel) start() {
	t.n.phase, t.n.at, t.n.main = idle, 0, none
	if t.n.wanted == skynomad.OnDemand {
		t.onDemand()
		return
	}
	t.next()
}

// next requests instances in the first zone that is left to try.
func (t *travel) next() {
	n := t.n
	const maxTries = 60 // at one instant: a plan may not ask again for ever
	for ; n.at < min(len(n.order), maxTries); n.at++ {
		q := n.order[n.at].pool
		if policyutil.Headroom(t.View, t.Plan, t.ID, q) >= t.Instances {
			t.Hold[q] = t.View.Held(t.ID, q).Active() + t.Instances // not what it holds: a request that waits is in it
			n.phase = trying
			t.Plan.AskAgain()
			return
		}
		n.zones[q].sample(false)
	}
	t.none()
}

// tried sees whether a request was granted.
func (t *travel) tried() {
	n := t.n
	q := n.order[n.at].pool
	up := t.View.Held(t.ID, q).Active() >= t.Instances
	n.zones[q].sample(up)
	n.phase = idle
	if !up {
		t.Hold[q] = 0
		n.at++
		t.next()
		return
	}
	n.pool, n.kind, n.main = q, skynomad.Spot, q
	t.sampled(q)
	t.probes()
}

// none goes on where no zone had spot: on demand, or with nothing.
func (t *travel) none() {
	n := t.n
	n.phase = idle
	perUSD := t.search == byAvailabilityPerUSD
	if want, _ := n.Job.Progress(&n.State, skynomad.None, false); want == skynomad.OnDemand && n.Expensive != none && (perUSD || !n.stay) {
		if t.search != byPrice && t.search != asListed {
			n.from = none
		}
		t.Plan.SetReason("no spot: on demand")
		t.onDemand()
	}
	if perUSD {
		t.probes()
	}
}

// onDemand requests instances on demand: of those near where the job was.
func (t *travel) onDemand() {
	n := t.n
	n.kind, n.main = skynomad.OnDemand, none
	switch {
	case n.from != none:
		n.pool = t.nearest(n.from)
	case n.late:
		n.pool = t.Cheapest(n.Expensive)
	case t.search == byAvailabilityPerUSD:
		n.pool = t.nearest(n.first())
	default:
		n.pool = t.nearest(n.leader)
	}
	t.extend()
}

// extend asks for what is missing on demand, within the quotas.
func (t *travel) extend() {
	q := t.n.pool
	have := t.View.Held(t.ID, q).Active()
	t.Hold[q] = have + min(max(t.Instances-have, 0), policyutil.Headroom(t.View, t.Plan, t.ID, q))
}

// nearest returns the pool on demand, of the type that the job takes, that is nearest to a pool: in its
// zone, region or cloud.
func (t *travel) nearest(to int) int {
	best, largest := t.n.Expensive, -1
	if to == none {
		return best
	}
	a := t.View.Pool(to)
	for q := range t.Hold {
		b := t.View.Pool(q)
		if !t.IsExpensive(q, t.n.Expensive) {
			continue
		}
		near := 0
		switch {
		case b.Cloud != a.Cloud:
		case b.Region != a.Region:
			near = 1
		case b.Zone != a.Zone:
			near = 2
		default:
			near = 3
		}
		if near > largest {
			best, largest = q, near
		}
	}
	return best
}
