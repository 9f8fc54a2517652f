package advise

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// past is markets that were observed, of which continuations are made: the traces until now or, where the
// market is synthetic, markets of the generator under other seeds.
type past struct {
	tracks []track
	places []place // instants from which a block may be taken
	block  time.Duration
	scale  []float64 // by pool: standard deviation of the logarithm of its price
}

// track is one market until an instant.
type track struct {
	market *sim.Market
	from   sim.Time // what came before is not used
	until  sim.Time
	pools  []steps
}

// steps is a pool's prices and capacity at every instant at which one of them changed.
type steps struct {
	at       []sim.Time
	usd      []float64
	capacity []int32 // -1: not limited by the trace
}

// place is an instant of a track, and how the market was: by pool a scaled price and a share of the quota.
type place struct {
	track int
	at    sim.Time
	like  []float64
}

// maxPlaces is the number of instants among which a block's beginning is looked for.
const maxPlaces = 1024

// read lays out a market from an instant until another.
func read(m *sim.Market, from, until sim.Time) track {
	t := track{market: m, from: from, until: until, pools: make([]steps, m.Pools())}
	for p := range t.pools {
		changes := slices.DeleteFunc(m.Changes(p), func(at sim.Time) bool { return at < from || at >= until })
		changes = append(changes, from)
		slices.Sort(changes)
		for _, at := range slices.Compact(changes) {
			capacity := int32(-1)
			if n, limited := m.Capacity(p, at); limited {
				capacity = int32(min(n, m.Pool(p).Quota))
			}
			t.pools[p].add(at, m.Price(p, at), capacity)
		}
	}
	return t
}

// add adds a step, unless it changes nothing.
func (s *steps) add(at sim.Time, usd float64, capacity int32) {
	if last := len(s.at) - 1; last >= 0 && s.usd[last] == usd && s.capacity[last] == capacity {
		return
	}
	s.at = append(s.at, at)
	s.usd = append(s.usd, usd)
	s.capacity = append(s.capacity, capacity)
}

// index returns the place in s of what holds at t.
func (s *steps) index(t sim.Time) int {
	k, exact := slices.BinarySearch(s.at, t)
	if exact {
		return k
	}
	return max(k-1, 0)
}

// newPast prepares continuations of at most a span.
func newPast(tracks []track, span time.Duration) *past {
	p := &past{tracks: tracks, scale: make([]float64, tracks[0].market.Pools())}
	all := time.Duration(0)
	for i := range tracks {
		all += tracks[i].until.Sub(tracks[i].from)
	}
	p.block = max(min(span, all/10), time.Second)
	for k := range p.scale {
		p.scale[k] = spread(tracks, k)
	}
	every := max(all/maxPlaces, time.Second)
	for i := range tracks {
		t := &tracks[i]
		// To the end: a block from there is cut, and what has lasted until now counts for as long as it has.
		last := t.until.Add(-every)
		for at := t.from; at <= last; at = at.Add(every) {
			p.places = append(p.places, place{i, at, p.like(t, at, nil)})
		}
	}
	return p
}

// spread returns the standard deviation in time of the logarithm of a pool's price, 1 where it does not change.
func spread(tracks []track, pool int) float64 {
	sum := 0.0
	squares := 0.0
	time := 0.0
	for i := range tracks {
		s := &tracks[i].pools[pool]
		for k, at := range s.at {
			end := tracks[i].until
			if k+1 < len(s.at) {
				end = s.at[k+1]
			}
			lasted := float64(end - at)
			log := logPrice(s.usd[k])
			sum += lasted * log
			squares += lasted * log * log
			time += lasted
		}
	}
	if variance := squares/time - sum/time*(sum/time); variance > 1e-12 {
		return math.Sqrt(variance)
	}
	return 1
}

// like describes a market at an instant: by pool its price, in standard deviations, and its capacity as a share of the
// quota.
func (p *past) like(t *track, at sim.Time, into []float64) []float64 {
	into = into[:0]
	for k := range t.pools {
		s := &t.pools[k]
		i := s.index(at)
		into = append(into, logPrice(s.usd[i])/p.scale[k])
		if quota := float64(t.market.Pool(k).Quota); s.capacity[i] >= 0 && quota > 0 {
			into = append(into, capacityWeight*float64(s.capacity[i])/quota)
		}
	}
	return into
}

// logPrice is the logarithm of a price, which may be 0.
func logPrice(usd float64) float64 { return math.Log(max(usd, 1e-9)) }

// capacityWeight is how much a whole quota more or less counts, in standard deviations of a price.
const capacityWeight = 2
