package rollout

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// imagine draws the h-th future from now to the end of what is asked for.
func (g *guess) imagine(v sim.View, h int, prior *Prior) {
	g.rand = sim.Rand{Seed: g.seed + 0x9e3779b97f4a7c15*uint64(h+1)}
	end := sim.Time(0)
	for _, j := range v.ActiveJobs() {
		end = max(end, v.Job(j).Deadline())
	}
	for r := range g.regions {
		g.drawRegion(r, v.Now(), end)
	}
	for p := range g.pools {
		g.outlooks[p] = sim.Outlook{}
		if x := &g.pools[p]; x.spot {
			g.drawPool(x, v.Now(), end)
			g.outlooks[p].Capacity = x.levels
		}
	}
}

// tries is the number of factors of a region of which one is taken, by how likely each
// makes what is known.
const tries = 12

// drawRegion draws the factor of a region now, given what is known of its pools, and its
// shocks.
func (g *guess) drawRegion(at int, now, end sim.Time) {
	r := &g.regions[at]
	factors := g.rand.Stream(purposeFactor, r.entity)
	total := 0.0
	for k := range uint64(tries) {
		z := factors.Normal(k)
		likely := 1e-9
		for p := range g.pools {
			if x := &g.pools[p]; x.spot && x.region == at {
				if likely == 1e-9 {
					likely = 1
				}
				likely *= g.likelihood(x, z)
			}
		}
		likely += 1e-9
		total += likely
		if factors.Uniform(tries+k)*total < likely { // the k-th is taken with its share of the weights so far
			r.now = z
		}
	}
	r.shocks = r.shocks[:0]
	times := g.rand.Stream(purposeRegion, r.entity)
	for t, k := now, uint64(0); ; k++ {
		if t = t.After(times.Exponential(k) / g.regional * 3600); t >= end {
			return
		}
		r.shocks = append(r.shocks, shock{t, factors.Normal(2*tries + k)})
	}
}

// likelihood returns how likely what is known of a pool is under a factor of its region.
func (g *guess) likelihood(x *pool, z float64) float64 {
	atLeast := 1.0
	if x.held > 0 {
		atLeast = g.above(x.held, x.limit, z)
	}
	if !x.refused && !x.exact {
		return atLeast
	}
	exactly := atLeast - g.above(x.held+1, x.limit, z)
	if x.held >= x.limit {
		exactly = atLeast
	}
	return (1-x.stale)*exactly + x.stale*atLeast
}

// above returns the probability that a pool has room for k, 1 or more, of its limit.
func (g *guess) above(k, limit int, z float64) float64 {
	if k > limit {
		return 0
	}
	share := g.empty
	if limit > 1 {
		share += (1 - g.empty - g.full) * float64(k-1) / float64(limit-1)
	}
	t := math.Sqrt2 * math.Erfinv(2*min(max(share, 1e-9), 1-1e-9)-1)
	return math.Erfc((t-g.alike*z)/g.rest/math.Sqrt2) / 2
}

// level turns a normal number into room for instances.
func (g *guess) level(z float64, limit int) int {
	u := math.Erfc(-z/math.Sqrt2) / 2
	between := 1 - g.empty - g.full
	switch {
	case u < g.empty || limit == 0:
		return 0
	case u >= 1-g.full || limit == 1 || between <= 0:
		return limit
	}
	return min(limit-1, 1+int((u-g.empty)/between*float64(limit-1)))
}

// drawPool draws the room in a pool from now on.
func (g *guess) drawPool(x *pool, now, end sim.Time) {
	levels := g.rand.Stream(purposeLevel, x.entity)
	r := &g.regions[x.region]
	free := g.first(x, r.now, levels)
	x.levels = append(x.levels[:0], sim.Capacity{At: now, N: free})
	from := now
	for i, t := range g.leaving[x.firstGo : x.firstGo+x.countG] {
		x.levels = append(x.levels, sim.Capacity{At: t, N: x.held - i - 1})
		from = t
	}
	if x.stays > 0 { // a notice would have come
		from = max(from, now.Add(x.notice))
	}
	own := g.rand.Stream(purposeOwn, x.entity)
	next, k, i, z := now.After(own.Exponential(0)/g.own*3600), uint64(0), 0, r.now
	for n := uint64(64); ; n++ {
		at := next
		if i < len(r.shocks) && r.shocks[i].at < next {
			at, z = r.shocks[i].at, r.shocks[i].z
			i++
		} else {
			k++
			next = next.After(own.Exponential(k) / g.own * 3600)
		}
		if at >= end {
			return
		}
		if at > from {
			x.levels = append(x.levels, sim.Capacity{At: at, N: g.level(g.alike*z+g.rest*levels.Normal(n), x.limit)})
		}
	}
}

// first draws the room in a pool now: at least what is held, no more where a request is
// refused.
func (g *guess) first(x *pool, z float64, levels sim.Stream) int {
	if x.exact || x.refused && levels.Uniform(0) >= x.stale {
		return x.held
	}
	none := 0.0
	if x.held > 0 {
		none = 1 - g.above(x.held, x.limit, z)
	}
	u := none + (1-none)*levels.Uniform(1)
	own := math.Sqrt2 * math.Erfinv(2*min(max(u, 1e-12), 1-1e-12)-1)
	return max(g.level(g.alike*z+g.rest*own, x.limit), x.held)
}
