package bound

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// mostDraws bounds the boots that are drawn to find the shortest.
const mostDraws = 4096

// boots is what boots add: an instance that is of use for e seconds within a spell of
// capacity of length L has e <= L - b, and pays for its boot b as well. So it costs at
// least b/(L - b) times the least price of the spell more, each second of its use.
type boots struct {
	shortest []float64 // by pool: seconds, that no grant of a run within the bound is below
	spells   [][]spell // by pool
	all      float64   // the shortest of all pools: nothing trains before
	start    sim.Time
	most     float64 // USD: the bound holds up to here
}

// spell is a stretch of time in which a pool has capacity.
type spell struct {
	from, to sim.Time
	usd      float64 // least price, USD per second
}

func newBoots(c *sim.Config, first, last sim.Time, segments []segment, usd float64) *boots {
	b := &boots{all: math.Inf(1), most: math.Inf(1), start: first}
	for p := range c.Market.Pools() {
		var spells []spell
		for _, s := range segments {
			if s.room[p] == 0 {
				continue
			}
			if n := len(spells); n > 0 && spells[n-1].to == s.from {
				spells[n-1].to, spells[n-1].usd = s.to, min(spells[n-1].usd, s.usd[p])
			} else {
				spells = append(spells, spell{s.from, s.to, s.usd[p]})
			}
		}
		b.spells = append(b.spells, spells)
		b.shortest = append(b.shortest, b.boot(c, p, spells, usd))
		if len(spells) > 0 {
			b.all = min(b.all, b.shortest[p])
		}
	}
	return b
}

// boot returns the shortest boot of pool p in a run that costs no more than three times
// the bound without boots: every grant is charged the minimum, so there are only so many.
func (b *boots) boot(c *sim.Config, p int, spells []spell, usd float64) float64 {
	pool := c.Market.Pool(p)
	if pool.Boot.Sigma == 0 {
		return pool.Boot.Median.Seconds()
	}
	price := math.Inf(1)
	for _, s := range spells {
		price = min(price, s.usd)
	}
	each := price * c.Billing.Minimum.Seconds()
	grants := math.Ceil(3 * usd / each)
	if len(spells) == 0 || !(grants <= mostDraws) {
		return 0
	}
	b.most = min(b.most, grants*each)
	shortest := math.Inf(1)
	for n := range int(grants) + 1 {
		shortest = min(shortest, pool.Boot.Draw(c.Seed, pool.Name, n).Seconds())
	}
	return shortest
}

// raise returns a segment at the prices that reckon with boots; what has no time to be
// of use has no room.
func (b *boots) raise(s segment) segment {
	out := segment{from: s.from, to: s.to, room: append([]int(nil), s.room...), usd: append([]float64(nil), s.usd...)}
	if early := b.start.After(b.all); s.from < early {
		out.from = min(early, s.to)
	}
	for p := range out.room {
		for _, x := range b.spells[p] {
			if x.from <= s.from && s.to <= x.to {
				length := x.to.Sub(x.from).Seconds()
				if length <= b.shortest[p] {
					out.room[p] = 0
				} else {
					out.usd[p] += x.usd * b.shortest[p] / (length - b.shortest[p])
				}
			}
		}
	}
	return out
}
