package advise

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

const (
	purposePlace    = sim.PurposeUser + 900 + iota // where a block is taken from
	purposeBlock                                   // how long it is
	purposeDuration                                // how long a job takes
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
		c.outlooks[p].Prices = c.outlooks[p].Prices[:0]
		c.outlooks[p].Capacity = c.outlooks[p].Capacity[:0]
	}
	places := c.rand.Stream(purposePlace, k)
	lengths := c.rand.Stream(purposeBlock, k)
	like := c.present
	at := c.now
	for n := uint64(0); at < c.end; n++ {
		from := &c.past.places[c.nearest(like, places.Uniform(2*n), places.Uniform(2*n+1))]
		track := &c.past.tracks[from.track]
		span := time.Duration(lengths.Exponential(n) * float64(c.past.block))
		span = max(min(span, track.until.Sub(from.at), c.end.Sub(at)), time.Second)
		c.take(track, from.at, at, span, n == 0)
		like = c.past.like(track, min(from.at.Add(span), track.until-1), c.like)
		c.like = like
		at = at.Add(span)
	}
	return c.outlooks
}

// take copies a block of a track to an instant. The first begins with the present, which holds until something changes.
func (c *continuation) take(t *track, from, to sim.Time, span time.Duration, first bool) {
	for p := range t.pools {
		s := &t.pools[p]
		out := &c.outlooks[p]
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
	if n := len(out.Capacity); s.capacity[i] >= 0 && (n == 0 || out.Capacity[n-1].N != int(s.capacity[i])) {
		out.Capacity = append(out.Capacity, sim.Capacity{At: at, N: int(s.capacity[i])})
	}
}

// nearest returns one of the places where the market was most like: one of the square root of all, the nearer the
// likelier, by a number that was drawn, or any that is as near as that, by another.
func (c *continuation) nearest(like []float64, drawn, tie float64) int {
	c.near = c.near[:0]
	for i := range c.past.places {
		distance := 0.0
		for k, x := range c.past.places[i].like {
			distance += math.Abs(x - like[k])
		}
		c.near = append(c.near, candidate{i, distance})
	}
	slices.SortFunc(c.near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.place, b.place))
	})
	chosen := c.near[ranked(len(c.near), drawn)].distance
	first, _ := slices.BinarySearchFunc(c.near, chosen-alike, byDistance)
	end, _ := slices.BinarySearchFunc(c.near, chosen+alike, byDistance)
	return c.near[min(first+int(tie*float64(end-first)), end-1)].place
}

// alike is the difference of two distances that are the same.
const alike = 1e-9

func byDistance(a candidate, distance float64) int { return cmp.Compare(a.distance, distance) }

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
	if freeSlots < 0 {
		out.Capacity = out.Capacity[:0]
		return leaving
	}
	held := heldOf(v, p)
	pool := v.Pool(p)
	leaving = v.Leaving(p, leaving[:0])
	alive := held.Active() + held.Noticed
	level := max(int(freeSlots), alive)
	if held.Waiting > 0 && alive < pool.Quota {
		level = alive
	}
	records := []sim.Capacity{{At: now, N: level}}
	free := now // from when on nothing is owed any more
	for i, at := range leaving {
		free = max(at, now+1)
		records = append(records, sim.Capacity{At: free, N: alive - i - 1})
	}
	if held.Active() > 0 {
		free = max(free, now.Add(pool.Notice))
	}
	if free == now {
		for _, x := range out.Capacity {
			if x.At > now {
				records = append(records, x)
			}
		}
		out.Capacity = records
		return leaving
	}
	until := slices.IndexFunc(out.Capacity, func(x sim.Capacity) bool { return x.At > free })
	if until < 0 {
		until = len(out.Capacity)
	}
	if until > 0 {
		records = append(records, sim.Capacity{At: free + 1, N: out.Capacity[until-1].N})
	}
	for _, x := range out.Capacity[until:] {
		if x.At > free+1 {
			records = append(records, x)
		}
	}
	out.Capacity = records
	return leaving
}
