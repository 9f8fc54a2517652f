package synth

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// What the draws of generators are for, beside those of maker.
const (
	purposeClock    = sim.PurposeUser + 200 + iota // when something may happen next
	purposeMark                                    // what happens then
	purposeBegin                                   // how a pool begins
	purposeVictim                                  // which machine goes
	purposeLife                                    // how long a machine lives
	purposeLaunch                                  // how long until the next comes
	purposeWalk                                    // when a price moves
	purposeWalkSize                                // by how much
	purposeWalkSide                                // which way
	purposeRegion                                  // the way of a region's prices
	purposeBlock                                   // where a block begins
	purposeDies                                    // whether a machine dies within the hour
	purposeDiesAt                                  // at which second
	purposeComes                                   // whether one comes
	purposeComesAt                                 // at which second
	purposeHourly                                  // an hour's probability
)

// making is a trace being made.
type making struct {
	pools     []GeneratorPool
	dice      sim.Rand
	end       int64 // us
	generated []generated
}

// generated is what there is of one pool: moves or machines, and prices.
type generated struct {
	start    int
	moves    []move // after 0, before end
	machines []machineEvent
	prices   []series.Step // nano-USD per hour; the first at 0
}

// machineEvent says that a machine came or went.
type machineEvent struct {
	t  int64
	id int
	up bool
}

// later returns the next instant of a Poisson process after t; end if there is
// none before it.
func later(d sim.Rand, t, end int64, p sim.Purpose, entity, k uint64, perHour float64) int64 {
	us := math.Ceil(d.Exponential(p, entity, k) / perHour * series.HourUs)
	if !(us < float64(end-t)) {
		return end
	}
	return t + max(1, int64(us))
}

// set writes what was made in the neutral form.
func (m *making) set() *traces.Set {
	s := &traces.Set{Pools: make([]traces.Pool, len(m.pools))}
	ids := make([]int32, len(m.pools))
	for i, p := range m.pools {
		id := int32(i)
		ids[i] = id
		s.Pools[i] = p.pool(id)
		x := &m.generated[i]
		for _, price := range x.prices {
			s.Prices = append(s.Prices, traces.PriceRow{T: price.T, PoolID: id, Origin: traces.OriginDerived,
				PriceNanoUSD: int64(price.V), Currency: "USD"})
		}
		switch {
		case p.Machines:
			s.InstanceEvents = x.appendEvents(s.InstanceEvents, m.dice, p, id)
		case p.Cap > 0:
			s.Capacity = x.appendCounts(s.Capacity, p, id)
		}
	}
	series.Order(s.Prices, ids)
	series.Order(s.Capacity, ids)
	series.Order(s.InstanceEvents, ids)
	return s
}

// appendCounts writes the pool as counts. A fall and a rise at one instant are
// their sum.
func (x *generated) appendCounts(rows []traces.CapacityRow, p GeneratorPool, id int32) []traces.CapacityRow {
	if x.machines != nil {
		x.start, x.moves = movesOf(x.machines)
	}
	n := x.start
	add := func(t int64) {
		rows = append(rows, traces.CapacityRow{T: t, PoolID: id, Origin: traces.OriginDerived, Available: int32(n),
			Cap: int32(p.Cap), Censored: n == p.Cap})
	}
	add(0)
	for _, v := range x.moves {
		if v.came != v.gone {
			n += v.came - v.gone
			add(v.t)
		}
	}
	return rows
}

// movesOf counts machines; those at 0 are there at the start.
func movesOf(events []machineEvent) (start int, moves []move) {
	for _, e := range events {
		v := move{t: e.t}
		if e.up {
			v.came = 1
		} else {
			v.gone = 1
		}
		if n := len(moves); e.t == 0 {
			start += v.came - v.gone
		} else if n > 0 && moves[n-1].t == e.t {
			moves[n-1].came, moves[n-1].gone = moves[n-1].came+v.came, moves[n-1].gone+v.gone
		} else {
			moves = append(moves, v)
		}
	}
	return start, moves
}

// appendEvents writes the pool as machines.
func (x *generated) appendEvents(rows []traces.InstanceEventRow, dice sim.Rand, p GeneratorPool,
	id int32) []traces.InstanceEventRow {
	events := x.machines
	if events == nil {
		events = x.named(dice, sim.NameEntity(p.Name))
	}
	for _, e := range events {
		r := traces.InstanceEventRow{
			T: e.t, PoolID: id, Origin: traces.OriginDerived, InstanceID: "node" + strconv.Itoa(e.id),
			Kind: traces.KindPreempt, Reason: "unknown", Synthetic: true,
		}
		if e.up {
			r.Kind = traces.KindRunning
		}
		rows = append(rows, r)
	}
	return rows
}

// named turns moves into machines: who goes is drawn at random, any of those that were
// there before as likely as another.
func (x *generated) named(dice sim.Rand, entity uint64) []machineEvent {
	var out []machineEvent
	var there []int
	next, drawn := 1, uint64(0)
	come := func(t int64, n int) {
		for range n {
			there = append(there, next)
			out = append(out, machineEvent{t, next, true})
			next++
		}
	}
	come(0, x.start)
	for _, v := range x.moves {
		for range min(v.gone, len(there)) {
			i := dice.Intn(purposeVictim, entity, drawn, len(there))
			drawn++
			out = append(out, machineEvent{v.t, there[i], false})
			there[i] = there[len(there)-1]
			there = there[:len(there)-1]
		}
		come(v.t, v.came)
	}
	return out
}

// sortMachines puts events in order of time, then of machines; a machine comes
// before it goes.
func sortMachines(events []machineEvent) {
	slices.SortFunc(events, func(a, b machineEvent) int {
		if c := cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.id, b.id)); c != 0 || a.up == b.up {
			return c
		}
		if a.up {
			return -1
		}
		return 1
	})
}

// hoursUs returns hours in us, to the next whole one, at least 1; saturating.
func hoursUs(hours float64) int64 {
	us := math.Ceil(hours * series.HourUs)
	if !(us < math.MaxInt64/4) {
		return math.MaxInt64 / 4
	}
	return max(1, int64(us))
}

// newMaking begins a trace.
func newMaking(pools []GeneratorPool, seed uint64, end int64) *making {
	return &making{pools: pools, dice: sim.Rand{Seed: seed}, end: end, generated: make([]generated, len(pools))}
}

// priceGrain is the unit of synthetic prices, nano-USD: AWS prints six decimals.
const priceGrain = 1000

// grained rounds to the grain in which AWS prints prices, a millionth of a USD.
func grained(nano float64) float64 { return math.Round(nano/priceGrain) * priceGrain }
