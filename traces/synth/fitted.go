package synth

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/internal/series"
)

// move is what happens to one pool at an instant: machines go, machines come.
type move struct {
	t          int64 // us
	gone, came int
}

// course is how many machines a pool has over time.
type course struct {
	from, to int64 // us: when it was observed; from == to: not at all
	start    int   // machines at from
	moves    []move
	spans    []series.Piece // known, of constant count
	top      int            // the most that were asked for, or seen
}

// trace is a set as generators see it, by pool.
type trace struct {
	set       *traces.Set
	courses   []course
	prices    [][]series.Step // changes only; nano-USD per hour
	priced    [][]series.Piece
	lifetimes [][]describe.Lifetime

	capped     bool                // there are counts, which say how many machines were asked for
	correlated describe.Statistics // the correlations of its pools, if measured
}

func newTrace(s *traces.Set) *trace {
	n := len(s.Pools)
	h := &trace{set: s, courses: make([]course, n), prices: make([][]series.Step, n), priced: make([][]series.Piece, n),
		lifetimes: make([][]describe.Lifetime, n), capped: len(s.Capacity) > 0}
	prices, capacity, events := series.ByPool(s.Prices, n), series.ByPool(s.Capacity, n),
		series.ByPool(s.InstanceEvents, n)
	gaps := series.GapsByPool(s.Gaps, n)
	until := series.Ends(s)
	probes := series.ByPool(s.Probes, n)
	for i := range h.courses {
		c := &h.courses[i]
		steps := series.CapacitySteps(capacity[i])
		if len(steps) > 0 {
			c.readCounts(steps)
		} else {
			steps = series.EventSteps(events[i])
			largest, _ := series.CountSteps(nil, nil, probes[i])
			if len(steps) > 0 {
				largest = steps
			}
			for _, x := range largest {
				c.top = max(c.top, int(x.V))
			}
			c.readEvents(events[i])
		}
		for k := range capacity[i] {
			c.top = max(c.top, int(capacity[i][k].Cap))
		}
		c.to = max(c.from, until[i])
		c.spans = slices.Collect(series.Pieces(steps, gaps[i], s.Manifest.TEndUs))
		h.lifetimes[i], _ = describe.PoolLifetimes(events[i], gaps[i], until[i])
		all := nanoSteps(prices[i])
		h.prices[i] = series.Changes(all)
		h.priced[i] = slices.Collect(series.Pieces(all, gaps[i], s.Manifest.TEndUs))
	}
	return h
}

func nanoSteps(rows []traces.PriceRow) []series.Step {
	steps := make([]series.Step, len(rows))
	for i, r := range rows {
		steps[i] = series.Step{T: r.T, V: float64(r.PriceNanoUSD)}
	}
	return steps
}

// readCounts takes the moves from counts; the last count of an instant holds.
func (c *course) readCounts(steps []series.Step) {
	c.from, c.start = steps[0].T, int(steps[0].V)
	n := c.start
	for i, s := range steps {
		if i+1 < len(steps) && steps[i+1].T == s.T {
			continue
		}
		if d := int(s.V) - n; d != 0 && s.T == c.from {
			c.start = int(s.V)
		} else if d != 0 {
			c.moves = append(c.moves, move{s.T, max(-d, 0), max(d, 0)})
		}
		n = int(s.V)
	}
}

// readEvents takes the moves from machines. Machines that come and go at one
// instant do neither.
func (c *course) readEvents(rows []traces.InstanceEventRow) {
	up := map[string]bool{}
	n := 0
	for i := 0; i < len(rows); {
		first := i == 0
		m := move{t: rows[i].T}
		for ; i < len(rows) && rows[i].T == m.t; i++ {
			switch id := rows[i].InstanceID; {
			case rows[i].Comes() && !up[id]:
				up[id] = true
				m.came++
			case rows[i].Goes() && up[id]:
				delete(up, id)
				m.gone++
			}
		}
		n = c.see(m, n, first)
	}
}

// see adds what happens at an instant, at the first of which the pool is observed, when there are n machines; it returns how many
// there are then.
func (c *course) see(m move, n int, first bool) int {
	both := min(m.came, max(0, m.gone-n))
	m.gone, m.came = m.gone-both, m.came-both
	n += m.came - m.gone
	if first {
		c.from, c.start = m.t, n
	} else if m.gone+m.came > 0 {
		c.moves = append(c.moves, m)
	}
	return n
}

// hours returns for how long the count was known.
func (c *course) hours() float64 {
	sum := 0.0
	for _, p := range c.spans {
		sum += p.Hours()
	}
	return sum
}

// machineHours returns the machine-hours while the count was known.
func (c *course) machineHours() float64 {
	sum := 0.0
	for _, p := range c.spans {
		sum += p.V * p.Hours()
	}
	return sum
}

// lost returns the drop events and the machines that they take.
func (c *course) lost() (events, machines int) {
	for _, m := range c.moves {
		if m.gone > 0 {
			events, machines = events+1, machines+m.gone
		}
	}
	return events, machines
}

// span returns how long the set was observed, us.
func (h *trace) span() int64 { return h.set.Manifest.TEndUs - h.set.Manifest.TStartUs }

// counted reports whether any pool has machines.
func (h *trace) counted() bool {
	return slices.ContainsFunc(h.courses, func(c course) bool { return len(c.spans) > 0 })
}

func (h *trace) hasPrices() bool {
	return slices.ContainsFunc(h.prices, func(p []series.Step) bool { return len(p) > 0 })
}

// setDigest returns the SHA-256 of what the pools, prices, counts, machines and
// gaps of a set say, in hexadecimal.
func setDigest(s *traces.Set) string {
	h := sha256.New()
	number := func(values ...int64) {
		var b [8]byte
		for _, v := range values {
			binary.LittleEndian.PutUint64(b[:], uint64(v))
			h.Write(b[:])
		}
	}
	number(s.Manifest.TStartUs, s.Manifest.TEndUs, int64(len(s.Pools)), int64(len(s.Prices)), int64(len(s.Capacity)),
		int64(len(s.InstanceEvents)), int64(len(s.Gaps)))
	for _, p := range s.Pools {
		text(h, p.Name, p.Region)
	}
	for _, r := range s.Prices {
		number(r.T, int64(r.PoolID), r.PriceNanoUSD)
	}
	for _, r := range s.Capacity {
		number(r.T, int64(r.PoolID), int64(r.Available), int64(r.Cap))
	}
	for _, r := range s.InstanceEvents {
		number(r.T, int64(r.PoolID))
		text(h, r.InstanceID, r.Kind, r.Reason)
	}
	for _, g := range s.Gaps {
		number(int64(g.PoolID), g.TStart, g.TEnd)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func text(h hash.Hash, values ...string) {
	for _, v := range values {
		h.Write([]byte(v))
		h.Write([]byte{0})
	}
}
