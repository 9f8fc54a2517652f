package mdp

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// regime is a state of the market: which spot pools have room, and so what clusters there are.
type regime struct {
	weight float64 // probability
	on     []bool  // by spot pool
	dear   bool    // the price that is believed to change is the high one
}

// regimes are the states that a market is drawn anew from.
type regimes struct {
	list     []regime
	spot     []int // pools on spot that can be held
	levelled int   // the pool whose price is believed to change; -1: none
	free     []int
	prices   []float64 // scratch
}

// Up to maxListed spot pools all states are listed; of more, drawn states are drawn.
const (
	maxListed = 3
	drawn     = 8
)

const purposeRegimes = sim.PurposeUser + 830

// listStates lists the states of the spot pools.
func (r *regimes) listStates(p *planner) {
	r.spot = r.spot[:0]
	for k := range p.pools {
		if p.pools[k].spot && p.full[k] > 0 {
			r.spot = append(r.spot, k)
		}
	}
	n := drawn
	weight := 1 / float64(n)
	if r.listsAll() {
		n = 1 << len(r.spot)
		weight = 1
	}
	r.list = slices.Grow(r.list[:0], drawn)[:n]
	for i := range r.list {
		r.list[i].weight = weight
		r.list[i].dear = false
		r.list[i].on = policyutil.Resize(r.list[i].on, len(r.spot))
	}
	for s, k := range r.spot {
		share := p.pools[k].share
		if r.listsAll() {
			r.splitStates(s, share)
		} else {
			r.drawStates(p.view.Pool(k).Name, s, share)
		}
	}
	r.addLevels(p)
}

// listsAll reports whether all states of the spot pools are listed.
func (r *regimes) listsAll() bool { return len(r.spot) <= maxListed }

// splitStates has a pool have room in every second state, and its share of the probability there.
func (r *regimes) splitStates(s int, share float64) {
	for i := range r.list {
		state := &r.list[i]
		state.on[s] = i>>s&1 == 1
		if state.on[s] {
			state.weight *= share
		} else {
			state.weight *= 1 - share
		}
	}
}

// drawStates has a pool have room in its share of the states, by a shuffle of its own: a Latin hypercube.
func (r *regimes) drawStates(name string, s int, share float64) {
	draws := sim.Rand{Seed: sim.NameEntity(name)}.Stream(purposeRegimes, 0)
	var order [drawn]int
	for i := range order {
		k := int(draws.Uniform(uint64(i)) * float64(i+1))
		order[i] = order[k]
		order[k] = i
	}
	for i := range order {
		r.list[i].on[s] = (float64(order[i])+draws.Uniform(uint64(drawn+i)))/drawn < share
	}
}

// meanChanges returns how often a pool changes in the mean, times an hour.
func (r *regimes) meanChanges(beliefs []belief) float64 {
	mean := 0.0
	for _, k := range r.spot {
		mean += (beliefs[k].lossRate + beliefs[k].arrivalRate) / float64(len(r.spot))
	}
	return mean
}

// meanLosses returns how often a pool loses its room in the mean, times an hour of its being there.
func (r *regimes) meanLosses(beliefs []belief) float64 {
	mean := 0.0
	for _, k := range r.spot {
		mean += beliefs[k].lossRate / float64(len(r.spot))
	}
	return mean
}

// simplify leaves of what is believed what the regimes depend on. Where states are drawn these are the states, and one
// rate for all.
func (r *regimes) simplify(beliefs []belief) {
	if r.listsAll() {
		return
	}
	mean := rounded(r.meanChanges(beliefs))
	for s, k := range r.spot {
		beliefs[k].lossRate = mean
		beliefs[k].arrivalRate = 0
		for i := range r.list {
			if r.list[i].on[s] {
				beliefs[k].states |= 1 << i
			}
		}
	}
}

// freeIn returns how many instances of each pool are free in a state of the market; nil: with no spot pool.
func (r *regimes) freeIn(p *planner, state *regime) []int {
	r.free = append(r.free[:0], p.full...)
	for s, k := range r.spot {
		if state == nil || !state.on[s] {
			r.free[k] = 0
		}
	}
	return r.free
}

// hasRoom reports whether a state of the market has room for the spot instances of a cluster.
func (r *regimes) hasRoom(state *regime, counts []int32) bool {
	for s, k := range r.spot {
		if counts[k] > 0 && !state.on[s] {
			return false
		}
	}
	return true
}

// stateOf returns the state that is listed in which just the pools with free instances have room.
func (r *regimes) stateOf(free []int, pools []pool) int {
	state := 0
	for s, k := range r.spot {
		if free[k] > 0 && !pools[k].useless {
			state |= 1 << s
		}
	}
	return state
}

// findRescue returns the fastest cluster on demand.
func (p *planner) findRescue(prices []float64) rescue {
	clusters, _ := p.frontier.Clusters(p.view, p.regimes.freeIn(p, nil), prices)
	if len(clusters) == 0 {
		return rescue{}
	}
	fastest := &clusters[len(clusters)-1]
	out := rescue{rate: fastest.Rate, usd: fastest.USD / 3600}
	for k, n := range fastest.Counts {
		if n > 0 {
			boot := p.view.Pool(k).Boot
			out.maxBoot = max(out.maxBoot, policyutil.ReadyAfter(boot, fastest.N, p.set.Share))
			out.meanBoot = max(out.meanBoot, boot.Mean().Seconds())
		}
	}
	if !p.frontier.Elastic() {
		out.maxBoot += p.loss.Stall.Seconds() + fastest.Arrives() + p.tables.wanted.stops
	}
	return out
}

// measureOnDemand measures the part of a cluster that is on demand.
func (p *planner) measureOnDemand(into *ondemand.Cluster, counts []int32) {
	into.Counts = append(into.Counts[:0], counts...)
	for k := range into.Counts {
		if p.pools[k].spot {
			into.Counts[k] = 0
		}
	}
	p.frontier.Measure(into)
}

// priceOnDemand returns what a unit of progress costs at least on demand, where so much is free there, USD; twice
// that of any pool if there is nothing on demand.
func (p *planner) priceOnDemand(free []int, prices []float64) float64 {
	lowest := p.lowestPrice(free, prices)
	if math.IsInf(lowest, 1) {
		return 2 * p.lowestPrice(p.full, prices)
	}
	return lowest
}

// lowestPrice returns the least that a unit of progress costs on what is free, USD; +Inf if nothing is.
func (p *planner) lowestPrice(free []int, prices []float64) float64 {
	lowest := math.Inf(1)
	clusters, _ := p.frontier.Clusters(p.view, free, prices)
	for i := range clusters {
		lowest = min(lowest, clusters[i].USD/clusters[i].Rate/3600)
	}
	return lowest
}
