package bound

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// tenure is what instances that are ready are charged for their boots where the future is not known: not over the time
// for which they are known to last, but over that which the law expects, whether they then last or not.
//
// Let x be 1 while at least k instances of a pool are ready, else 0. Each rise of x costs a boot, at least b. Let
// u(t), between 0 and b, be a value of an instance that is ready, by what is known at t. As news changes it to u', a
// policy is credited (u - u') x, and charged what the law expects of that. A loss changes it to 0. For policies that
// do not know the future, credits and charges have the same expectation. For any path phi in [0, b] that falls by u -
// u' as news comes,
//
//	boots - credits >= - the integral of phi' x
//
// because b dx >= phi dx where x rises, and 0 >= phi dx where it falls. So x pays no boots, but each second
//
//	its price + what the law expects to credit - phi'
//
// On spot u falls from b, when capacity comes, to 0 at the deadline, as fast as makes that surcharge even. On demand it
// is that where the plan uses the pool, and 0 where it does not: an instance that is of no more use, because the market
// got better, is credited like one that is lost.
//
// Tiers of a pool may be held in any order here, which can only make the bound lower.
type tenure struct {
	at      []sim.Time
	boots   []float64  // by pool: b
	charges [][]charge // by pool and tier (tiersOf)
}

// charge is the surcharge of a tier by piece of time, USD a second.
type charge struct {
	above int
	usd   []float64
}

// The time to the deadline is cut into at most tenureSteps parts, besides where the market changes, and into none
// shorter than tenureBoots boots: a value that rises makes what is held cheaper by a boot over a part.
const (
	tenureSteps = 24
	tenureBoots = 8
)

// span is a part of the time of policies, in which what they know of the market is one episode.
type span struct {
	from, to sim.Time
	episode  int
	changed  bool // at the end
}

// newTenure works the surcharges out for one future. It is nil where the states of a regime differ: what they lead to
// and what a plan uses there is only roughly known then, and what instances are known to last gives no worse a bound.
func newTenure(p *problem, boots *boots, path *pricePath) *tenure {
	for _, r := range path.regimes {
		if r.capacity == nil {
			return nil
		}
	}
	steps := int(p.last.Sub(p.first).Seconds() / tenureBoots / max(slices.Max(boots.paid), 1))
	spans := p.spans(path, min(max(steps, 1), tenureSteps))
	t := &tenure{charges: make([][]charge, len(boots.paid))}
	for i := range spans {
		t.at = append(t.at, spans[i].from)
	}
	for pool := range boots.paid {
		bootUSD := boots.lowestUSD[pool] * max(boots.paid[pool], boots.shortest[pool])
		t.boots = append(t.boots, bootUSD)
		for _, tier := range tiersOf(p.segments, pool) {
			useful := func(t sim.Time, regimes []bool) { path.listUses(pool, t, regimes) }
			if !p.c.Market.Pool(pool).OnDemand {
				useful = func(_ sim.Time, regimes []bool) {
					for r := range regimes {
						regimes[r] = path.regimes[r].capacity[pool] > tier.above
					}
				}
			}
			value := bootValue{
				p:        p,
				path:     path,
				boot:     bootUSD,
				listUses: useful,
				useful:   make([]bool, len(path.regimes)),
				after:    make([]float64, len(path.regimes)),
				since:    p.first,
			}
			t.charges[pool] = append(t.charges[pool], charge{tier.above, value.surcharges(spans)})
		}
	}
	return t
}

// spans cuts the time of policies into equal steps, and at the news.
func (p *problem) spans(path *pricePath, steps int) []span {
	var out []span
	length := p.last.Sub(p.first) / time.Duration(steps)
	episode := 0
	from := p.first
	for n := 1; from < p.last; {
		end := p.first.Add(length * time.Duration(n))
		if n == steps {
			end = p.last
		}
		for path.newsAfter(episode) <= from {
			episode++
		}
		next := span{from: from, to: end, episode: episode}
		if news := path.newsAfter(episode); news <= end {
			next.to = news
			next.changed = true
		}
		if next.to == end {
			n++
		}
		from = next.to
		out = append(out, next)
	}
	return out
}

// bootValue is the value u of an instance that is ready, as it changes over time.
type bootValue struct {
	p        *problem
	path     *pricePath
	boot     float64                          // what a boot costs at least, USD
	listUses func(t sim.Time, regimes []bool) // tells in which regimes an instance that is ready is of use

	usd    float64
	since  sim.Time  // when an instance became of use
	useful []bool    // by regime
	after  []float64 // by regime: the value if the market changes to it
}

// surcharges returns what is charged by span, USD a second.
func (v *bootValue) surcharges(spans []span) []float64 {
	values := make([]float64, len(spans))
	credits := make([]float64, len(spans)) // that the law expects, a second
	for i, s := range spans {
		episode := &v.path.future[s.episode]
		if i > 0 && spans[i-1].changed {
			if v.usd == 0 {
				v.since = s.from
			}
			v.usd = v.after[episode.regime]
		} else {
			v.fall(s.from, episode.regime)
		}
		values[i] = v.usd
		for r, rate := range episode.rates {
			v.after[r] = v.valueAfter(r, episode.regime)
			credits[i] += rate * (v.usd - v.after[r])
		}
	}
	usd := make([]float64, len(spans))
	for i, s := range spans {
		next := values[i] // where the market changes, the credit makes up for the difference
		if i+1 == len(spans) {
			next = 0
		} else if !s.changed {
			next = values[i+1]
		}
		usd[i] = credits[i] + (values[i]-next)/s.to.Sub(s.from).Seconds()
	}
	return usd
}

// fall lowers the value to that of an instant without news, in a regime.
func (v *bootValue) fall(now sim.Time, regime int) {
	v.listUses(now.Add(v.path.ahead), v.useful)
	if !v.useful[regime] {
		v.usd = 0
		return
	}
	if v.usd == 0 {
		v.usd = v.boot
		v.since = now
		return
	}
	ends := 0.0 // times a second
	for r, rate := range v.path.regimes[regime].Next {
		if !v.useful[r] {
			ends += rate
		}
	}
	v.usd = v.boot * v.p.evenPart(v.since, now, ends)
}

// valueAfter returns the value if the market changes to a regime from another one.
func (v *bootValue) valueAfter(regime, from int) float64 {
	if regime == from {
		return v.usd
	}
	if !v.useful[regime] {
		return 0
	}
	if v.usd > 0 {
		return v.usd
	}
	return v.boot
}

// evenPart is what is left of a value that falls from 1 at one instant to 0 at the deadline, where what ends at a
// rate a second is charged evenly.
func (p *problem) evenPart(since, now sim.Time, rate float64) float64 {
	left := p.last.Sub(now).Seconds()
	all := p.last.Sub(since).Seconds()
	if rate*all < 1e-6 {
		return left / all
	}
	return math.Expm1(-rate*left) / math.Expm1(-rate*all)
}

// surcharge returns that of a tier from an instant on, USD a second, until the next one.
func (t *tenure) surcharge(pool, above int, from sim.Time) float64 {
	if t == nil {
		return 0
	}
	i, found := slices.BinarySearch(t.at, from)
	if !found {
		i--
	}
	for _, c := range t.charges[pool] {
		if c.above == above {
			return c.usd[i]
		}
	}
	return 0
}

// bootUSD is what the surcharges charge for a boot, USD.
func (t *tenure) bootUSD(pool int) float64 {
	if t == nil {
		return 0
	}
	return t.boots[pool]
}
