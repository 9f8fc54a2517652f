package market

import (
	"math"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/replay"
	"github.com/marigram/marigram/traces/synth"
)

// Course is a course of a synthetic market as a spec replays it: bound.Course.
type Course struct {
	course   *synth.Course
	capacity []int // by pool of the market, of those that are not synthetic
	free     []func(level int) int
	now      []int // scratch memory
}

// Course returns the course of a seed's market, or, with another seed than 0, one of that seed whose pools are as well
// stocked, over another span.
func (m *Markets) Course(seed, other uint64, span time.Duration, market *sim.Market) (*Course, error) {
	x, err := m.law().Course(seed, other, m.pools, span)
	if err != nil {
		return nil, err
	}
	c := &Course{course: x}
	for p := range market.Pools() {
		quota := market.Pool(p).Quota
		if n, limited := market.Capacity(p, 0); limited {
			quota = min(quota, n)
		}
		c.capacity = append(c.capacity, quota)
	}
	for i := range m.pools {
		assumed := m.replays[m.of[i]]
		quota := market.Pool(i).Quota
		c.free = append(c.free, func(level int) int {
			if assumed.Adapter == replay.BinaryAll {
				return min(level, 1) * quota
			}
			scaled := int(math.Round(float64(level) * max(assumed.Scale, 0)))
			return min(scaled*max(assumed.Copies, 1), quota)
		})
	}
	return c, nil
}

// Len implements bound.Course.
func (c *Course) Len() int { return c.course.Len() }

// State implements bound.Course.
func (c *Course) State(i int) (from sim.Time, capacity []int) {
	from, levels := c.course.At(i)
	return from, append([]int(nil), c.of(levels)...)
}

func (c *Course) of(levels []int) []int {
	c.now = append(c.now[:0], c.capacity...)
	for i, n := range levels {
		c.now[i] = c.free[i](n)
	}
	return c.now
}

// ratesDrawn is how many shocks of a region and of the world are drawn for each state.
const ratesDrawn = 32

// Rates implements bound.Course.
func (c *Course) Rates(i int, regime func(capacity []int) int, into []float64) {
	c.course.Rates(i, ratesDrawn, func(levels []int) int { return regime(c.of(levels)) }, into)
	for r := range into {
		into[r] /= 3600
	}
}
