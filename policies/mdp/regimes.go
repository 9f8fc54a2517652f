package mdp

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// regime is a state of the market: which spot pools have room, and so what clusters there are.
type regime struct {
	weight  float64    // probability
	quality float64    // what its best cluster gains over on demand, USD a second; at least 0
	best    corner     // that cluster
	corners []corner   // the first is nothing
	from    [][]corner // by place, with the moves; the same where no move takes anything
	on      []bool     // by spot pool
}

// corner is a cluster: progress and USD a second, and those of the part of it that is on demand.
type corner struct {
	rate, usd, sure, onDemand float64
	carry                     // from the place of the state
}

// regimes are the states that a market is drawn anew from.
type regimes struct {
	list  []regime
	spot  []int // pools on spot that can be held
	free  []int
	prior float64 // price of progress by which regimes are told apart, USD a unit
	rescue
	maxCorners int // corners of a regime
}

// Up to the first number of spot pools all states are listed; of more, the second number is drawn.
const (
	listed = 3
	drawn  = 8
)

const purposeRegimes = sim.PurposeUser + 830

// draw lists the states of the spot pools.
func (r *regimes) draw(p *planner) {
	r.spot = r.spot[:0]
	for k := range p.pools {
		if p.pools[k].spot && p.full[k] > 0 {
			r.spot = append(r.spot, k)
		}
	}
	n, all := drawn, len(r.spot) <= listed
	if all {
		n = 1 << len(r.spot)
	}
	r.list = slices.Grow(r.list[:0], drawn)[:n]
	for i := range r.list {
		x := &r.list[i]
		x.weight, x.on = 1/float64(n), slices.Grow(x.on[:0], len(r.spot))[:len(r.spot)]
		if all {
			x.weight = 1
		}
	}
	for s, k := range r.spot {
		share := p.pools[k].share
		if all {
			for i := range r.list {
				x := &r.list[i]
				if x.on[s] = i>>s&1 == 1; x.on[s] {
					x.weight *= share
				} else {
					x.weight *= 1 - share
				}
			}
			continue
		}
		r.strata(p.v.Pool(k).Name, s, share)
	}
}

// changes returns how often a pool changes in the mean, times an hour.
func (r *regimes) changes(pools []pool) (mean float64) {
	for _, k := range r.spot {
		mean += (pools[k].goes + pools[k].comes) / float64(len(r.spot))
	}
	return mean
}

// law leaves of the pools what their regimes depend on. Where states are drawn these are the states, and one rate for all.
func (r *regimes) law(pools []pool) {
	if len(r.spot) <= listed {
		return
	}
	mean := rounded(r.changes(pools))
	for s, k := range r.spot {
		x := &pools[k]
		x.goes, x.comes = mean, 0
		for i := range r.list {
			if r.list[i].on[s] {
				x.states |= 1 << i
			}
		}
	}
}

// strata has a pool have room in its share of the states, by a shuffle of its own: a Latin hypercube.
func (r *regimes) strata(name string, s int, share float64) {
	dice := sim.Rand{Seed: sim.NameEntity(name)}.Stream(purposeRegimes, 0)
	var order [drawn]int
	for i := range order {
		k := int(dice.Uniform(uint64(i)) * float64(i+1))
		order[i] = order[k]
		order[k] = i
	}
	for i := range order {
		r.list[i].on[s] = (float64(order[i])+dice.Uniform(uint64(drawn+i)))/drawn < share
	}
}

// clusters lists the clusters of all states at prices, and sorts the states by their quality.
func (r *regimes) clusters(p *planner, usd []float64) {
	r.free = append(r.free[:0], p.full...)
	for _, k := range r.spot {
		r.free[k] = 0
	}
	r.prior = p.onDemandPrice(r.free, usd)
	r.rescue = p.rescue(usd)
	for i := range r.list {
		x := &r.list[i]
		for s, k := range r.spot {
			if r.free[k] = 0; x.on[s] {
				r.free[k] = p.full[k]
			}
		}
		x.corners = r.corners(x.corners, p, usd)
		x.best, x.quality = gain(x.corners, r.prior)
		r.fromPlaces(x, p, usd)
	}
	slices.SortStableFunc(r.list, func(a, b regime) int { return cmp.Compare(a.quality, b.quality) })
}

// corners lists the clusters within the free instances at prices.
func (r *regimes) corners(list []corner, p *planner, usd []float64) []corner {
	all, hull := p.front.Clusters(p.v, r.free, usd)
	r.maxCorners = max(r.maxCorners, len(hull)+1)
	list = append(slices.Grow(list[:0], r.maxCorners), corner{})
	for _, h := range hull {
		list = append(list, p.corner(&all[h]))
	}
	return list
}

// corner measures a cluster.
func (p *planner) corner(c *ondemand.Cluster) corner {
	p.onDemand(&p.options.b, c.Counts)
	return corner{rate: c.Rate, usd: c.USD / 3600, sure: p.options.b.Rate, onDemand: p.options.b.USD / 3600}
}

// fromPlaces lists the clusters of a regime by where the state is: the best of all pools, with the move, and of those to which no move takes anything.
func (r *regimes) fromPlaces(x *regime, p *planner, usd []float64) {
	m := &p.moves
	x.from = slices.Grow(x.from[:0], len(m.places))[:len(m.places)]
	if !m.any {
		x.from[0] = append(slices.Grow(x.from[0][:0], r.maxCorners), x.corners...)
		return
	}
	for z := range m.places {
		list := append(slices.Grow(x.from[z][:0], 2*r.maxCorners), corner{carry: carry{to: z}})
		all, hull := p.front.Clusters(p.v, r.free, usd)
		for _, h := range hull {
			c := p.corner(&all[h])
			c.carry = m.from(z, all[h].Counts)
			list = append(list, c)
		}
		all, hull = p.front.Clusters(p.v, m.nearby(m.places[z:z+1], r.free), usd)
		for _, h := range hull {
			c := p.corner(&all[h])
			c.to = z
			list = append(list, c)
		}
		x.from[z] = list
	}
}

// rescue is what the safe form requests where nothing else is sure to meet the deadline: the fastest cluster on demand.
type rescue struct {
	rate, pays   float64 // progress and USD a second; 0: there is nothing on demand
	bound, boots float64 // seconds until it is ready, at most and in the mean
}

// rescue returns that cluster. regimes.free has no spot pools.
func (p *planner) rescue(usd []float64) (out rescue) {
	all, _ := p.front.Clusters(p.v, p.regimes.free, usd)
	if len(all) == 0 {
		return out
	}
	c := &all[len(all)-1]
	out.rate, out.pays = c.Rate, c.USD/3600
	for k, n := range c.Counts {
		if n > 0 {
			boot := p.v.Pool(k).Boot
			out.bound = max(out.bound, policyutil.ReadyAfter(boot, c.N, p.set.Share))
			out.boots = max(out.boots, boot.Mean().Seconds())
		}
	}
	if !p.front.Elastic() {
		out.bound += p.loss.Stall.Seconds()
	}
	return out
}

// onDemand measures the part of a cluster that is on demand.
func (p *planner) onDemand(into *ondemand.Cluster, counts []int32) {
	into.Counts = append(into.Counts[:0], counts...)
	for k := range into.Counts {
		if p.pools[k].spot {
			into.Counts[k] = 0
		}
	}
	p.front.Measure(into)
}

// onDemandPrice is what a unit of progress costs at least on demand, USD; that of the first cluster at hand if there is nothing on demand.
func (p *planner) onDemandPrice(free []int, usd []float64) float64 {
	lowest := math.Inf(1)
	all, _ := p.front.Clusters(p.v, free, usd)
	for i := range all {
		lowest = min(lowest, all[i].USD/all[i].Rate/3600)
	}
	if !math.IsInf(lowest, 1) {
		return lowest
	}
	all, _ = p.front.Clusters(p.v, p.full, usd)
	for i := range all {
		lowest = min(lowest, all[i].USD/all[i].Rate/3600)
	}
	return 2 * lowest
}

// gain returns the best cluster at a price of progress, and what it gains a second.
func gain(corners []corner, price float64) (best corner, usd float64) {
	for _, c := range corners {
		if g := price*c.rate - c.usd; g > usd {
			best, usd = c, g
		}
	}
	return best, usd
}
