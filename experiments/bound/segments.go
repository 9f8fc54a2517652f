package bound

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// segment is a stretch of time in which neither prices nor capacity change.
type segment struct {
	from, to sim.Time
	capacity []int     // by pool: instances that can be held
	usd      []float64 // by pool: of one instance and its disk, USD per second
}

// cut cuts [first, last) where the price or the capacity of a pool changes; on spot, there is nothing on demand.
func cut(c *sim.Config, first, last sim.Time, onSpot bool) []segment {
	instants := []sim.Time{first}
	for p := range c.Market.Pools() {
		for _, t := range c.Market.Changes(p) {
			if t > first && t < last {
				instants = append(instants, t)
			}
		}
	}
	slices.Sort(instants)
	instants = slices.Compact(instants)
	var out []segment
	for i, from := range instants {
		to := last
		if i+1 < len(instants) {
			to = instants[i+1]
		}
		next := segmentAt(c, from, onSpot)
		next.to = to
		if n := len(out); n > 0 && out[n-1].offersSame(&next) {
			out[n-1].to = to
		} else if to > from {
			out = append(out, next)
		}
	}
	return out
}

// segmentAt returns what can be held from an instant on.
func segmentAt(c *sim.Config, from sim.Time, onSpot bool) segment {
	pools := c.Market.Pools()
	s := segment{from: from, capacity: make([]int, pools), usd: make([]float64, pools)}
	for p := range pools {
		pool := c.Market.Pool(p)
		s.usd[p] = (c.Market.Price(p, from) + c.Billing.DiskUSDPerHour) / 3600
		if onSpot && pool.OnDemand {
			continue
		}
		capacity, limited := c.Market.Capacity(p, from)
		if !limited || capacity > pool.Quota {
			capacity = pool.Quota
		}
		s.capacity[p] = capacity
	}
	return s
}

// offersSame reports whether two segments have the same rooms, at the same prices.
func (s *segment) offersSame(other *segment) bool {
	for p, n := range s.capacity {
		if n != other.capacity[p] || n > 0 && s.usd[p] != other.usd[p] {
			return false
		}
	}
	return true
}
