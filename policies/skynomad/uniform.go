package skynomad

import (
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// The policies with which SkyNomad was compared (NSDI 2027), on any traces: Uniform Progress
// (Can't Be Late, NSDI 2024) decides between spot, on demand and nothing as if some zone had spot,
// and each of them looks for that zone in another way. The rules are those of the public code
// (marigram reproduce skynomad replays it). What the world has and the replay does not: prices of
// now, boots, losses of work, moves at their price and in their time, probes that are paid as the
// cloud bills them; the job saves its work before it leaves an instance, where a loss would take
// work back; and a loss is answered at once, not at the next poll. Where no pool on demand is large
// enough it waits for spot. Pools of queued capacity are left out.

// Switching is UP(S): it tries the zones from the cheapest on, those of the region where it
// was last after the others, and stays where it is while that lasts.
type Switching struct {
	Instances int           `set:"instances" min:"0" max:"4096" doc:"instances of one pool that the job trains on; 0 takes the smallest number with which it can wait for spot, or else that meets the objective"`
	Poll      time.Duration `set:"poll_s" min:"60" max:"86400" doc:"time between decisions"`
	Listed    bool          `set:"listed" doc:"tries the zones in the order of the spec"`

	uniform uniform
}

// Available is UP(A): it prefers zones that had spot when it last looked, and looks into one
// zone at a time.
type Available struct {
	Instances int           `set:"instances" min:"0" max:"4096" doc:"instances of one pool that the job trains on; 0 takes the smallest number with which it can wait for spot, or else that meets the objective"`
	Poll      time.Duration `set:"poll_s" min:"60" max:"86400" doc:"time between decisions"`
	Probe     time.Duration `set:"probe_s" min:"60" max:"2678400" doc:"time between looks into a zone, rounded to polls. Zones without a boot time are not probed"`

	uniform uniform
}

// AvailablePerUSD is UP(AP): it prefers zones that often had spot for their price, and looks
// into all of them.
type AvailablePerUSD struct {
	Instances int           `set:"instances" min:"0" max:"4096" doc:"instances of one pool that the job trains on; 0 takes the smallest number with which it can wait for spot, or else that meets the objective"`
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
	return newMemory[traveller, *traveller](p, from, used)
}

// NewState implements sim.Stateful.
func (p *Available) NewState(from, used any) any {
	return newMemory[traveller, *traveller](p, from, used)
}

// NewState implements sim.Stateful.
func (p *AvailablePerUSD) NewState(from, used any) any {
	return newMemory[traveller, *traveller](p, from, used)
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
	scratch scratch
}

func (u *uniform) decide(v sim.View, plan *sim.Plan, instances int, poll, probe time.Duration) {
	m := v.State().(*memory[traveller, *traveller])
	for _, j := range v.ActiveJobs() {
		now := decision{v, v.Job(j), j, plan, plan.Jobs[j].Hold, 0, poll, &u.scratch}
		t := travel{now, u.search, probe, m.job(j, v.Pools())}
		t.size(&t.n.reckoning, instances)
		t.decide()
		u.saver.Save(v, j, plan)
	}
}

func (t *travel) decide() {
	n := t.n
	lost := t.observe()
	since := t.since()
	due := since%t.poll == 0 && n.polled != t.v.Now()
	t.plan.WakeIn(t.poll - since%t.poll)
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
			n.polled = t.v.Now()
			t.estimate(&n.reckoning)
			t.choose()
		}
	}
}

// observe notes what the cloud took or will take, and reports whether that is what the job trains on.
func (t *travel) observe() (lost bool) {
	n := t.n
	if n.pool == none || t.v.Held(t.j, n.pool).Active() >= t.instances {
		return false
	}
	if n.kind == OnDemand {
		t.extend() // others had the quota
		return false
	}
	t.hold[n.pool] = t.v.Held(t.j, n.pool).Active()
	n.leader, n.pool, n.kind = n.pool, none, None
	return true
}

// choose asks Uniform Progress what to run on.
func (t *travel) choose() {
	n := t.n
	t.plan.AddInput("work left", n.job.Left(&n.state), "s")
	t.plan.AddInput("time left", n.job.DeadlineS-n.state.Now, "s")
	switch {
	case n.ref == none:
		t.plan.SetReason("no pool can train the job")
		return
	case n.late || n.expensive != none && n.job.MustRun(&n.state):
		n.late = true
		if n.kind != OnDemand {
			t.plan.SetReason("on demand from now on: otherwise the job would be late")
			t.want(OnDemand, false)
		}
		return
	}
	if n.pool != none {
		n.leader = n.pool
		if t.v.Pool(n.pool).Region != "" {
			n.last = n.pool
		}
	}
	want, stay := n.job.Progress(&n.state, n.kind, true)
	if n.expensive == none {
		want = Spot
	}
	t.follow()
	t.rank()
	switch {
	case want == OnDemand && n.kind == OnDemand:
		t.plan.SetReason("on demand, until it is ahead of a steady progress")
		n.main = none
	case want == OnDemand:
		t.plan.SetReason("behind a steady progress: on demand")
		t.want(OnDemand, false)
	case n.kind == Spot && t.keeps():
		t.plan.SetReason("it stays where it has spot")
		n.main = n.pool
		t.probes()
	default:
		t.plan.SetReason("spot where there is some, in the order of the candidates")
		t.want(Spot, stay)
	}
}

// want leaves what the job has for another kind.
func (t *travel) want(kind Kind, stay bool) {
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
	if t.loss.Of(t.job.Model(), t.job.Layout()).Rollback && !policyutil.Saved(t.v, t.j, t.plan) {
		n.phase = leaving
		return
	}
	t.hold[n.pool] = 0
	n.pool, n.kind, n.main, n.phase = none, None, none, ended
	t.plan.AskAgain()
}

// start looks for what the job wants; it has nothing.
func (t *travel) start() {
	t.n.phase, t.n.at, t.n.main = idle, 0, none
	if t.n.wanted == OnDemand {
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
		if policyutil.Headroom(t.v, t.plan, t.j, q) >= t.instances {
			t.hold[q] = t.v.Held(t.j, q).Active() + t.instances // not what it holds: a request that waits is in it
			n.phase = trying
			t.plan.AskAgain()
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
	up := t.v.Held(t.j, q).Active() >= t.instances
	n.zones[q].sample(up)
	n.phase = idle
	if !up {
		t.hold[q] = 0
		n.at++
		t.next()
		return
	}
	n.pool, n.kind, n.main = q, Spot, q
	t.sampled(q)
	t.probes()
}

// none goes on where no zone had spot: on demand, or with nothing.
func (t *travel) none() {
	n := t.n
	n.phase = idle
	perUSD := t.search == byAvailabilityPerUSD
	if want, _ := n.job.Progress(&n.state, None, false); want == OnDemand && n.expensive != none && (perUSD || !n.stay) {
		if t.search != byPrice && t.search != asListed {
			n.from = none
		}
		t.plan.SetReason("no spot: on demand")
		t.onDemand()
	}
	if perUSD {
		t.probes()
	}
}

// onDemand requests instances on demand: of those near where the job was.
func (t *travel) onDemand() {
	n := t.n
	n.kind, n.main = OnDemand, none
	switch {
	case n.from != none:
		n.pool = t.nearest(n.from)
	case n.late:
		n.pool = t.cheapest(n.expensive)
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
	have := t.v.Held(t.j, q).Active()
	t.hold[q] = have + min(max(t.instances-have, 0), policyutil.Headroom(t.v, t.plan, t.j, q))
}

// nearest returns the pool on demand, of the type that the job takes, that is nearest to a pool: in its
// zone, region or cloud.
func (t *travel) nearest(to int) int {
	best, largest := t.n.expensive, -1
	if to == none {
		return best
	}
	a := t.v.Pool(to)
	for q := range t.hold {
		b := t.v.Pool(q)
		if !t.isExpensive(q, t.n.expensive) {
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
