package bound

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// segment is a stretch of time in which neither prices nor capacity change.
type segment struct {
	from, to sim.Time
	room     []int     // by pool: instances that can be held
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
		s := segment{from: t, to: last, room: make([]int, m.Pools()), usd: make([]float64, m.Pools())}
		if i+1 < len(at) {
			s.to = at[i+1]
		}
		for p := range m.Pools() {
			room, limited := m.Capacity(p, t)
			if quota := m.Pool(p).Quota; !limited || room > quota {
				room = quota
			}
			if onSpot && m.Pool(p).OnDemand {
				room = 0
			}
			s.room[p], s.usd[p] = room, (m.Price(p, t)+disk)/3600
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
	for p := range s.room {
		if s.room[p] != o.room[p] || s.room[p] > 0 && s.usd[p] != o.usd[p] {
			return false
		}
	}
	return true
}

// state is what can be held, and at which prices.
type state struct {
	levels  [][]level // by pool, the cheapest first
	most    int       // instances, if it is above 0
	seconds float64   // in all
	known   []corner  // clusters of the lower convex hull
	top     float64   // no cluster makes more progress per second
}

// level is so many instances at a price, USD per second.
type level struct {
	n   int
	usd float64
}

// key is the same for equal states.
func (s *state) key() string {
	out := binary.AppendUvarint(nil, uint64(s.most))
	for _, levels := range s.levels {
		out = binary.AppendUvarint(out, uint64(len(levels)))
		for _, l := range levels {
			out = binary.AppendUvarint(out, uint64(l.n))
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(l.usd))
		}
	}
	return string(out)
}

// room returns the number of instances that can be held.
func (s *state) room() (n int) {
	for _, levels := range s.levels {
		for _, l := range levels {
			n += l.n
		}
	}
	if s.most > 0 {
		return min(n, s.most)
	}
	return n
}
