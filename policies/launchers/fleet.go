package launchers

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Allocation is how a cloud chooses among spot pools.
type Allocation string

// The strategies of EC2 beside the default, price-capacity-optimized.
const (
	CapacityOptimized Allocation = "capacity-optimized"
	LowestPrice       Allocation = "lowest-price"
)

// fleet is instances of one type in one region that a job has, each asked for on its own.
type fleet struct {
	begun bool
	nodes int
	like  int        // a spot pool of the region and type; none
	until []sim.Time // by pool: until when it is not asked again
	asked int        // the pool that was asked at this instant; none
}

// Pools implements policyutil.Kept.
func (f *fleet) Pools() int { return len(f.until) }

// Restart implements policyutil.Kept.
func (f *fleet) Restart(pools int) {
	if len(f.until) != pools {
		f.until = make([]sim.Time, pools)
	}
	clear(f.until)
	*f = fleet{until: f.until, like: none, asked: none}
}

// CopyFrom implements policyutil.Kept.
func (f *fleet) CopyFrom(src *fleet) {
	*f = *src
	f.until = append([]sim.Time(nil), src.until...)
}

// fleetTurn is one decision on one job that has a fleet.
type fleetTurn struct {
	sim.View
	plan  *sim.Plan
	j     int
	hold  []int
	group *fleet
}

// begin chooses the region and the type, those of the cheapest spot pool at the start, and the number of instances.
func (t *fleetTurn) begin(instances int, onDemand bool) {
	if t.group.begun {
		return
	}
	t.group.begun = true
	for p := range t.Pools() {
		if t.usable(p) && !t.Pool(p).OnDemand && (t.group.like == none || t.Price(p) < t.Price(t.group.like)) {
			t.group.like = p
		}
	}
	all := 0
	for p := range t.Pools() {
		if t.belongs(p) && (onDemand || !t.Pool(p).OnDemand) {
			all += t.Pool(p).Quota
		}
	}
	t.group.nodes = sizeWithin(t.View, t.j, instances, all)
}

// thisInstant is how long a pool is left alone that is not asked again at one instant: the grain of sim.Time.
const thisInstant = time.Microsecond

// noteAsked notes whether the pool that was asked at this instant has refused; it is left alone until then.
func (t *fleetTurn) noteAsked(until sim.Time) {
	p := t.group.asked
	t.group.asked = none
	if n, _ := t.Waiting(t.j, p); n > 0 {
		t.noteRefusal(p, until)
		t.plan.SetReason("refused")
	}
}

// usable reports whether a pool can be asked for instances now.
func (t *fleetTurn) usable(p int) bool { return t.Pool(p).Quota > 0 && t.Pool(p).Wait == 0 }

// belongs reports whether a pool is of the fleet's region and type.
func (t *fleetTurn) belongs(p int) bool {
	if t.group.like == none || !t.usable(p) {
		return false
	}
	pool := t.Pool(p)
	like := t.Pool(t.group.like)
	sameRegion := pool.Region == like.Region && pool.Cloud == like.Cloud
	return pool.InstanceType == like.InstanceType && (sameRegion || pool.OnDemand && pool.Region == "")
}

// active returns how many instances the fleet has of a kind, without those under notice.
func (t *fleetTurn) active(onDemand bool) (n int) {
	for p := range t.Pools() {
		if t.Pool(p).OnDemand == onDemand {
			n += t.Active(t.j, p)
		}
	}
	return n
}

// keep asks for nothing beyond what is there.
func (t *fleetTurn) keep() {
	for p := range t.hold {
		t.hold[p] = t.Active(t.j, p)
	}
}

// ask asks a pool for more instances at this instant, as far as its quota allows. It reports whether it does.
func (t *fleetTurn) ask(p, more int) bool {
	more = min(more, policyutil.Headroom(t.View, t.plan, t.j, p))
	if more <= 0 {
		return false
	}
	t.hold[p] = t.Active(t.j, p) + more
	t.group.asked = p
	t.plan.AskAgain()
	if t.plan.Recorded() {
		t.plan.AddCandidate(sim.Candidate{Name: t.Pool(p).Name, Score: t.Price(p), Unit: "USD/h", Chosen: true})
		t.explainLeftAlone()
	}
	return true
}

// explainLeftAlone tells a recorder which pools are not asked, beside those that it was told of.
func (t *fleetTurn) explainLeftAlone() {
	for p := range t.Pools() {
		name := t.Pool(p).Name
		told := func(c sim.Candidate) bool { return c.Name == name }
		if t.belongs(p) && t.group.until[p] > t.Now() && !slices.ContainsFunc(t.plan.Candidates(), told) {
			t.plan.AddCandidate(sim.Candidate{Name: name, Score: t.Price(p), Unit: "USD/h", Note: "left alone"})
		}
	}
}

// explainWait gives the decision a reason, if it has none.
func (t *fleetTurn) explainWait(why string) {
	if t.plan.Reason() == "" {
		t.plan.SetReason(why)
	}
}

// noteRefusal leaves a pool alone until an instant, and tells a recorder.
func (t *fleetTurn) noteRefusal(p int, until sim.Time) {
	t.group.until[p] = until
	if t.plan.Recorded() {
		t.plan.AddCandidate(sim.Candidate{Name: t.Pool(p).Name, Score: t.Price(p), Unit: "USD/h", Note: "refused"})
	}
}

// best returns the pool of a kind that is asked next, none if all are left alone.
func (t *fleetTurn) best(onDemand bool, by Allocation) int {
	best := none
	for p := range t.Pools() {
		if t.Pool(p).OnDemand != onDemand || !t.belongs(p) || t.group.until[p] > t.Now() {
			continue
		}
		if best == none || t.before(p, best, by) {
			best = p
		}
	}
	return best
}

// before reports whether pool p is asked before pool q. How EC2 ranks capacity is not published: assumed is the time
// since a pool refused, or took, an instance of the run.
func (t *fleetTurn) before(p, q int, by Allocation) bool {
	if by != LowestPrice && !t.Pool(p).OnDemand {
		calm := t.calm(p)
		other := t.calm(q)
		if calm != other {
			return calm > other
		}
	}
	return t.Price(p) < t.Price(q)
}

// calm is how long ago a pool last refused or took an instance, in hours; infinite if it never did.
func (t *fleetTurn) calm(p int) float64 {
	seen := t.Seen(p)
	last := sim.Time(-1)
	for _, at := range [...]sim.Time{seen.RefusedAt, seen.TakenAt} {
		if at != sim.Never {
			last = max(last, at)
		}
	}
	if last < 0 {
		return math.Inf(1)
	}
	return t.Now().Sub(last).Hours()
}
