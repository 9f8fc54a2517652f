package mdp

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
)

// class is a cluster that the plan knows: what may be held, and where the job's state is then.
type class struct {
	ondemand.Cluster
	sure, sureUSD float64 // rate and USD/h of its part on demand
	spot          bool    // it has spot instances
	hourly        float64 // USD/h that are paid by units
	place         int
	fresh         bool // nothing, and nothing was ever trained
}

// classes are all clusters of a plan. They are what is best on spot in some state of the market, what is best on
// demand, and both together.
type classes struct {
	list     []class
	spot     [][]int32 // parts, in memory that is used again
	onDemand [][]int32
	changes  []change // by the class before and after; then where a unit has ended, or the price is the high one
	none     []int32  // of any pool
	common   ondemand.Cluster
	prices   []float64 // that they are listed at
}

// levels returns how many clusters of a hull on spot are taken, and on demand: fewer, where there are many pools.
func (r *regimes) levels() (spot, onDemand int) {
	switch len(r.spot) {
	case 0, 1:
		return 8, 8
	case 2:
		return 4, 5
	case 3:
		return 3, 4
	}
	return 3, 3
}

// addParts adds levels of a hull, the last of them the fastest, to the parts: of spot pools, or of those on demand.
func (p *planner) addParts(parts [][]int32, free []int, prices []float64, levels int, spot bool) [][]int32 {
	clusters, hull := p.frontier.Clusters(p.view, free, prices)
	for level := range levels {
		i := (level+1)*len(hull)/levels - 1
		if i < 0 || level > 0 && i == level*len(hull)/levels-1 {
			continue
		}
		n := len(parts)
		parts = slices.Grow(parts, 1)[:n+1]
		part := append(parts[n][:0], clusters[hull[i]].Counts...)
		for k := range part {
			if p.pools[k].spot != spot {
				part[k] = 0
			}
		}
		parts[n] = part
		if slices.ContainsFunc(parts[:n], func(other []int32) bool { return slices.Equal(other, part) }) {
			parts = parts[:n]
		}
	}
	return parts
}

// listClasses lists the clusters of a table at its prices.
func (p *planner) listClasses(t *table) {
	x := &p.classes
	r := &p.regimes
	prices := t.prices
	m := &p.moves
	x.prices = prices
	spot, onDemand := r.levels()
	x.none = policyutil.Resize(x.none, len(p.pools))
	clear(x.none)
	x.spot = append(x.spot[:0], x.none)
	x.onDemand = append(x.onDemand[:0], x.none)
	x.onDemand = p.addParts(x.onDemand, r.freeIn(p, nil), prices, onDemand, false)
	for i := range r.list {
		free := r.freeIn(p, &r.list[i])
		for k := range p.pools { // what is on demand is added below
			if !p.pools[k].spot {
				free[k] = 0
			}
		}
		x.spot = p.addParts(x.spot, free, t.pricesIn(r, &r.list[i]), spot, true)
		for place := range m.places {
			if m.any {
				x.spot = p.addParts(x.spot, m.nearby(m.places[place:place+1], free), prices, spot, true)
			}
		}
	}
	p.frontier.Clusters(p.view, r.freeIn(p, nil), prices) // at which the classes are measured
	x.list = x.list[:0]
	for s := range x.spot {
		for d := range x.onDemand {
			p.addClass(x.spot[s], x.onDemand[d])
		}
	}
	if !p.frontier.Elastic() {
		for place := range m.places {
			fresh := p.newClass(x.none, x.none)
			fresh.fresh = true
			fresh.place = place
		}
	}
}

// newClass adds a class.
func (p *planner) newClass(spot, onDemand []int32) *class {
	x := &p.classes
	n := len(x.list)
	x.list = slices.Grow(x.list, 1)[:n+1]
	c := &x.list[n]
	c.Counts = append(c.Counts[:0], onDemand...)
	p.frontier.Measure(&c.Cluster)
	c.sure = c.Rate
	c.sureUSD = c.USD
	for k, n := range spot {
		c.Counts[k] += n
	}
	p.frontier.Measure(&c.Cluster)
	c.hourly = p.priceOfHours(c.Counts, p.classes.prices)
	c.spot = false
	c.place = 0
	c.fresh = false
	return c
}

// addClass adds the cluster of two parts, if they train faster together than each; what has no spot instances in each
// place.
func (p *planner) addClass(spot, onDemand []int32) {
	x := &p.classes
	m := &p.moves
	c := p.newClass(spot, onDemand)
	for _, n := range spot {
		c.spot = c.spot || n > 0
	}
	if !c.spot {
		for place := range m.places[1:] {
			p.newClass(spot, onDemand).place = place + 1
		}
		return
	}
	if c.sure > 0 {
		x.common.Counts = append(x.common.Counts[:0], spot...)
		p.frontier.Measure(&x.common)
		if c.Rate <= max(c.sure, x.common.Rate)*(1+1e-9) {
			x.list = x.list[:len(x.list)-1]
			return
		}
	}
	if m.any {
		c.place = m.from(0, c.Counts).to
	}
}

// compare works out what it takes to go from each class to each other one; then where a unit has ended, or at the high
// price.
func (p *planner) compare(t *table) {
	x := &p.classes
	x.changes = slices.Grow(x.changes[:0], 2*len(t.list)*len(t.list))
	p.compareAt(t, t.prices, true)
	switch r := &p.regimes; {
	case t.phases > 1:
		p.compareAt(t, t.prices, false)
	case r.levelled >= 0:
		dearest := &r.list[len(r.list)-1]
		p.compareAt(t, t.pricesIn(r, dearest), true)
	}
}

// compareAt adds what it takes to go from each class to each other one, at prices.
func (p *planner) compareAt(t *table, prices []float64, paid bool) {
	x := &p.classes
	for from := range t.list {
		for to := range t.list {
			out := change{}
			if from != to {
				out = p.changeTo(t, &t.list[from], &t.list[to], prices, paid)
			}
			out.points /= t.dw
			x.changes = append(x.changes, out)
		}
	}
}

// never is a change that cannot be made.
var never = change{usd: math.Inf(1)}

// changeTo returns what it takes to hold another class, USD and work: boots of what is missing, what is held kept until
// it is ready if that is cheaper; the stall of the change, or a restart; the state's move. paid says whether the unit of
// what is held is paid.
func (p *planner) changeTo(t *table, from, to *class, prices []float64, paid bool) change {
	if to.fresh || !to.spot && from.place != to.place {
		return never
	}
	if to.N == 0 {
		return change{}
	}
	out := p.changeInstances(t, from, to, prices, paid)
	if p.moves.any {
		move := p.moves.from(from.place, to.Counts)
		out.usd += move.paid
		out.points += to.Rate * move.stopped
	}
	return out
}

// changeInstances returns what boots and stalls take, at prices.
func (p *planner) changeInstances(t *table, from, to *class, prices []float64, paid bool) (out change) {
	common := &p.classes.common
	common.Counts = common.Counts[:0]
	boot := 0.0
	kept := 0.0  // USD a second
	whole := 0.0 // USD: of units
	for k, n := range to.Counts {
		held := from.Counts[k]
		if n > held {
			boot = max(boot, p.pools[k].boot)
		} else if t.paysUnits() && t.units[k] > 0 {
			whole += float64(held-n) * t.prices[k] / 3600 * t.units[k]
		} else {
			kept += float64(held-n) * prices[k] / 3600
		}
		common.Counts = append(common.Counts, min(n, held))
	}
	p.frontier.Measure(common)
	restarts := common.N == 0
	if boot > 0 {
		out.points = max(to.Rate-common.Rate, 0) * boot
		overlap := change{kept * boot, max(to.Rate-from.Rate, 0) * boot}
		if !paid {
			overlap.usd += whole
		}
		saved := out.points - overlap.points
		if restarts && from.N > 0 && !p.frontier.Elastic() {
			saved += (p.loss.Stall.Seconds() + t.redo) * to.Rate
		}
		if overlap.usd < saved*t.price {
			out = overlap
			restarts = from.N == 0
		}
	}
	if !p.frontier.Elastic() && !from.fresh {
		out.points += to.Rate * p.stallOf(t, from, to, restarts, boot > 0)
	}
	return out
}

// stallOf returns for how long a change to a class stops training, with what it sets training back, in seconds.
func (p *planner) stallOf(t *table, from, to *class, restarts, boots bool) float64 {
	if from.N == 0 {
		return p.loss.Stall.Seconds()
	}
	stall := p.frontier.Stall(&from.Cluster, &to.Cluster)
	if restarts || math.IsInf(stall, 1) {
		return p.loss.Stall.Seconds() + t.redo
	}
	if boots {
		stall = max(stall, to.Arrives())
	}
	return stall
}

// nearest returns which of some classes of a list is closest to what a cluster does, and to what its part on demand
// does, of those in a place.
func nearest(list []class, of []int, c *ondemand.Cluster, sure float64, place int, fresh bool) int {
	best := 0
	distance := math.Inf(1)
	for n, i := range of {
		class := &list[i]
		if class.place != place || class.fresh != fresh {
			continue
		}
		if slices.Equal(class.Counts, c.Counts) {
			return n
		}
		d := math.Abs(class.Rate-c.Rate) + math.Abs(class.sure-sure)
		if d < distance {
			distance = d
			best = n
		}
	}
	return best
}
