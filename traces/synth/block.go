package synth

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/internal/series"
)

// blockBootstrap strings together blocks of a recorded trace, each from a
// random instant of it on, the trace closed to a circle (Politis and Romano,
// "A circular block-resampling procedure for stationary data", 1992). Within a
// block everything is as recorded: bulks, prices, correlations of all pools,
// which are cut at the same instants. At each joint the pool jumps to the
// block's state: losses, gains and steps of price that were not recorded, those
// of price larger than most. The longer the blocks, the fewer of them, and the
// fewer different traces.
//
// Where the files of a trace do not say when they begin, pools are cut each
// by itself, and are independent. It holds the trace itself: its licence
// applies.
type blockBootstrap struct {
	BlockHours float64   `json:"block_h"`
	Together   bool      `json:"pools_cut_together"`
	Tracks     []blocked `json:"tracks"` // one each pool
}

// blocked is one pool's record; times are us since it begins.
type blocked struct {
	SpanUs int64      `json:"span_us"` // its length; 0: no record
	Start  int        `json:"start_machines"`
	Moves  [][3]int64 `json:"moves_us_gone_came,omitempty"`
	Prices [][2]int64 `json:"prices_us_nanousd_per_h,omitempty"` // the first at 0
}

var blockEntry = modelEntry{
	name: "block", what: "block bootstrap: a recorded trace in another order",
	blank: func() Model { return new(blockBootstrap) },
	fit:   fitBlock,
}

const (
	defaultBlock = 24 * time.Hour
	minTrackUs   = int64(60e6) // the shortest record
)

func (b *blockBootstrap) rate([]GeneratorPool) float64 {
	largest := 0.0
	for _, t := range b.Tracks {
		if t.SpanUs > 0 {
			largest = max(largest, float64(2+len(t.Moves)+len(t.Prices))/(float64(t.SpanUs)/series.HourUs))
		}
	}
	return largest + 2/b.BlockHours
}

func (b *blockBootstrap) check(pools []GeneratorPool) error {
	if !within(b.BlockHours, 1./60, describe.MaxLifetimeHours) {
		return fmt.Errorf("block_h %v, expected a minute to %d h", b.BlockHours, describe.MaxLifetimeHours)
	}
	if err := each("tracks", len(b.Tracks), pools); err != nil {
		return err
	}
	span := int64(0)
	for i, t := range b.Tracks {
		if err := t.check(pools[i].Cap); err != nil {
			return fmt.Errorf("tracks[%d] (%s): %w", i, pools[i].Name, err)
		}
		if b.Together && t.SpanUs > 0 && span > 0 && t.SpanUs != span {
			return fmt.Errorf("tracks[%d]: span_us %d, expected %d as of the others: they are cut together", i, t.SpanUs, span)
		}
		span = max(span, t.SpanUs)
	}
	return nil
}

func (t *blocked) check(limit int) error {
	if t.SpanUs != 0 && t.SpanUs < minTrackUs || t.SpanUs > traces.MaxInstant || t.Start < 0 || t.Start > limit {
		return fmt.Errorf("span_us %d, start %d, expected 0 or %d to %d, 0 to %d", t.SpanUs, t.Start, minTrackUs,
			traces.MaxInstant, limit)
	}
	n, last := int64(t.Start), int64(0)
	for i, m := range t.Moves {
		if m[0] <= last && i > 0 || m[0] < 0 || m[0] >= t.SpanUs || m[1] < 0 || m[2] < 0 || m[1] > int64(limit) ||
			m[2] > int64(limit) {
			return fmt.Errorf("move %d: %v, expected ascending instants before %d, and at most %d machines", i, m, t.SpanUs,
				limit)
		}
		if n, last = n+m[2]-m[1], m[0]; n < 0 || n > int64(limit) {
			return fmt.Errorf("move %d: leaves %d machines, expected 0 to %d", i, n, limit)
		}
	}
	for i, p := range t.Prices {
		if i == 0 && p[0] != 0 || i > 0 && p[0] <= t.Prices[i-1][0] || p[0] >= t.SpanUs || p[1] < 0 ||
			p[1] > traces.MaxPriceNano {
			return fmt.Errorf("price %d: %v, expected instants from 0, ascending, before %d, and 0 to %d nano-USD/h", i, p,
				t.SpanUs, int64(traces.MaxPriceNano))
		}
	}
	return nil
}

func (b *blockBootstrap) make(m *making) {
	length := hoursUs(b.BlockHours)
	for i := range b.Tracks {
		t := &b.Tracks[i]
		if t.SpanUs == 0 {
			continue
		}
		id := uint64(0)
		if !b.Together {
			id = sim.NameEntity(m.pools[i].Name)
		}
		w := blockWriter{x: &m.generated[i], track: t}
		w.number()
		for at, k := int64(0), uint64(0); at < m.end; k++ {
			from := int64(m.dice.Uniform(purposeBlock, id, k) * float64(t.SpanUs))
			for left := min(length, m.end-at); left > 0; from = 0 { // around the circle
				n := min(left, t.SpanUs-from)
				w.copy(at, from, from+n)
				at, left = at+n, left-n
			}
		}
	}
}

// blockWriter writes a pool, block by block.
type blockWriter struct {
	x      *generated
	track  *blocked
	levels []int // after each move
	n      int   // machines now
}

func (w *blockWriter) number() {
	n := w.track.Start
	for _, m := range w.track.Moves {
		n += int(m[2] - m[1])
		w.levels = append(w.levels, n)
	}
}

// copy writes the record from one instant until another, at an instant.
func (w *blockWriter) copy(at, from, until int64) {
	i, found := slices.BinarySearchFunc(w.track.Moves, from,
		func(m [3]int64, t int64) int { return int(min(1, max(-1, m[0]-t))) })
	if found {
		i++
	}
	n := w.track.Start
	if i > 0 {
		n = w.levels[i-1]
	}
	w.jump(at, n)
	for ; i < len(w.track.Moves) && w.track.Moves[i][0] < until; i++ {
		m := w.track.Moves[i]
		w.x.moves = append(w.x.moves, move{at + m[0] - from, int(m[1]), int(m[2])})
		w.n = w.levels[i]
	}
	w.copyPrices(at, from, until)
}

// jump goes to a block's state.
func (w *blockWriter) jump(at int64, n int) {
	if at == 0 {
		w.x.start = n
	} else if n != w.n {
		w.x.moves = append(w.x.moves, move{at, max(0, w.n-n), max(0, n-w.n)})
	}
	w.n = n
}

func (w *blockWriter) copyPrices(at, from, until int64) {
	prices := w.track.Prices
	if len(prices) == 0 {
		return
	}
	i, found := slices.BinarySearchFunc(prices, from,
		func(p [2]int64, t int64) int { return int(min(1, max(-1, p[0]-t))) })
	if !found {
		i--
	}
	for first := true; i < len(prices) && prices[i][0] < until; i++ {
		t, v := at+max(0, prices[i][0]-from), float64(prices[i][1])
		if n := len(w.x.prices); !first || n == 0 || w.x.prices[n-1].V != v {
			w.x.prices = append(w.x.prices, series.Step{T: t, V: v})
		}
		first = false
	}
}

func fitBlock(h *trace, opt FitOptions) (Model, error) {
	b := &blockBootstrap{BlockHours: defaultBlock.Hours(), Together: h.set.Manifest.Aligned(),
		Tracks: make([]blocked, len(h.courses))}
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	for i := range h.courses {
		if start, end, ok := h.known(i); ok {
			from, to = max(from, start), min(to, end)
		}
	}
	if b.Together && from >= to {
		return nil, fmt.Errorf("there is no time at which all %d pools were observed, expected one", len(h.courses))
	}
	for i := range h.courses {
		start, end, ok := h.known(i)
		if !ok {
			continue
		}
		if b.Together {
			start, end = from, to
		}
		b.Tracks[i] = h.blocked(i, start, end)
		b.BlockHours = min(b.BlockHours, float64(end-start)/series.HourUs/4)
	}
	if opt.Block > 0 {
		b.BlockHours = opt.Block.Hours()
	}
	return b, nil
}

// known returns when a pool was observed.
func (h *trace) known(pool int) (start, end int64, ok bool) {
	c := &h.courses[pool]
	counted, priced := len(c.spans) > 0, len(h.prices[pool]) > 0
	switch {
	case counted && priced:
		return max(c.from, h.prices[pool][0].T), c.to, c.to > max(c.from, h.prices[pool][0].T)
	case counted:
		return c.from, c.to, c.to > c.from
	case priced:
		start, end = h.prices[pool][0].T, h.set.Manifest.TEndUs
	}
	return start, end, end > start
}

// blocked returns the record of a pool over a window.
func (h *trace) blocked(pool int, from, to int64) blocked {
	c := &h.courses[pool]
	t := blocked{SpanUs: to - from, Start: c.start}
	for _, m := range c.moves {
		switch {
		case m.t <= from:
			t.Start += m.came - m.gone
		case m.t < to:
			t.Moves = append(t.Moves, [3]int64{m.t - from, int64(m.gone), int64(m.came)})
		}
	}
	for _, p := range h.prices[pool] {
		switch row := [2]int64{max(0, p.T-from), int64(p.V)}; {
		case p.T >= to:
		case len(t.Prices) == 1 && row[0] == 0:
			t.Prices[0] = row
		default:
			t.Prices = append(t.Prices, row)
		}
	}
	return t
}
