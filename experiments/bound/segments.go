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

// cut cuts [first, last) where the price or the capacity of a pool changes; on spot, there
// is nothing on demand.
func cut(c *sim.Config, first, last sim.Time, onSpot bool) []segment {
	m, disk := c.Market, c.Billing.DiskUSDPerHour
	at := []sim.Time{first}
	for p := range m.Pools() {
		for _, t := range m.Changes(p) {
			if t > first && t < last {
				at = append(at, t)
			}
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	var out []segment
	for i, t := range at {
		s := segment{from: t, to: last, capacity: make([]int, m.Pools()), usd: make([]float64, m.Pools())}
		if i+1 < len(at) {
			s.to = at[i+1]
		}
		for p := range m.Pools() {
			capacity, limited := m.Capacity(p, t)
			if quota := m.Pool(p).Quota; !limited || capacity > quota {
				capacity = quota
			}
			if onSpot && m.Pool(p).OnDemand {
				capacity = 0
			}
			s.capacity[p], s.usd[p] = capacity, (m.Price(p, t)+disk)/3600
		}
		if n := len(out); n > 0 && out[n-1].alike(&s) {
			out[n-1].to = s.to
			continue
		}
		if s.to > s.from {
			out = append(out, s)
		}
	}
	return out
}

// alike reports whether two segments have the same rooms, at the same prices.
func (s *segment) alike(o *segment) bool {
	for p := range s.capacity {
		if s.capacity[p] != o.capacity[p] || s.capacity[p] > 0 && s.usd[p] != o.usd[p] {
			return false
		}
	}
	return true
}
