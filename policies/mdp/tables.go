package mdp

import (
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// kept is the number of tables that are kept.
const kept = 6

// tables is a memory of what was worked out.
type tables struct {
	list   [kept]table
	next   int // is replaced next
	wanted key

	maxSize  int // numbers in one of them: with room for so many, no later one needs memory
	maxHeld  int
	maxCosts int
	maxHull  int       // clusters of a regime, where what is held is left out
	values   []float64 // memory of the table that is worked out now
	costs    []float64
}

// key is what a table depends on.
type key struct {
	terms
	model   sim.Model
	prices  []float64
	full    []int
	beliefs []belief  // of pools whose states are drawn the states, and what all change in the mean
	site    []int     // by pool, where moves take something
	moves   []float64 // between two sites: USD, then seconds
	units   []float64 // by pool: seconds that are paid at once, 0 where billing is finer; none if all is
}

// terms are the numbers of a key.
type terms struct {
	servers int32
	loss    sim.Pause
	goal    float64
	span    float64 // seconds
	reserve float64
	share   float64
	grid    int
	redo    float64 // seconds of training that a loss without notice takes back in the mean
	saves   float64 // seconds in which a save is safe
	stops   float64 // seconds before the deadline that the safe form keeps for stops
}

func (k *key) equals(other *key) bool {
	return k.terms == other.terms && slices.Equal(k.prices, other.prices) && slices.Equal(k.full, other.full) &&
		slices.Equal(k.site, other.site) && slices.Equal(k.moves, other.moves) &&
		slices.Equal(k.beliefs, other.beliefs) && slices.Equal(k.units, other.units) &&
		policyutil.SameModel(k.model, other.model)
}

// set makes it the same as another one, in memory of its own.
func (k *key) set(other *key) {
	k.terms = other.terms
	k.model = other.model
	k.prices = append(k.prices[:0], other.prices...)
	k.full = append(k.full[:0], other.full...)
	k.beliefs = append(k.beliefs[:0], other.beliefs...)
	k.site = append(k.site[:0], other.site...)
	k.moves = append(k.moves[:0], other.moves...)
	k.units = append(k.units[:0], other.units...)
}

// selectTable makes the table of what is believed the planner's.
func (p *planner) selectTable() {
	memory := &p.tables
	p.describeTable(&memory.wanted)
	t := memory.find()
	if t == nil {
		t = &memory.list[memory.next]
		memory.next = (memory.next + 1) % kept
		t.key.set(&memory.wanted)
		t.fill(p)
	}
	p.now.table = t
	step := int((p.view.Now().Sub(p.job.Submitted()).Seconds() + t.offset) / t.dt)
	t.workOutBackTo(step, memory)
}

// find returns the table that is wanted, nil if it was not worked out or is not kept.
func (x *tables) find() *table {
	for i := range x.list {
		t := &x.list[i]
		if t.latePrice > 0 && t.key.equals(&x.wanted) {
			return t
		}
	}
	return nil
}

// describeTable fills in what the table depends on, and lists the states of the market.
func (p *planner) describeTable(k *key) {
	k.model = p.job.Model()
	k.terms = terms{
		servers: int32(p.job.Servers()),
		loss:    p.loss,
		goal:    p.goal,
		span:    p.job.Objective().Within.Seconds(),
		reserve: p.set.Reserve.Seconds(),
		share:   p.set.Share,
		grid:    p.set.Grid,
		stops:   p.set.net.Stops(p.index),
	}
	if save := p.job.SaveTime(); save > 0 && p.loss.Rollback {
		persist := p.job.PersistTime()
		k.saves = (save + persist).Seconds()
		k.stops += apartAtLeast(save + persist).Seconds()
		every := min(policyutil.SaveInterval(p.view, p.index), p.saveInterval(false))
		k.redo = rounded(every.Seconds()/2 + persist.Seconds())
	}
	p.regimes.listStates(p)
	k.full = append(k.full[:0], p.full...)
	k.prices = k.prices[:0]
	unit := p.priceUnit()
	for i, usd := range p.prices {
		if i == p.regimes.levelled {
			usd = p.pools[i].low
		} else if p.pools[i].spot {
			usd = roundedPrice(usd, unit, pricesPerPower)
		}
		k.prices = append(k.prices, usd)
	}
	k.site = k.site[:0]
	k.moves = k.moves[:0]
	if p.moves.any {
		k.site = append(k.site, p.moves.site...)
		k.moves = append(k.moves, p.moves.usd...)
		k.moves = append(k.moves, p.moves.seconds...)
	}
	k.units = k.units[:0]
	if p.hours.any {
		k.units = append(k.units, p.hours.unit...)
	}
	k.beliefs = k.beliefs[:0]
	for i := range p.pools {
		k.beliefs = append(k.beliefs, p.pools[i].belief)
	}
	p.regimes.simplify(k.beliefs)
}

// priceUnit returns the price in which those of spot are counted, USD per hour: that of the first pool on demand, so
// that the decisions are the same in another currency. 1 where nothing on demand has a price.
func (p *planner) priceUnit() float64 {
	for k, usd := range p.prices {
		if !p.pools[k].spot && usd > 0 {
			return usd
		}
	}
	return 1
}
