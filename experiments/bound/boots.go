package bound

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// maxGrants is how many instances of a pool a run is taken to be granted at most, over its whole length.
const maxGrants = 1 << 16

// boots are the shortest boots of the pools among the first grants.
type boots struct {
	c        *sim.Config
	drawn    int       // grants looked at, of each pool
	shortest []float64 // by pool, seconds
	// Of policies that do not know how long a boot will take: the least price of the run, USD a second, and the seconds
	// of boot that are paid in expectation, by pool; none: they know.
	lowestUSD, paid []float64
}

func newBoots(c *sim.Config) *boots {
	b := &boots{c: c}
	for p := range c.Market.Pools() {
		shortest := math.Inf(1)
		if boot := c.Market.Pool(p).Boot; boot.Sigma == 0 {
			shortest = boot.Median.Seconds()
		}
		b.shortest = append(b.shortest, shortest)
	}
	b.draw(512)
	return b
}

// draw looks at the first n grants.
func (b *boots) draw(n int) {
	n = min(n, maxGrants)
	for p := range b.shortest {
		pool := b.c.Market.Pool(p)
		if pool.Boot.Sigma == 0 {
			continue
		}
		// The boot is a rising function of the uniform number of its grant.
		draws := sim.Rand{Seed: b.c.Seed}.Stream(sim.PurposeBoot, sim.NameEntity(pool.Name))
		smallest := math.Inf(1)
		shortest := 0
		for grant := b.drawn; grant < n; grant++ {
			if u := draws.Uniform(uint64(grant)); u < smallest {
				smallest = u
				shortest = grant
			}
		}
		if !math.IsInf(smallest, 1) {
			b.shortest[p] = min(b.shortest[p], pool.Boot.Draw(b.c.Seed, pool.Name, shortest).Seconds())
		}
	}
	b.drawn = n
}

// chargedMinimum returns the seconds that an instance of a pool is charged at least.
func (b *boots) chargedMinimum(p int) float64 {
	granularity := b.c.Market.Pool(p).Granularity
	if granularity != nil {
		return granularity.Minimum.Seconds()
	}
	return b.c.Billing.Minimum.Seconds()
}

// costOfMore returns what instances cost at least in a run with a grant that was not looked at, USD: every grant is
// charged the minimum. It is +Inf where boots are known.
func (b *boots) costOfMore(segments []segment) float64 {
	least := math.Inf(1)
	for p := range b.shortest {
		price := math.Inf(1)
		for i := range segments {
			if segments[i].capacity[p] > 0 {
				price = min(price, segments[i].usd[p])
			}
		}
		if b.c.Market.Pool(p).Boot.Sigma > 0 && !math.IsInf(price, 1) {
			least = min(least, float64(b.drawn)*price*b.chargedMinimum(p))
		}
	}
	return least
}

// costOfNotKnowing is what a boot that is not known in advance costs beyond the shortest, USD.
func (b *boots) costOfNotKnowing(p int) float64 {
	if b.paid == nil {
		return 0
	}
	return b.lowestUSD[p] * max(b.paid[p]-b.shortest[p], 0)
}

// setUnknown has the boots of all pools not known in advance.
//
// It charges for knowing how long boots take: of each grant, g times (E - min(boot, c)), where E is the mean of
// min(boot, c) and g the least price of the run. No policy knows the boot of the next grant, so its expectation is 0.
// A grant that becomes ready then pays for its boot at least the shortest at the stretch's price and E less the
// shortest at g. One that does not pays at least the minimum, so c is chosen with c - E equal to it: it pays no less
// than nothing. As many grants become ready in a stretch as it has parts in which the k-th instance is of use (type
// stretch): in each, the number that is ready rises above k - 1 at an instant of its own.
func (b *boots) setUnknown(segments []segment) {
	for p := range b.shortest {
		usd := math.Inf(1)
		for i := range segments {
			usd = min(usd, segments[i].usd[p])
		}
		b.lowestUSD = append(b.lowestUSD, usd)
		b.paid = append(b.paid, paidBoot(b.c.Market.Pool(p).Boot, b.chargedMinimum(p)))
	}
}

// paidBoot is the mean of a boot cut off at c, where c is as much above it as seconds that are charged at least.
func paidBoot(boot sim.Boot, charged float64) float64 {
	median := boot.Median.Seconds()
	sigma := boot.Sigma
	if sigma == 0 || median == 0 {
		return median
	}
	phi := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 } // of the standard normal distribution
	meanUpTo := func(c float64) float64 {
		z := math.Log(c/median) / sigma
		return median*math.Exp(sigma*sigma/2)*phi(z-sigma) + c*phi(-z)
	}
	low := 0.0
	high := boot.Mean().Seconds() + charged
	for range 60 {
		middle := (low + high) / 2
		if middle-meanUpTo(middle) < charged {
			low = middle
		} else {
			high = middle
		}
	}
	return meanUpTo(low)
}
