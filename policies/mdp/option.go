package mdp

import (
	"math"

	"github.com/marigram/marigram/policies/ondemand"
)

// option is a cluster that may be held until the next decision, a step of the table after this one. What it is expected
// to cost is what is paid until then and what remains to be paid after it, where the work that is left is less by what
// was gained and more by what the change lost.
type option struct {
	p         *planner
	cluster   ondemand.Cluster
	onDemand  ondemand.Cluster // the part of it that is on demand
	meanwhile ondemand.Cluster // what trains until all of it is ready
	keepsHeld bool             // what is held is kept until the cluster is ready
	missing   bool             // not all of it is ready
	boot      float64          // seconds until it is
	presence  float64          // mean part of the step for which its spot instances are there
	paid      float64          // seconds for which it is paid after the step, where units are paid
	beyond    float64          // work that what goes does until its unit ends
}

// set makes it the option of holding so many instances of each pool.
func (o *option) set(p *planner, counts []int32, keepsHeld bool) {
	o.p = p
	o.keepsHeld = keepsHeld
	o.cluster.Counts = append(o.cluster.Counts[:0], counts...)
	p.frontier.Measure(&o.cluster)
	p.measureOnDemand(&o.onDemand, counts)
	o.presence = p.presence(counts, p.prices, p.now.table.dt)
	o.missing = false
	o.boot = 0
	o.paid = 0
	o.beyond = 0
	o.meanwhile.Counts = o.meanwhile.Counts[:0]
	now := &p.now
	for k, wanted := range counts {
		ready := now.ready.Counts[k]
		training := now.training.Counts[k]
		if wanted > ready {
			o.missing = true
			boot := now.readyIn[k]
			if wanted > now.held.Counts[k] {
				boot = p.pools[k].boot
			}
			o.boot = max(o.boot, boot)
		}
		if !keepsHeld {
			training = min(wanted, ready) + training - ready
		}
		o.meanwhile.Counts = append(o.meanwhile.Counts, training)
	}
	if p.hours.any && !keepsHeld {
		o.useUp()
	}
	if o.missing {
		p.frontier.Measure(&o.meanwhile)
	}
}

// useUp works out what is done by what is held, is paid for a while and goes.
func (o *option) useUp() {
	p := o.p
	union, seconds := p.paidUnion(o.cluster.Counts)
	if seconds == 0 {
		return
	}
	together := &p.classes.common
	together.Counts = append(together.Counts[:0], union...)
	p.frontier.Measure(together)
	o.beyond = max(together.Rate-o.cluster.Rate, 0) * min(seconds, p.now.table.dt)
}

// expectedCost returns what is expected to be paid from now on, USD. It leaves in moves.reached where the state is
// then.
func (o *option) expectedCost() float64 {
	p := o.p
	table := p.now.table
	moveUSD, stopped := p.moves.carry(p.moves.state, o.cluster.Counts)
	lost := o.lostWork(stopped)
	if o.cluster.Rate <= 0 && o.restarts() {
		lost += p.now.retrained()
	}
	work := p.workLeft(&o.cluster)
	rate := o.cluster.Rate
	if rate > 0 && rate*table.dt >= work+lost { // it is done before the next decision
		return o.costOf((work+lost)/rate) + moveUSD
	}
	usd := o.costOfStep()
	after := held{all: &o.cluster, onDemand: &o.onDemand, fresh: !p.job.Begun(), paid: o.paid}
	usd += p.costAhead(work-o.gainedWork()+lost, p.now.elapsed+table.dt, after)
	if table.forgets && o.isSurelyInTime(work+lost) {
		usd = min(usd, o.cluster.USD/3600*(work+lost)/rate)
	}
	left, rest := p.set.net.Limit(p.index)
	if moveUSD > 0 && 2*moveUSD >= left { // after it and the way back the limit of Regret has on demand decide
		usd = max(usd, rest)
	}
	return usd + moveUSD
}

// keepsState reports whether something that has the job's state stays, or trains until the state is saved.
func (o *option) keepsState() bool {
	if o.keepsHeld && o.p.now.ready.N > 0 {
		return true
	}
	for k, wanted := range o.cluster.Counts {
		if min(wanted, o.p.now.ready.Counts[k]) > 0 {
			return true
		}
	}
	o.p.frontier.Measure(&o.meanwhile)
	return o.meanwhile.Rate > 0
}

// restarts reports whether what was trained and is not saved is lost by the change to the cluster.
func (o *option) restarts() bool {
	p := o.p
	if !p.loss.Rollback || p.now.training.N == 0 {
		return false
	}
	return !o.keepsState() || !o.keepsHeld && math.IsInf(p.frontier.Stall(&p.now.held, &o.cluster), 1)
}

// costOf returns what is paid if the job is done after some seconds, USD.
func (o *option) costOf(seconds float64) float64 {
	usd := o.cluster.USD*seconds/3600 + o.costOfOverlap()
	if o.p.hours.any {
		units, _ := o.p.billHours(o.cluster.Counts, seconds, o.overlap())
		usd += units - o.p.priceOfHours(o.cluster.Counts, o.p.prices)*seconds/3600
	}
	return usd
}

// costOfStep returns what is paid until the next decision, USD.
func (o *option) costOfStep() float64 {
	p := o.p
	usd := (o.onDemand.USD + o.presence*(o.cluster.USD-o.onDemand.USD)) * p.now.table.dt / 3600
	if p.hours.any {
		return o.hoursOfStep(usd)
	}
	return usd + o.costOfOverlap()
}

// overlap returns for how many seconds what is held and goes stays until the cluster is ready.
func (o *option) overlap() float64 {
	if o.keepsHeld {
		return o.boot
	}
	return 0
}

// costOfOverlap returns what is paid by the second for what is held until the cluster is ready, and goes then, USD.
func (o *option) costOfOverlap() float64 {
	if !o.keepsHeld {
		return 0
	}
	p := o.p
	usd := 0.0
	for k, held := range p.now.held.Counts {
		if !p.hours.any || p.hours.unit[k] == 0 {
			usd += float64(max(held-o.cluster.Counts[k], 0)) * p.prices[k] * o.boot / 3600
		}
	}
	return usd
}

// hoursOfStep is costOfStep where units are paid.
func (o *option) hoursOfStep(usd float64) float64 {
	p := o.p
	table := p.now.table
	kept := o.overlap()
	if !table.paysUnits() { // what is given back is paid to the end of its unit
		for k, held := range p.now.held.Counts {
			gone := int(max(held-o.cluster.Counts[k], 0))
			usd += float64(gone) * p.prices[k] * kept / 3600
			for i := range min(gone, len(p.hours.paid[k])) {
				left := p.hours.paid[k][i]
				usd += p.prices[k] / 3600 * max(left+p.hours.unit[k]*unitsFor(kept, left, p.hours.unit[k])-kept, 0)
			}
		}
		return usd
	}
	usd += o.costOfOverlap()
	units, paid := p.billHours(o.cluster.Counts, table.dt, kept)
	o.paid = paid
	spot := p.priceOfHours(o.cluster.Counts, p.prices) - p.priceOfHours(o.onDemand.Counts, p.prices)
	linear := p.priceOfHours(o.onDemand.Counts, p.prices) + o.presence*spot
	return usd - linear*table.dt/3600 + units
}

// gainedWork returns the progress until the next decision, as if the cluster was ready at once.
func (o *option) gainedWork() float64 {
	return (o.onDemand.Rate+o.presence*(o.cluster.Rate-o.onDemand.Rate))*o.p.now.table.dt + o.beyond
}

// lostWork returns what of that is not made, or taken back, because what is held changes: while it boots, by restarts
// and rollbacks, and in the seconds for which a move stops training.
func (o *option) lostWork(stopped float64) float64 {
	rate := o.cluster.Rate
	stall := o.stallSeconds()
	lost := stall * rate
	if o.missing {
		lost += max(rate-o.meanwhile.Rate, 0) * o.boot
	}
	if paused := o.p.now.paused; paused > 0 { // a change in a pause begins another one, and the later end counts
		if o.missing {
			stall += o.boot
		}
		lost = max(paused, stall) * rate
	}
	lost += stopped * rate
	return lost
}

// stallSeconds returns for how long a change to the cluster stops training, or takes back what was done in so long.
func (o *option) stallSeconds() float64 {
	p := o.p
	if p.frontier.Elastic() || !p.job.Begun() || o.cluster.Rate <= 0 {
		return 0
	}
	stall := p.frontier.Stall(&p.now.held, &o.cluster)
	if math.IsInf(stall, 1) || o.missing && p.now.training.N > 0 && !o.keepsState() {
		return p.loss.Stall.Seconds() + p.now.retrained()/o.cluster.Rate
	}
	if o.missing {
		stall = max(stall, o.cluster.Arrives())
	}
	if o.missing && p.now.ready.N == 0 {
		stall = max(stall, p.loss.Stall.Seconds())
	}
	return stall
}

// isSurelyInTime reports whether the part on demand does the work before the deadline, whatever spot does.
func (o *option) isSurelyInTime(work float64) bool {
	return o.onDemand.Rate > 0 && work <= o.onDemand.Rate*(o.p.now.table.process.span-o.p.now.elapsed)
}

// workLeft returns the work that is left if training goes on on a cluster.
func (p *planner) workLeft(c *ondemand.Cluster) float64 {
	if !p.job.Begun() {
		return max(p.goal-c.Begin(), 0)
	}
	return max(p.now.work, 0)
}

// costAhead returns what is expected to be paid from so many seconds after the submission on, USD, where a cluster is
// held until then and the state is in one of the sites that were reached.
func (p *planner) costAhead(work, elapsed float64, after held) float64 {
	usd := math.Inf(1)
	t := p.now.table
	for place, quality := range p.now.quality {
		if !p.moves.hasReached(place) {
			continue
		}
		if p.regimes.levelled >= 0 {
			usd = min(usd, p.priceAhead(work, elapsed, quality, after, place))
			continue
		}
		worse, better, part := t.findRegime(quality, place)
		if p.regimes.listsAll() {
			worse = 0
			better = p.now.state
			none := t.qualityOf(0, place)
			part = 1
			if all := t.qualityOf(better, place); all > none {
				part = min(max((quality-none)/(all-none), 0), 1)
			}
		}
		usd = min(usd, t.value(work, elapsed, worse, better, part, after, place))
	}
	return usd
}
