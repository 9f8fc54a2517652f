package synth

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/internal/series"
)

// bulk is a bulk-preemption process with zone correlation. Each pool is a
// Markov chain in continuous time on the number of machines: from each level,
// losses and gains of n machines at m an hour. Fitted rates are
// moves per hour spent at the level, the maximum likelihood estimate. One move
// is added, from the last level of the trace to its first: then as many moves
// lead into each level as out of it, so that the chain spends at each level
// exactly the share of time, and makes each kind of move exactly as often, as
// the trace did (flows balance).
//
// Zones are correlated by common shocks (Marshall and Olkin, "A multivariate
// exponential distribution", JASA 62, 1967). Moves may happen at the ticks of
// three Poisson clocks, one of the world, one of the region and one of the
// pool's own, of the rates world_share, region_share and what is left of
// clock_per_hour. A tick carries a uniform number, the same for all who hear
// it: low ones are losses, the lowest the deepest; high ones are gains. Each
// pool alone is its chain, whatever the shares (uniformization); the shares
// only say how often pools move together. They are fitted to the correlations
// of availability by simulation.
//
// What it does not have: memory beyond the level (times at a level are
// exponential), hours of the day, and correlations that differ from pair to
// pair. Which machine of a level goes is drawn at random.
//
// So drop events come too evenly: their gaps differ from recorded ones by .18 to
// .30 (Kolmogorov's distance). In the V100 zones that is slow unrest: a clock
// that runs 2.4 times as fast for a third of the time, in spells of a day and the
// same for all pools, brings .30 to .07. In the other three traces it is how
// they were recorded, and no such clock brings more than .03: a third of the gaps
// are exactly one probing cycle of 35 min, one sample of 5 min, or 2 min. Hence
// the clock is even.
type bulk struct {
	ClockPerHour float64    `json:"clock_per_hour"`
	WorldShare   float64    `json:"world_share"`
	RegionShare  float64    `json:"region_share"`
	Chains       []chain    `json:"chains"`           // one each pool
	Prices       *priceWalk `json:"prices,omitempty"` // independent of the levels
}

// chain is one pool's levels; none: the pool has no machines.
type chain struct {
	Levels []level `json:"levels"`
}

// level is a number of machines, and the moves that lead away from it.
type level struct {
	Machines    int        `json:"machines"`
	ShareOfTime float64    `json:"share_of_time"` // 0 to 1
	Moves       []bulkMove `json:"moves"`
}

// bulkMove is a loss, a gain, or both at one instant.
type bulkMove struct {
	Gone    int     `json:"gone_machines"`
	Came    int     `json:"came_machines"`
	PerHour float64 `json:"per_hour"`
}

// warmUpUs is how long the chains run before time 0, so that they begin as
// correlated as they go on.
const warmUpUs = int64(96 * series.HourUs)

func (b *bulk) rate(pools []GeneratorPool) float64 {
	if b.Prices != nil {
		return b.ClockPerHour + b.Prices.rate(pools)
	}
	return b.ClockPerHour
}

func (b *bulk) check(pools []GeneratorPool) error {
	if !within(b.ClockPerHour, 0, 3600) || !within(b.WorldShare, 0, 1) || !within(b.RegionShare, 0, 1) ||
		b.WorldShare+b.RegionShare > 1+1e-9 {
		return fmt.Errorf("clock_per_hour %v, world_share %v, region_share %v, expected 0 to 3600, and shares "+
			"from 0, together at most 1", b.ClockPerHour, b.WorldShare, b.RegionShare)
	}
	if err := each("chains", len(b.Chains), pools); err != nil {
		return err
	}
	for i, c := range b.Chains {
		if err := c.check(pools[i].Cap, b.ClockPerHour); err != nil {
			return fmt.Errorf("chains[%d] (%s): %w", i, pools[i].Name, err)
		}
	}
	if b.Prices != nil {
		return b.Prices.check(pools)
	}
	return nil
}

func (c *chain) check(limit int, clock float64) error {
	for i, l := range c.Levels {
		if l.Machines < 0 || l.Machines > limit || i > 0 && l.Machines <= c.Levels[i-1].Machines {
			return fmt.Errorf("levels[%d]: %d machines, expected 0 to %d, ascending", i, l.Machines, limit)
		}
		if !within(l.ShareOfTime, 0, 1) {
			return fmt.Errorf("levels[%d]: share_of_time %v, expected 0 to 1", i, l.ShareOfTime)
		}
		sum := 0.0
		for _, m := range l.Moves {
			if m.Gone < 0 || m.Came < 0 || m.Gone > l.Machines || m.Came > limit || m.Gone+m.Came == 0 ||
				!within(m.PerHour, 0, 3600) {
				return fmt.Errorf("levels[%d]: move of %d gone, %d come, %v an hour, expected a move, at most %d gone, "+
					"at most %d come, 0 to 3600", i, m.Gone, m.Came, m.PerHour, l.Machines, limit)
			}
			if c.at(l.Machines-m.Gone+m.Came) < 0 {
				return fmt.Errorf("levels[%d]: move to %d machines, expected one of the levels", i, l.Machines-m.Gone+m.Came)
			}
			sum += m.PerHour
		}
		if sum > clock*(1+1e-9) {
			return fmt.Errorf("levels[%d]: %v moves an hour, expected at most clock_per_hour, %v", i, sum, clock)
		}
	}
	return nil
}

// at returns the index of a level, -1 if there is none.
func (c *chain) at(machines int) int {
	i, found := slices.BinarySearchFunc(c.Levels, machines, func(l level, n int) int { return cmp.Compare(l.Machines, n) })
	if !found {
		return -1
	}
	return i
}

// tick is one of a clock's.
type tick struct {
	t int64
	u float64
}

func (b *bulk) make(m *making) {
	world := m.ticks(0, b.ClockPerHour*b.WorldShare)
	regions := map[string][]tick{}
	for i, p := range m.pools {
		if len(b.Chains[i].Levels) == 0 {
			continue
		}
		if _, heard := regions[p.Region]; !heard && p.Region != "" {
			regions[p.Region] = m.ticks(sim.NameEntity(p.Region), b.ClockPerHour*b.RegionShare)
		}
		own := 1 - b.WorldShare - b.RegionShare
		if p.Region == "" {
			own = 1 - b.WorldShare
		}
		id := sim.NameEntity(p.Name)
		alone := m.ticks(id, b.ClockPerHour*max(0, own))
		b.Chains[i].walk(m, i, id, b.ClockPerHour, merge(merge(world, regions[p.Region]), alone))
	}
	if b.Prices != nil {
		b.Prices.make(m)
	}
}

// ticks returns the ticks of a clock from the warm-up to the end.
func (m *making) ticks(entity uint64, perHour float64) []tick {
	var out []tick
	for t, k := -warmUpUs, uint64(0); ; k++ {
		if t = later(m.dice, t, m.end, purposeClock, entity, k, perHour); t >= m.end {
			return out
		}
		out = append(out, tick{t, m.dice.Uniform(purposeMark, entity, k)})
	}
}

// merge merges two clocks; at one instant the first goes first.
func merge(a, b []tick) []tick {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	out := make([]tick, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].t <= b[0].t {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// walk makes a pool's moves.
func (c *chain) walk(m *making, pool int, id uint64, clock float64, ticks []tick) {
	table, x := c.table(clock), &m.generated[pool]
	at := c.begin(m.dice.Uniform(purposeBegin, id, 0))
	x.start = c.Levels[at].Machines
	for _, tick := range ticks {
		s := table[at].at(tick.u)
		if s == nil {
			continue
		}
		at = s.to
		if tick.t <= 0 {
			x.start = c.Levels[at].Machines
		} else if n := len(x.moves); n > 0 && x.moves[n-1].t == tick.t {
			x.moves[n-1].gone, x.moves[n-1].came = x.moves[n-1].gone+s.gone, x.moves[n-1].came+s.came
		} else {
			x.moves = append(x.moves, move{tick.t, s.gone, s.came})
		}
	}
}

// begin returns the level for a uniform number.
func (c *chain) begin(u float64) int {
	for i, l := range c.Levels {
		if u -= l.ShareOfTime; u < 0 {
			return i
		}
	}
	return len(c.Levels) - 1
}

// exits are the moves from one level by the uniform number of a tick: below
// low[i].until for the losses, above 1-high[i].until for the gains.
type exits struct{ low, high []exit }

type exit struct {
	until          float64
	to, gone, came int
}

func (e *exits) at(u float64) *exit {
	for i := range e.low {
		if u < e.low[i].until {
			return &e.low[i]
		}
	}
	for i := range e.high {
		if 1-u <= e.high[i].until {
			return &e.high[i]
		}
	}
	return nil
}

// table lays a chain out: deepest losses first, highest gains first.
func (c *chain) table(clock float64) []exits {
	out := make([]exits, len(c.Levels))
	for i, l := range c.Levels {
		moves := slices.Clone(l.Moves)
		slices.SortStableFunc(moves, func(a, b bulkMove) int {
			return cmp.Or(cmp.Compare(a.Came-a.Gone, b.Came-b.Gone), cmp.Compare(a.Gone, b.Gone))
		})
		low, high := 0.0, 0.0
		for _, m := range moves {
			if m.Came <= m.Gone {
				low += m.PerHour / clock
				out[i].low = append(out[i].low, exit{low, c.at(l.Machines - m.Gone + m.Came), m.Gone, m.Came})
			}
		}
		for _, m := range slices.Backward(moves) {
			if m.Came > m.Gone {
				high += m.PerHour / clock
				out[i].high = append(out[i].high, exit{high, c.at(l.Machines - m.Gone + m.Came), m.Gone, m.Came})
			}
		}
	}
	return out
}
