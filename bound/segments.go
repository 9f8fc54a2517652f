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
	usd      []float64 // by pool: of one instance, USD per second
}

// key is the same for segments of equal rooms and prices.
func (s *segment) key() string {
	var out []byte
	for p := range s.room {
		out = binary.AppendUvarint(out, uint64(s.room[p]))
		if s.room[p] > 0 {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(s.usd[p]))
		}
	}
	return string(out)
}

// cut cuts [first, last) where the price or the capacity of a pool changes; on spot, there
// is nothing on demand.
func cut(m *sim.Market, first, last sim.Time, onSpot bool) []segment {
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
			s.room[p], s.usd[p] = room, m.Price(p, t)/3600
		}
		if n := len(out); n > 0 && out[n-1].key() == s.key() {
			out[n-1].to = s.to
			continue
		}
		if s.to > s.from {
			out = append(out, s)
		}
	}
	return out
}
