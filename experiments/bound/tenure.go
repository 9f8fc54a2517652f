package bound

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// tenure is what instances that are ready are charged for their boots where the future is not known: not over the time for which they are known to last,
// but over that which the law expects, whether they then last or not.
//
// Let x be 1 while at least k instances of a pool are ready, else 0. Each rise of x costs a boot, at least b. Let u(t), between 0 and b, be a value of
// an instance that is ready, by what is known at t. As news changes it to u', a policy is credited (u - u') x, and charged what the law
// expects of that. A loss changes it to 0. For policies that do not know the future, credits and charges have the same expectation. For any path phi in
// [0, b] that falls by u - u' as news comes,
//
//	boots - credits >= - the integral of phi' x
//
// because b dx >= phi dx where x rises, and 0 >= phi dx where it falls. So x pays no boots, but each second
//
//	its price + what the law expects to credit - phi'
//
// On spot u falls from b, when capacity comes, to 0 at the deadline, as fast as makes that surcharge even. On demand it is that where the plan uses the
// pool, and 0 where it does not: an instance that is of no more use, because the market got better, is credited like one that is lost.
//
// Tiers of a pool may be held in any order here, which can only make the bound lower.
type tenure struct {
	at    []sim.Time
	boots []float64  // by pool: b
	tiers [][]charge // by pool and tier (tiersOf)
}

// charge is the surcharge of a tier by piece of time, USD a second.
type charge struct {
	above int
	usd   []float64
}

// The time to the deadline is cut into at most tenureSteps parts, besides where the market changes, and into none shorter than tenureBoots
// boots: a value that rises makes what is held cheaper by a boot over a part.
const (
	tenureSteps = 24
	tenureBoots = 8
)

// span is a part of the time of policies, in which what they know of the market is one episode.
type span struct {
	from, to sim.Time
	k        int  // episode
	changed  bool // at the end
}

// newTenure works the surcharges out for one future. It is nil where the states of a regime differ: what they lead to and what a plan uses there is only
// roughly known then, and what instances are known to last gives no worse a bound.
func newTenure(p *problem, boots *boots, path *pricePath) *tenure {
	for _, r := range path.regimes {
		if r.capacity == nil {
			return nil
		}
	}
	spans := p.spans(path, min(max(int(p.last.Sub(p.first).Seconds()/tenureBoots/max(slices.Max(boots.paid), 1)), 1), tenureSteps))
	t := &tenure{tiers: make([][]charge, len(boots.paid))}
	for i := range spans {
		t.at = append(t.at, spans[i].from)
	}
	for i := range boots.paid {
		b := boots.lowestUSD[i] * max(boots.paid[i], boots.shortest[i])
		t.boots = append(t.boots, b)
		for _, tier := range tiersOf(p.segments, i) {
			uses := func(t sim.Time, of []bool) { path.uses(i, t, of) }
			if !p.c.Market.Pool(i).OnDemand {
				uses = func(_ sim.Time, of []bool) {
					for r := range of {
						of[r] = path.regimes[r].capacity[i] > tier.above
					}
				}
			}
			t.tiers[i] = append(t.tiers[i], charge{tier.above, p.held(b, spans, path, uses)})
		}
	}
	return t
}

// spans cuts the time of policies into equal steps, and at the news.
func (p *problem) spans(path *pricePath, steps int) (out []span) {
	k, from := 0, p.first
	for n := 1; from < p.last; {
		x := span{from: from, to: p.first.Add(p.last.Sub(p.first) / time.Duration(steps) * time.Duration(n))}
		if n == steps {
			x.to = p.last
		}
		knot := x.to
		for k+1 < len(path.future) && path.future[k+1].From.Add(-path.ahead) <= from {
			k++
		}
		if x.k = k; k+1 < len(path.future) {
			if next := path.future[k+1].From.Add(-path.ahead); next <= x.to {
				x.to, x.changed = next, true
			}
		}
		if x.to == knot {
			n++
		}
		from = x.to
		out = append(out, x)
	}
	return out
}

// even is what is left of a value that falls from 1 at one instant to 0 at the deadline, where what ends at a rate a second is charged evenly.
func (p *problem) even(since, now sim.Time, rate float64) float64 {
	left, all := p.last.Sub(now).Seconds(), p.last.Sub(since).Seconds()
	if rate*all < 1e-6 {
		return left / all
	}
	return math.Expm1(-rate*left) / math.Expm1(-rate*all)
}

// surcharge is what a value by span costs, where the law expects so much credit a second.
func surcharge(spans []span, value, credit []float64) []float64 {
	usd := make([]float64, len(spans))
	for i, x := range spans {
		next := value[i]
		if i+1 == len(spans) {
			next = 0
		} else if !x.changed {
			next = value[i+1]
		}
		usd[i] = credit[i] + (value[i]-next)/x.to.Sub(x.from).Seconds()
	}
	return usd
}

// held returns the surcharge of what a boot costs b, where uses says in which regimes an instance that is ready is of use.
func (p *problem) held(b float64, spans []span, path *pricePath, uses func(t sim.Time, of []bool)) []float64 {
	n := len(path.regimes)
	value, credit, of, then := make([]float64, len(spans)), make([]float64, len(spans)), make([]bool, n), make([]float64, n)
	u, since := 0.0, p.first
	for i, x := range spans {
		e := &path.future[x.k]
		if i > 0 && spans[i-1].changed {
			if u == 0 {
				since = x.from
			}
			u = then[e.Regime]
		} else {
			uses(x.from.Add(path.ahead), of)
			leaves := 0.0
			for r, rate := range path.regimes[e.Regime].Next {
				if !of[r] {
					leaves += rate
				}
			}
			switch {
			case !of[e.Regime]:
				u = 0
			case u == 0:
				u, since = b, x.from
			default:
				u = b * p.even(since, x.from, leaves)
			}
		}
		for r, rate := range e.Rates {
			switch {
			case r == e.Regime:
				then[r] = u
			case !of[r]:
				then[r] = 0
			case u > 0:
				then[r] = u
			default:
				then[r] = b
			}
			credit[i] += rate * (u - then[r])
		}
		value[i] = u
	}
	return surcharge(spans, value, credit)
}

// usd returns the surcharge of a tier from an instant on, USD a second, until the next one.
func (t *tenure) usd(pool, above int, from sim.Time) float64 {
	if t == nil {
		return 0
	}
	i, found := slices.BinarySearch(t.at, from)
	if !found {
		i--
	}
	for k := range t.tiers[pool] {
		if x := &t.tiers[pool][k]; x.above == above {
			return x.usd[i]
		}
	}
	return 0
}

// boot is what the surcharges charge for a boot, USD.
func (t *tenure) boot(pool int) float64 {
	if t == nil {
		return 0
	}
	return t.boots[pool]
}
