package synth

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

const purposeForesight = sim.PurposeUser + 230 // what a law is estimated by, not what is made

// Course is the levels of a synthetic market at all its shocks, with the law of what comes next. It knows the factors
// and how well stocked each pool is, which nobody sees in a market: whoever knows them knows more than a policy.
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
		e := sim.NameEntity(list[i].Name)
		c.pools = append(c.pools, coursePool{entity: e, region: sim.NameEntity(p.Region), lean: c.lean(e), limit: p.Cap, cuts: s.cuts(p.Cap)})
	}
	if other != 0 {
		c.dice = sim.Rand{Seed: other}
	}
	c.maker.global = c.factor(0, s.GlobalShocks)
	type event struct {
		t         int64
		pool, n   int
		z, global float64
	}
	var all []event
	for i, p := range pools {
		x := &c.pools[i]
		c.course(x.entity, c.maker.region(p.Region), x.lean, x.limit, func(t int64, n int, a *eventList) {
			all = append(all, event{t, i, n, math.Sqrt(s.GlobalShare)*a.global[0].z + math.Sqrt(s.RegionShare)*a.region[0].z, a.global[0].z})
		})
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.t, b.t) })
	now := courseState{levels: make([]int, len(pools)), z: make([]float64, len(pools))}
	for i, e := range all {
		now.t = e.t
		now.levels[e.pool] = e.n
		now.z[e.pool] = e.z
		now.global = e.global
		if i+1 == len(all) || all[i+1].t > e.t {
			x := now
			x.levels = slices.Clone(now.levels)
			x.z = slices.Clone(now.z)
			c.states = append(c.states, x)
		}
	}
	return c, nil
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
		x := &c.pools[p]
		n := s.levels[p]
		again := c.PoolShocks
		if x.limit > 1 {
			again *= 1 - c.SingleStep
			for _, down := range [2]bool{true, false} {
				levels[p] = singleStep(n, x.limit, down)
				into[regime(levels)] += c.PoolShocks * c.SingleStep / 2
			}
		}
		for n, last := 0, 0.0; n <= x.limit && again > 0; n++ {
			next := c.below(x, s.z[p], n)
			if next > last {
				levels[p] = n
				into[regime(levels)] += again * (next - last)
			}
			last = next
		}
		levels[p] = n
	}
	c.common(i, draws, regime, into)
}

// common adds the shocks of the world and of regions.
func (c *Course) common(i, draws int, regime func(levels []int) int, into []float64) {
	s := &c.states[i]
	dice := c.dice.Stream(purposeForesight, uint64(i))
	k := uint64(0)
	normal := func() float64 { k++; return dice.Normal(k) }
	global := math.Sqrt(c.GlobalShare)
	region := math.Sqrt(c.RegionShare)
	own := math.Sqrt(1 - c.GlobalShare - c.RegionShare)
	levels := make([]int, len(c.pools))
	shock := func(rate float64, concerned func(x *coursePool) bool, z func(p int, new float64) float64) {
		if rate == 0 {
			return
		}
		for range draws {
			fresh := normal()
			for p := range c.pools {
				if x := &c.pools[p]; concerned(x) {
					levels[p] = c.level((z(p, fresh)+own*normal()+x.lean)/math.Sqrt(1+c.Dispersion*c.Dispersion), x.limit)
				} else {
					levels[p] = s.levels[p]
				}
			}
			into[regime(levels)] += rate / float64(draws)
		}
	}
	shock(c.GlobalShocks, func(*coursePool) bool { return true }, func(p int, fresh float64) float64 { return s.z[p] + global*(fresh-s.global) })
	for n, x := range c.pools {
		if slices.ContainsFunc(c.pools[:n], func(o coursePool) bool { return o.region == x.region }) {
			continue
		}
		shock(c.RegionShocks, func(o *coursePool) bool { return o.region == x.region },
			func(_ int, fresh float64) float64 { return global*s.global + region*fresh })
	}
}
