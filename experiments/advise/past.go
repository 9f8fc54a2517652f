package advise

import (
	"cmp"
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
	at  []sim.Time
	usd []float64
	cap []int32 // -1: not limited by the trace
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
		at := m.Changes(p)
		at = append(at, from)
		slices.Sort(at)
		at = slices.Compact(at)
		s := &t.pools[p]
		for _, x := range at {
			if x < from || x >= until {
				continue
			}
			n := int32(-1)
			if c, limited := m.Capacity(p, x); limited {
				n = int32(min(c, m.Pool(p).Quota))
			}
			if k := len(s.at); k > 0 && s.cap[k-1] == n && s.usd[k-1] == m.Price(p, x) {
				continue
			}
			s.at, s.usd, s.cap = append(s.at, x), append(s.usd, m.Price(p, x)), append(s.cap, n)
		}
	}
	return t
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
		last := t.until.Add(-min(p.block, t.until.Sub(t.from)/2))
		for at := t.from; at < last; at = at.Add(every) {
			p.places = append(p.places, place{i, at, p.like(t, at, nil)})
		}
	}
	return p
}

// spread returns the standard deviation in time of the logarithm of a pool's price, 1 where it does not change.
func spread(tracks []track, pool int) float64 {
	sum, squares, time := 0.0, 0.0, 0.0
	for i := range tracks {
		s := &tracks[i].pools[pool]
		for k, at := range s.at {
			end := tracks[i].until
			if k+1 < len(s.at) {
				end = s.at[k+1]
			}
			w, x := float64(end-at), math.Log(max(s.usd[k], 1e-9))
			sum, squares, time = sum+w*x, squares+w*x*x, time+w
		}
	}
	if variance := squares/time - sum/time*(sum/time); variance > 1e-12 {
		return math.Sqrt(variance)
	}
	return 1
}

// like describes a market at an instant: by pool its price, in standard deviations, and its capacity as a share of the quota.
func (p *past) like(t *track, at sim.Time, into []float64) []float64 {
	into = into[:0]
	for k := range t.pools {
		s, quota := &t.pools[k], float64(t.market.Pool(k).Quota)
		i := s.index(at)
		into = append(into, math.Log(max(s.usd[i], 1e-9))/p.scale[k])
		if s.cap[i] >= 0 && quota > 0 {
			into = append(into, capacityWeight*float64(s.cap[i])/quota)
		}
	}
	return into
}

// capacityWeight is how much a whole quota more or less counts, in standard deviations of a price.
const capacityWeight = 2

const (
	purposePlace = sim.PurposeUser + 900 + iota // where a block is taken from
	purposeBlock                                // how long it is
)

// continuation draws the market after now: blocks of the past one after the other, all pools together, each of
// which begins where the market was like at the end of the one before (a nearest-neighbour bootstrap: Lall and
// Sharma, Water Resources Research 32, 1996; blocks of random lengths: Politis and Romano, JASA 89, 1994).
type continuation struct {
	past     *past
	rand     sim.Rand
	now, end sim.Time
	present  []float64 // how the market is now
	near     []candidate
	outlooks []sim.Outlook
	like     []float64
}

// candidate is a place, and how far from another it is.
type candidate struct {
	place    int
	distance float64
}

// draw draws the k-th continuation.
func (c *continuation) draw(k uint64) []sim.Outlook {
	for p := range c.outlooks {
		c.outlooks[p].Prices, c.outlooks[p].Capacity = c.outlooks[p].Prices[:0], c.outlooks[p].Capacity[:0]
	}
	places, lengths := c.rand.Stream(purposePlace, k), c.rand.Stream(purposeBlock, k)
	like := c.present
	for at, n := c.now, uint64(0); at < c.end; n++ {
		from := &c.past.places[c.nearest(like, places.Uniform(2*n), places.Uniform(2*n+1))]
		t := &c.past.tracks[from.track]
		span := time.Duration(lengths.Exponential(n) * float64(c.past.block))
		span = max(min(span, t.until.Sub(from.at), c.end.Sub(at)), time.Second)
		c.take(t, from.at, at, span, n == 0)
		like = c.past.like(t, min(from.at.Add(span), t.until-1), c.like)
		c.like = like
		at = at.Add(span)
	}
	return c.outlooks
}

// take copies a block of a track to an instant. The first begins with the present, which holds until something changes.
func (c *continuation) take(t *track, from, to sim.Time, span time.Duration, first bool) {
	for p := range t.pools {
		s, out := &t.pools[p], &c.outlooks[p]
		last := s.index(from)
		if !first {
			c.add(out, s, last, to)
		}
		for i := last + 1; i < len(s.at) && s.at[i] < from.Add(span); i++ {
			c.add(out, s, i, to+s.at[i]-from)
		}
	}
}

// add adds a step at an instant, which is after now and before the end.
func (c *continuation) add(out *sim.Outlook, s *steps, i int, at sim.Time) {
	at = max(at, c.now+1)
	if at >= c.end {
		return
	}
	if n := len(out.Prices); n == 0 || out.Prices[n-1].USD != s.usd[i] {
		out.Prices = append(out.Prices, sim.Price{At: at, USD: s.usd[i]})
	}
	if n := len(out.Capacity); s.cap[i] >= 0 && (n == 0 || out.Capacity[n-1].N != int(s.cap[i])) {
		out.Capacity = append(out.Capacity, sim.Capacity{At: at, N: int(s.cap[i])})
	}
}

// nearest returns one of the places where the market was most like: one of the square root of all, the nearer the
// likelier (u), or any that is as near as that (tie).
func (c *continuation) nearest(like []float64, u, tie float64) int {
	c.near = c.near[:0]
	for i := range c.past.places {
		d := 0.0
		for k, x := range c.past.places[i].like {
			d += math.Abs(x - like[k])
		}
		c.near = append(c.near, candidate{i, d})
	}
	slices.SortFunc(c.near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.place, b.place))
	})
	d := c.near[ranked(len(c.near), u)].distance
	first, _ := slices.BinarySearchFunc(c.near, d-alike, byDistance)
	end, _ := slices.BinarySearchFunc(c.near, d+alike, byDistance)
	return c.near[min(first+int(tie*float64(end-first)), end-1)].place
}

// alike is the difference of two distances that are the same.
const alike = 1e-9

func byDistance(a candidate, d float64) int { return cmp.Compare(a.distance, d) }

// ranked draws one of the first of n, the square root of them, with weights of 1/rank.
func ranked(n int, u float64) int {
	largest := max(int(math.Sqrt(float64(n))), 1)
	total := 0.0
	for k := range largest {
		total += 1 / float64(k+1)
	}
	u *= total
	for k := range largest {
		if u -= 1 / float64(k+1); u < 0 {
			return k
		}
	}
	return largest - 1
}

// hold makes continuations agree with what is known now of what is held and asked for: there is room for what is
// held, instances under notice go when they were told to, no other goes within the notice, and a pool that does not
// grant a request has no more room.
func hold(v sim.View, p int, now sim.Time, freeSlots int32, out *sim.Outlook, leaving []sim.Time) []sim.Time {
	h, pool := heldOf(v, p), v.Pool(p)
	if freeSlots < 0 {
		out.Capacity = out.Capacity[:0]
		return leaving
	}
	leaving = v.Leaving(p, leaving[:0])
	alive := h.Active() + h.Noticed
	level := max(int(freeSlots), alive)
	if h.Waiting > 0 && alive < pool.Quota {
		level = alive
	}
	records := []sim.Capacity{{At: now, N: level}}
	free := now
	for i, at := range leaving {
		records = append(records, sim.Capacity{At: max(at, now+1), N: alive - i - 1})
		free = max(at, now+1)
	}
	if h.Active() > 0 {
		free = max(free, now.Add(pool.Notice))
	}
	late := -1 // the level that holds when nothing is owed any more
	for _, x := range out.Capacity {
		if x.At > free {
			break
		}
		late = x.N
	}
	if late >= 0 && free > now {
		records = append(records, sim.Capacity{At: free + 1, N: late})
	}
	for _, x := range out.Capacity {
		if x.At > free+1 || x.At > now && free == now {
			records = append(records, x)
		}
	}
	out.Capacity = records
	return leaving
}
