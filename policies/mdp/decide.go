package mdp

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// present is what the job has, and what is left of it, at the decision.
type present struct {
	table    *table
	elapsed  float64          // seconds since the submission
	quality  []float64        // by place: of the clusters that there is room for
	work     float64          // that is left; not of a job that has not begun
	held     ondemand.Cluster // starts or is ready
	ready    ondemand.Cluster // is ready, those under notice left out
	training ondemand.Cluster // is ready, those under notice included
	readyIn  []float64        // by pool: mean seconds until what starts, or else what is requested now, is ready
	paused   float64          // seconds until training goes on
	unsaved  float64          // work that a loss takes back
	state    int              // of the market, where all are listed

	keepsOnDemand bool // the safe form lets nothing on demand go before something else is ready
}

// observe takes in the state of the job.
func (p *planner) observe() {
	now := &p.now
	instances := p.countInstances()
	now.keepsOnDemand = p.set.net.KeepsOnDemand(p.index)
	now.elapsed = p.view.Now().Sub(p.job.Submitted()).Seconds()
	now.paused = 0
	if end := p.job.Paused(); end != sim.Never {
		now.paused = end.Sub(p.view.Now()).Seconds()
	}
	model := p.job.Model()
	done := model.Goal(p.job.Loss())
	now.work = p.goal - done
	now.unsaved = 0
	if p.loss.Rollback && p.job.Begun() {
		unsaved := max(done-model.Goal(p.job.SavedLoss()), 0)
		if instances > 0 {
			now.unsaved = unsaved
		} else { // it went with the last instances
			now.work += unsaved
		}
	}
}

// retrained returns the work that is done again where all that has the state is given up: what is not saved, or what
// would be trained until it is, if that is less.
func (x *present) retrained() float64 {
	if x.ready.N == 0 {
		return x.unsaved
	}
	return min(x.unsaved, x.table.saves*x.training.Rate)
}

// countInstances takes in what is held, is ready and trains, and returns how many instances the job has.
func (p *planner) countInstances() int {
	now := &p.now
	now.held.Counts = now.held.Counts[:0]
	now.ready.Counts = now.ready.Counts[:0]
	now.training.Counts = now.training.Counts[:0]
	now.readyIn = now.readyIn[:0]
	instances := 0
	unready := 0
	for k := range p.pools {
		held := p.view.Held(p.index, k)
		now.held.Counts = append(now.held.Counts, int32(held.Active()))
		now.ready.Counts = append(now.ready.Counts, int32(held.Ready))
		now.training.Counts = append(now.training.Counts, int32(held.Ready+held.Noticed))
		now.readyIn = append(now.readyIn, p.pools[k].boot)
		instances += held.Active() + held.Noticed
		unready += held.Starting + held.Noticed
	}
	if unready == 0 {
		return instances
	}
	p.instances = p.job.Instances(p.instances[:0])
	for _, instance := range p.instances {
		if instance.Ready {
			continue
		}
		if instance.Noticed {
			now.training.Counts[instance.Pool]--
		} else {
			boot := p.view.Pool(instance.Pool).Boot
			age := p.view.Now().Sub(instance.Granted).Seconds()
			k := instance.Pool
			now.readyIn[k] = min(now.readyIn[k], policyutil.ReadyIn(boot, age, 1, 0.5))
		}
	}
	return instances
}

// refusesRelease reports whether the safe form refuses that a cluster is held instead of what is.
func (p *planner) refusesRelease(counts []int32) bool {
	if !p.now.keepsOnDemand {
		return false
	}
	for k, held := range p.now.held.Counts {
		if !p.pools[k].spot && counts[k] < held {
			return true
		}
	}
	return false
}

// candidate is an option that was tried.
type candidate struct {
	counts    []int32
	keepsHeld bool
	usd       float64
	boot      float64
	worst     float64 // USD beyond the limit at worst, where hours are paid; 0 within it
}

// choice is the best of the options that were tried, in memory that is used again.
type choice struct {
	candidate
	tried    []candidate // for a recorder
	recorded bool
	scratch  []int32
	names    []int
}

// set makes a candidate the best.
func (c *choice) set(to *candidate) {
	counts := append(c.counts[:0], to.counts...)
	c.candidate = *to
	c.counts = counts
}

// search leaves in best the cheapest of the clusters within the free instances.
func (p *planner) search() {
	now := &p.now
	now.quality = now.quality[:0]
	for place := range p.moves.places {
		now.quality = append(now.quality, p.moves.quality(p, place, now.table.price, now.table.regimeSeconds))
	}
	now.state = p.regimes.stateOf(p.free, p.pools)
	best := &p.best
	best.set(&candidate{counts: now.held.Counts, usd: math.Inf(1), worst: math.Inf(1)})
	p.try(now.held.Counts, false)
	best.scratch = policyutil.Resize(best.scratch, len(now.held.Counts))
	clear(best.scratch)
	p.try(best.scratch, false)
	for k, held := range now.held.Counts {
		if p.pools[k].spot {
			best.scratch[k] = held
		}
	}
	p.try(best.scratch, false)

	if first, _ := p.alone(); first != nil {
		p.try(first, false)
	}
	p.tryCorners(p.free)
	p.tryPools()
	p.tryWithinLimit()
	p.tryPlaces()
}

// tryPlaces tries the clusters that take no move.
func (p *planner) tryPlaces() {
	moves := &p.moves
	if !moves.any {
		return
	}
	if len(moves.state) > 0 {
		p.tryCorners(moves.nearby(moves.state, p.free))
		return
	}
	for place := range moves.places { // training may begin in any of them
		p.tryCorners(moves.nearby(moves.places[place:place+1], p.free))
	}
}

// tryPools tries the clusters of each spot pool alone, where some have room for few: the loss of any of several pools
// may leave too few to train on.
func (p *planner) tryPools() {
	if !p.partial {
		return
	}
	for _, k := range p.regimes.spot {
		clear(p.rooms)
		p.rooms[k] = p.free[k]
		p.tryCorners(p.rooms)
	}
}

// tryCorners tries the clusters on the lower convex hull of (rate, price) within the free instances.
func (p *planner) tryCorners(free []int) {
	clusters, hull := p.frontier.Clusters(p.view, free, p.prices)
	for _, i := range hull {
		p.tryAround(clusters[i].Counts)
	}
}

// tryAround tries a cluster, and what it has more or has in common with what is held.
func (p *planner) tryAround(counts []int32) {
	now := &p.now
	p.try(counts, false)
	if now.held.N == 0 {
		return
	}
	scratch := p.best.scratch
	if !isWithin(now.held.Counts, counts) {
		if !isWithin(counts, now.ready.Counts) {
			p.try(counts, true)
		}
		for k, n := range counts {
			scratch[k] = max(n, now.held.Counts[k])
		}
		p.try(scratch, false)
	}
	for k, n := range counts {
		scratch[k] = min(n, now.held.Counts[k])
	}
	p.try(scratch, false)
}

// tie is the share of a cost below which the first option stays.
const tie = 1e-9

// dearerIdle is the share by which holding nothing counts as dearer where there are several spot pools and changes stop
// the job: values are no more exact than that, and who holds nothing learns nothing of the pools.
const dearerIdle = 0.01

// alone returns what the schedule on demand alone begins with, and its cost, USD; nil if none is in time, or where many
// pools are planned for: what other options cost is overestimated there, by the boots between them, and it is not.
func (p *planner) alone() (first []int32, usd float64) {
	if !p.regimes.listsAll() {
		return nil, 0
	}
	return p.set.net.Alone(p.index)
}

// try prices an option, and keeps it if it is the cheapest so far.
func (p *planner) try(counts []int32, keepsHeld bool) {
	if !keepsHeld && p.refusesRelease(counts) {
		return
	}
	option := &p.option
	option.set(p, counts, keepsHeld)
	usd := option.expectedCost()
	if first, sure := p.alone(); !keepsHeld && first != nil && slices.Equal(counts, first) {
		usd = min(usd, sure) // that schedule can be kept to
	}
	if option.cluster.N == 0 && len(p.regimes.spot) > 1 && !p.frontier.Elastic() {
		usd *= 1 + dearerIdle
	}
	best := &p.best
	tried := candidate{counts: counts, keepsHeld: keepsHeld, usd: usd, boot: option.boot}
	if best.recorded {
		tried.counts = slices.Clone(counts)
		best.tried = append(best.tried, tried)
	}
	cheaper := usd < best.usd*(1-tie)
	if best.worst == 0 && !cheaper {
		return
	}
	tried.worst = p.beyondLimit(counts)
	if tried.worst < best.worst-tiny || cheaper && tried.worst <= best.worst+tiny {
		best.set(&tried)
	}
}

// isWithin reports whether a cluster has no more of each pool than another.
func isWithin(counts, limits []int32) bool {
	for k, n := range counts {
		if n > limits[k] {
			return false
		}
	}
	return true
}

// choose writes what to hold into the plan.
func (p *planner) choose(plan *sim.Plan) {
	p.observe()
	now := &p.now
	p.frontier.Clusters(p.view, p.free, p.prices) // the prices by which clusters are measured
	p.frontier.Measure(&now.held)
	p.frontier.Measure(&now.ready)
	p.frontier.Measure(&now.training)
	best := &p.best
	best.tried = best.tried[:0]
	best.recorded = plan.Recorded()
	p.search()
	best.recorded = false
	p.explain(plan)
	plan.SetReason(p.reason())
	jobPlan := &plan.Jobs[p.index]
	hold := jobPlan.Hold
	jobPlan.Workers = 0
	for k, n := range best.counts {
		hold[k] = int(n)
		jobPlan.Workers += int(n)
	}
	if best.keepsHeld {
		for k := range hold {
			hold[k] = max(hold[k], int(now.held.Counts[k]))
		}
		plan.WakeIn(time.Duration(max(best.boot, 1) * 1e9))
	}
	p.option.set(p, best.counts, best.keepsHeld)
	restarts := p.option.restarts()
	if !restarts && (!best.keepsHeld || p.frontier.Elastic()) { // else the cluster alone is asked for
		p.wish(hold)
	}
	p.holdPaid(plan)
	if restarts && p.now.unsaved > p.now.retrained() && !policyutil.Saved(p.view, p.index, plan) {
		for k, n := range now.held.Counts { // what it has, until that is saved
			hold[k] = int(n)
		}
	}
	for k := range hold {
		held := p.view.Held(p.index, k)
		if p.pools[k].spot && hold[k] > held.Active()+held.Waiting {
			plan.AskAgain() // to see whether it is granted
		}
	}
}

// reason says why the choice was made.
func (p *planner) reason() string {
	for _, k := range p.regimes.spot {
		if p.free[k] > 0 {
			return "least expected cost"
		}
	}
	if len(p.regimes.spot) == 0 {
		return "least expected cost"
	}
	return "least expected cost; no spot pool is believed to have room now"
}

// wish has pools that have no room keep requests for what would be held if they had.
func (p *planner) wish(hold []int) {
	for k := range p.pools {
		if p.pools[k].spot && p.pools[k].refused && !p.pools[k].leaving {
			p.free[k] = p.allowed[k]
		}
	}
	for range rounds {
		p.search()
		if p.now.ready.N > 0 && !p.frontier.Elastic() && !isWithin(p.now.ready.Counts, p.best.counts) {
			return // it would be a swap, which is seen when there is room
		}
		found := false
		for k, n := range p.best.counts {
			pool := &p.pools[k]
			held := int(p.now.held.Counts[k])
			if pool.refused && pool.spot && p.free[k] > 0 && int(n) > held && hold[k] >= held && pool.room <= held {
				hold[k] = max(hold[k], int(n))
				p.free[k] = held
				p.hours.asked += p.newHours(k, hold[k])
				found = true
			}
		}
		if !found {
			return
		}
	}
}
