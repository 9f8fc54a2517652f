package mdp

import (
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// prices are what a run has seen of the price of a pool: the last spells in which it stayed, in the order of time.
type prices struct {
	spells []spell
	at     sim.Time // of the last look
}

// spell is a time in which a price stayed within samePrice of what it was at first, USD/h.
type spell struct{ usd, hours float64 }

// levels are two prices between which one is believed to change.
type levels struct {
	low, high float64 // USD/h; 0: it is believed to stay
	rises     float64 // times an hour that it becomes the high one, where it is the low one
	falls     float64 // times an hour that it becomes the low one, where it is the high one
}

const (
	samePrice = 0.04 // a price that is further from another one, of that one, is not the same
	apart     = 1.5  // a high level is this times the low one at least
	atOnce    = 0.5  // share of the way between them that a price goes at once, in the mean, at least
	maxSpells = 64
)

// see takes in the price of now. Since the last look it was what it was then.
func (x *prices) see(usd float64, now sim.Time) {
	n := len(x.spells)
	if n > 0 {
		last := &x.spells[n-1]
		last.hours += now.Sub(x.at).Hours()
	}
	x.at = now
	if n > 0 && math.Abs(usd-x.spells[n-1].usd) <= samePrice*x.spells[n-1].usd {
		return
	}
	if n == maxSpells {
		x.spells = slices.Delete(x.spells, 0, n/2)
	}
	x.spells = append(x.spells, spell{usd: usd})
}

// side is what was seen of the spells on one side of a price.
type side struct {
	paid   float64 // USD, if one instance had been held all the time
	hours  float64
	leaves float64 // how often the price went to the other side, but for the first time
}

// mean returns the mean price, USD/h.
func (s *side) mean() float64 { return s.paid / s.hours }

// splitAt sums up the spells at a price or below it, and those above, and returns the mean change from one side to the
// other, USD/h. The first one does not count among those that say how often the price changes: of prices that have not
// changed nobody asks that.
func (x *prices) splitAt(usd float64) (low, high side, jump float64) {
	const least = 1. / 3600 // hours that a spell counts for which begins now
	var last *side
	changes := 0
	sum := 0.0
	for i := range x.spells {
		s := &x.spells[i]
		on := &low
		if s.usd > usd {
			on = &high
		}
		on.paid += s.usd * (s.hours + least)
		on.hours += s.hours + least
		if last != nil && last != on {
			changes++
			sum += math.Abs(s.usd - x.spells[i-1].usd)
			if changes > 1 {
				last.leaves++
			}
		}
		last = on
	}
	if changes > 0 {
		jump = sum / float64(changes)
	}
	return low, high, jump
}

// levels returns the levels that the spells have in the mean on both sides of the price which parts them best: where
// the variance between both is largest. Their rates are means of Gamma distributions, as those of a pool's room. unit
// is the price in which they are counted, USD/h. There are none where they are not far apart, and where the price
// wanders from one to the other.
func (x *prices) levels(law *Law, unit float64) levels {
	most := 0.0
	var low, high side
	jump := 0.0
	for i := range x.spells {
		below, above, change := x.splitAt(x.spells[i].usd)
		if above.hours == 0 {
			continue
		}
		difference := above.mean() - below.mean()
		if between := below.hours * above.hours * difference * difference; between > most {
			most = between
			low = below
			high = above
			jump = change
		}
	}
	if most == 0 || low.paid == 0 || high.mean() < apart*low.mean() {
		return levels{}
	}
	if jump < atOnce*(high.mean()-low.mean()) {
		return levels{}
	}
	return levels{
		low:   roundedPrice(low.mean(), unit, levelsPerPower),
		high:  roundedPrice(high.mean(), unit, levelsPerPower),
		rises: law.priceRate(&low),
		falls: law.priceRate(&high),
	}
}

// priceRate returns how often a price goes to the other side, times an hour.
func (l *Law) priceRate(s *side) float64 {
	return rounded((l.Weight + s.leaves) / (l.Weight*l.Price.Hours() + s.hours))
}

// Prices are rounded to so many in a power of e, so that those that are nearly the same have one table: to 4 %, levels
// to 10 %.
const (
	pricesPerPower = 25
	levelsPerPower = 10
)

// roundedPrice rounds a price to one of so many in a power of e, in a unit.
func roundedPrice(usd, unit, perPower float64) float64 {
	return unit * math.Exp(math.Round(math.Log(usd/unit)*perPower)/perPower)
}

// addLevels has the states of a market with one spot pool twice, if the price there is believed to change: first with
// the low price, then with the high one. Of more pools there would be too many states.
func (r *regimes) addLevels(p *planner) {
	r.levelled = -1
	if len(r.spot) != 1 || p.hours.any || p.moves.any {
		return
	}
	k := r.spot[0]
	pool := &p.pools[k]
	pool.levels = pool.prices.levels(&p.set.Law, p.priceUnit())
	if pool.levels == (levels{}) {
		return
	}
	r.levelled = k
	n := len(r.list)
	r.list = r.list[:2*n]
	share := pool.rises / (pool.rises + pool.falls)
	for i := range n {
		low := &r.list[i]
		high := &r.list[n+i]
		high.on = append(high.on[:0], low.on...)
		high.dear = true
		high.weight = low.weight * share
		low.weight *= 1 - share
	}
}

// pricesIn returns the prices in a state of the market.
func (t *table) pricesIn(r *regimes, state *regime) []float64 {
	if !state.dear {
		return t.prices
	}
	r.prices = append(r.prices[:0], t.prices...)
	r.prices[r.levelled] = t.beliefs[r.levelled].high
	return r.prices
}

// surcharge returns what a cluster costs in a state of the market more than at the low price, USD/h.
func (t *table) surcharge(r *regimes, state *regime, counts []int32) float64 {
	if !state.dear {
		return 0
	}
	return float64(counts[r.levelled]) * (t.beliefs[r.levelled].high - t.beliefs[r.levelled].low)
}

// priceBecomes returns the probability that the price of one state is that of another one after a step.
func (t *table) priceBecomes(r *regimes, from, to *regime) float64 {
	if r.levelled < 0 {
		return 1
	}
	belief := &t.beliefs[r.levelled]
	changes := belief.rises + belief.falls
	moves := -math.Expm1(-changes * t.dt / 3600)
	share := belief.falls / changes
	if to.dear {
		share = belief.rises / changes
	}
	if from.dear == to.dear {
		return moves*share + 1 - moves
	}
	return moves * share
}

// priceAhead is costAhead in a place where a price is believed to change: the price of now is somewhere between both,
// and so is what is expected.
func (p *planner) priceAhead(work, elapsed, quality float64, after held, place int) float64 {
	t := p.now.table
	pool := p.regimes.levelled
	belief := &t.beliefs[pool]
	level := min(max((p.prices[pool]-belief.low)/(belief.high-belief.low), 0), 1)
	low := p.now.state
	none := len(p.regimes.list) / 2 // with the high price
	high := low + none
	nothing := t.qualityOf(0, place)
	all := t.qualityOf(low, place)
	all += level * (t.qualityOf(high, place) - all)
	part := 1.0
	if all > nothing {
		part = min(max((quality-nothing)/(all-nothing), 0), 1)
	}
	usd := t.value(work, elapsed, 0, low, part, after, place)
	if level > 0 {
		usd += level * (t.value(work, elapsed, none, high, part, after, place) - usd)
	}
	return usd
}
