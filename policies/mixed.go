package policies

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Mixed is an auto-scaling group of one instance type that mixes on demand and spot:
// some instances on demand as a base, a share of spot above it, on demand in place of
// spot that does not come, and back to spot later, all within a price and a budget.
type Mixed struct {
	Instances int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"number of instances in all; 0 takes the smallest number that meets the objective"`
	Base      int           `set:"on_demand" min:"0" max:"4096" doc:"number of instances on demand that are always held"`
	Share     float64       `set:"spot_share" min:"0" max:"1" doc:"share of spot among the others, rounded up"`
	Fallback  time.Duration `set:"fallback_s" min:"0" max:"86400" doc:"how long spot may be missing before on demand takes its place; 0 waits for ever"`
	Return    time.Duration `set:"return_s" min:"0" max:"86400" doc:"how often spot is asked for again while on demand stands in for it; 0 never"`
	PriceCap  float64       `set:"price_cap_usd" min:"0" max:"100000" doc:"highest price of a spot instance, USD per hour: a pool above it is left; 0 is no limit"`
	Budget    float64       `set:"budget_usd" min:"0" max:"1e9" doc:"the job gives everything back before it costs more, USD; 0 is no limit"`

	sizes sizes
	saver policyutil.LossSaver
}

func init() {
	register("an auto-scaling group: on demand as a base, a share of spot above it, fallback and return, "+
		"price and budget caps",
		"mixed instances of the clouds' auto-scaling groups", MixedPools,
		func() sim.Policy {
			return &Mixed{Base: 1, Share: 1, Fallback: 5 * time.Minute, Return: 30 * time.Minute}
		})
}

// Name implements sim.Policy.
func (*Mixed) Name() string { return "mixed" }

// Decide implements sim.Policy.
func (m *Mixed) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		if m.spent(v, j, plan) {
			clear(plan.Jobs[j].Hold)
			plan.Jobs[j].Servers = 0
			plan.SetReason("the budget is spent")
			continue
		}
		p, n := m.sizes.group(v, j, m.Instances)
		m.hold(v, j, p, n, plan)
		m.watch(v, j, plan)
		m.saver.Tend(v, j, plan)
	}
}

// spent reports whether the budget is spent but for what is charged at least.
func (m *Mixed) spent(v sim.View, j int, plan *sim.Plan) bool {
	return m.Budget > 0 && policyutil.Affords(v, j, m.Budget, plan) <= time.Second.Hours()
}

// watch wakes the policy when half of the rest of the budget is spent, at least every
// minute: what it does not reckon with comes on top.
func (m *Mixed) watch(v sim.View, j int, plan *sim.Plan) {
	hours := policyutil.Affords(v, j, m.Budget, plan)
	if m.Budget > 0 && hours > 0 {
		plan.WakeIn(time.Duration(min(hours/2, 1.0/60)*3.6e12) + time.Microsecond)
	}
}

// hold holds n instances of p's type: as many on spot as the share says and the cloud
// has, on demand for what falls back.
func (m *Mixed) hold(v sim.View, j, p, n int, plan *sim.Plan) {
	hold := plan.Jobs[j].Hold
	base := min(m.Base, n)
	spot := int(math.Ceil(m.Share * float64(n-base)))
	have := 0
	ready := 0
	expensive := 0
	overdue := false
	offered := false
	for q := range hold {
		held := v.Held(j, q)
		if v.Pool(q).OnDemand {
			expensive += held.Want
		} else if m.isWanted(v, p, q) {
			have += held.Active()
			ready += held.Ready
			offered = true
			overdue = overdue || policyutil.Overdue(v, j, q, m.Fallback)
		}
	}
	overdue = overdue || !offered && m.Fallback > 0
	missing := spot - have
	standsIn := expensive > n-spot // on demand for spot, which is asked for at times
	asks := missing > 0 && !overdue
	if standsIn {
		asks = asks && (v.Job(j).Waiting() > 0 || m.returns(v))
	}
	instead := 0
	if standsIn {
		instead = spot - ready // until spot is ready
	} else if overdue {
		instead = missing
		plan.SetReason("on demand instead of spot that does not come")
	}
	if !asks {
		missing = min(missing, 0)
	}
	clear(hold)
	m.requestSpot(v, j, p, missing, plan)
	m.requestOnDemand(v, j, p, n-spot+max(instead, 0), plan)
	if !policyutil.WithinPatience(v, j, m.Fallback, plan) || v.Job(j).Waiting() == 0 {
		policyutil.WakeOverdue(j, m.Fallback, plan) // what is requested now
	}
	if m.PriceCap > 0 && !m.awaitPrices(v, j, p, plan) {
		plan.WakeIn(time.Minute)
	}
	if m.Return > 0 {
		plan.WakeIn(m.Return - v.Now().Sub(v.Start())%m.Return)
	}
}

// awaitPrices waits for the prices at which the next of its looks, a minute apart, would change what is held, and
// reports whether nothing else would: the plan is what is held and requested already, and there is nothing to save or
// to spare. If the plan of another job changed, that one has the next look come, which is one at all jobs.
func (m *Mixed) awaitPrices(v sim.View, j, p int, plan *sim.Plan) bool {
	job := v.Job(j)
	_, workers := job.Model().(sim.WorkerModel)
	if !workers || !v.Asks(m) || m.Budget > 0 || job.SaveTime() > 0 || job.Want() == 0 {
		return false
	}
	for q, n := range plan.Jobs[j].Hold {
		if n != v.Held(j, q).Want {
			return false
		}
	}
	plan.WakeWhen(sim.PriceOutside(p, v.Price(p), v.Price(p)).Every(time.Minute)) // the number may be another one
	for q := range v.Pools() {
		pool := v.Pool(q)
		if pool.OnDemand || pool.InstanceType != v.Pool(p).InstanceType {
			continue
		}
		low := 0.0
		high := m.PriceCap
		if v.Price(q) > m.PriceCap {
			low = math.Nextafter(m.PriceCap, math.Inf(1))
			high = math.Inf(1)
		}
		plan.WakeWhen(sim.PriceOutside(q, low, high).Every(time.Minute))
		left, waits := m.untilOverdue(v, j, q)
		if waits {
			plan.WakeIn((left + time.Minute - 1).Truncate(time.Minute))
		}
	}
	return true
}

// untilOverdue returns how long requests in a pool may wait still, if they do.
func (m *Mixed) untilOverdue(v sim.View, j, q int) (left time.Duration, waits bool) {
	n, since := v.Waiting(j, q)
	left = since.Add(m.Fallback).Sub(v.Now())
	return left, n > 0 && m.Fallback > 0 && left > 0
}

// returns reports whether spot is asked for again now.
func (m *Mixed) returns(v sim.View) bool { return m.Return > 0 && v.Now().Sub(v.Start())%m.Return == 0 }

// isWanted reports whether q is a spot pool of p's type that is not too expensive.
func (m *Mixed) isWanted(v sim.View, p, q int) bool {
	pool := v.Pool(q)
	affordable := m.PriceCap == 0 || v.Price(q) <= m.PriceCap
	return !pool.OnDemand && pool.InstanceType == v.Pool(p).InstanceType && affordable
}

// requestSpot keeps what there is on spot, and requests n more in each zone, since
// it does not see which has them; of less than none, the most expensive are given back.
func (m *Mixed) requestSpot(v sim.View, j, p, more int, plan *sim.Plan) {
	hold := plan.Jobs[j].Hold
	for q := range hold {
		if m.isWanted(v, p, q) {
			hold[q] = v.Held(j, q).Active() + min(max(more, 0), policyutil.Headroom(v, plan, j, q))
		}
	}
	if more < 0 {
		policyutil.GiveBack(v, hold, -more)
	}
}

// requestOnDemand holds n instances of p's type on demand, as far as the quotas allow.
func (m *Mixed) requestOnDemand(v sim.View, j, p, n int, plan *sim.Plan) {
	for q := range v.Pools() {
		pool := v.Pool(q)
		if pool.OnDemand && pool.InstanceType == v.Pool(p).InstanceType {
			held := min(n, v.Held(j, q).Active()+policyutil.Headroom(v, plan, j, q))
			plan.Jobs[j].Hold[q] = held
			n -= held
		}
	}
}
