package synth

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

const purposeForesight = sim.PurposeUser + 230 // by which Rates estimates, not what is made

// Course is the levels of a synthetic market at all its shocks, and says how often which regime comes next. It knows
// the factors and how well stocked each pool is, which nobody sees in a market: whoever knows them knows more than a
// policy.
type Course struct {
	maker
	pools  []coursePool
	states []courseState
}

type coursePool struct {
	entity, region uint64
	lean           float64
	limit          int
	cuts           []float64 // by level: the normal number below which it is at most that
}

// courseState is what there is from a shock on.
type courseState struct {
	t      int64
	levels []int
	z      []float64 // by pool: the sum of its factors, weighted
	global float64
}

// Course returns the course of the market that Trace makes. With another seed than 0, it is a course of its own of that
// seed: its pools are as well stocked as those of the first, and all shocks are others.
func (s Synthetic) Course(seed, other uint64, pools []SyntheticPool, span time.Duration) (*Course, error) {
	if err := s.check(pools, span); err != nil {
		return nil, err
	}
	c := &Course{maker: maker{Synthetic: s, dice: sim.Rand{Seed: seed}, end: span.Microseconds()}}
	list := syntheticPools(pools)
	for i, p := range pools {
		entity := sim.NameEntity(list[i].Name)
		c.pools = append(c.pools, coursePool{
			entity: entity,
			region: sim.NameEntity(p.Region),
			lean:   c.lean(entity),
			limit:  p.Cap,
			cuts:   s.cuts(p.Cap),
		})
	}
	if other != 0 {
		c.dice = sim.Rand{Seed: other}
	}
	c.maker.global = c.factor(0, s.GlobalShocks)
	var all []courseEvent
	for i, p := range pools {
		pool := &c.pools[i]
		c.course(pool.entity, c.maker.region(p.Region), pool.lean, pool.limit, func(t int64, level int, a *eventList) {
			global := a.global[0].z
			z := math.Sqrt(s.GlobalShare)*global + math.Sqrt(s.RegionShare)*a.region[0].z
			all = append(all, courseEvent{t: t, pool: i, level: level, z: z, global: global})
		})
	}
	slices.SortStableFunc(all, func(a, b courseEvent) int { return cmp.Compare(a.t, b.t) })
	c.follow(all)
	return c, nil
}

// courseEvent is what a shock makes of one pool.
type courseEvent struct {
	t      int64
	pool   int
	level  int
	z      float64 // the sum of the pool's factors, weighted
	global float64
}

// follow makes a state of the events of each instant, in the order of time.
func (c *Course) follow(all []courseEvent) {
	now := courseState{levels: make([]int, len(c.pools)), z: make([]float64, len(c.pools))}
	for i, e := range all {
		now.t = e.t
		now.levels[e.pool] = e.level
		now.z[e.pool] = e.z
		now.global = e.global
		if i+1 == len(all) || all[i+1].t > e.t {
			state := now
			state.levels = slices.Clone(now.levels)
			state.z = slices.Clone(now.z)
			c.states = append(c.states, state)
		}
	}
}

// Len returns the number of states: the first at 0, and one for each shock.
func (c *Course) Len() int { return len(c.states) }

// At returns when a state begins, and the levels of all pools then, which must not be changed.
func (c *Course) At(i int) (at sim.Time, levels []int) {
	return sim.Time(c.states[i].t), c.states[i].levels
}

// cuts returns the normal numbers between the levels of a pool: level n is drawn below the n-th.
func (s Synthetic) cuts(limit int) (z []float64) {
	between := 1 - s.Empty - s.Full
	quantile := func(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*min(max(u, 0), 1)-1) }
	if limit == 1 {
		return []float64{quantile(s.Empty + between/2)}
	}
	for n := range limit {
		z = append(z, quantile(s.Empty+between*float64(n)/float64(limit-1)))
	}
	return z
}

// below returns the probability with which a pool's next draw is at most a level, where its factors are known.
func (c *Course) below(x *coursePool, z float64, level int) float64 {
	if level >= x.limit {
		return 1
	}
	own := math.Sqrt(1 - c.GlobalShare - c.RegionShare)
	d := x.cuts[level]*math.Sqrt(1+c.Dispersion*c.Dispersion) - x.lean - z
	if own == 0 {
		if d > 0 {
			return 1
		}
		return 0
	}
	return math.Erfc(-d/own/math.Sqrt2) / 2
}

// Rates fills in how often shocks lead from a state to each regime, times an hour: what regime says of the levels then.
// Shocks of a pool alone are counted exactly. Of those of a region and of the world a sample is drawn, independent of
// the market, with the right mean.
func (c *Course) Rates(i, draws int, regime func(levels []int) int, into []float64) {
	clear(into)
	s := &c.states[i]
	levels := slices.Clone(s.levels)
	for p := range c.pools {
		pool := &c.pools[p]
		redrawn := c.PoolShocks // the rate of shocks that draw the level anew
		if pool.limit > 1 {
			redrawn *= 1 - c.SingleStep
			for _, down := range [2]bool{true, false} {
				levels[p] = singleStep(s.levels[p], pool.limit, down)
				into[regime(levels)] += c.PoolShocks * c.SingleStep / 2
			}
		}
		below := 0.0
		for level := 0; level <= pool.limit && redrawn > 0; level++ {
			next := c.below(pool, s.z[p], level)
			if next > below {
				levels[p] = level
				into[regime(levels)] += redrawn * (next - below)
			}
			below = next
		}
		levels[p] = s.levels[p]
	}
	c.common(i, draws, regime, into)
}

// common adds the shocks of the world and of regions.
func (c *Course) common(i, draws int, regime func(levels []int) int, into []float64) {
	s := &c.states[i]
	dice := c.dice.Stream(purposeForesight, uint64(i))
	drawn := uint64(0)
	normal := func() float64 {
		drawn++
		return dice.Normal(drawn)
	}
	global := math.Sqrt(c.GlobalShare)
	region := math.Sqrt(c.RegionShare)
	own := math.Sqrt(1 - c.GlobalShare - c.RegionShare)
	levels := make([]int, len(c.pools))
	shock := func(rate float64, concerned func(pool *coursePool) bool, z func(p int, fresh float64) float64) {
		if rate == 0 {
			return
		}
		for range draws {
			fresh := normal()
			for p := range c.pools {
				pool := &c.pools[p]
				if !concerned(pool) {
					levels[p] = s.levels[p]
					continue
				}
				sum := z(p, fresh) + own*normal() + pool.lean
				levels[p] = c.level(sum/math.Sqrt(1+c.Dispersion*c.Dispersion), pool.limit)
			}
			into[regime(levels)] += rate / float64(draws)
		}
	}
	shock(c.GlobalShocks, func(*coursePool) bool { return true },
		func(p int, fresh float64) float64 { return s.z[p] + global*(fresh-s.global) })
	for n, first := range c.pools {
		if slices.ContainsFunc(c.pools[:n], func(o coursePool) bool { return o.region == first.region }) {
			continue // the region had its shocks
		}
		shock(c.RegionShocks, func(o *coursePool) bool { return o.region == first.region },
			func(_ int, fresh float64) float64 { return global*s.global + region*fresh })
	}
}
