package describe

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// maxSamples is how many samples are taken at most: a year of seconds.
const maxSamples = 1 << 25

// Sample returns how many machines there were in some pools together (of all,
// if none is named) at the start of the observation and at every interval from
// there, after what happened at that instant; NaN where it is not known of one of
// them: in gaps, before its first record, and at the very end unless something was
// recorded then. Pools without any counts are passed over; only such ones, an
// interval below 1 us or more than 2^25 samples are errors.
func Sample(s *traces.Set, interval time.Duration, pools ...int) ([]float64, error) {
	m := &s.Manifest
	every := interval.Microseconds()
	if every < 1 || (m.TEndUs-m.TStartUs)/every >= maxSamples {
		return nil, fmt.Errorf("an interval of %v in an observation of %v, expected at least 1 us and at most %d intervals",
			interval, time.Duration(m.TEndUs-m.TStartUs)*time.Microsecond, maxSamples)
	}
	n := len(s.Pools)
	if len(pools) == 0 {
		for i := range n {
			pools = append(pools, i)
		}
	}
	capacity, events := series.ByPool(s.Capacity, n), series.ByPool(s.InstanceEvents, n)
	probes := series.ByPool(s.Probes, n)
	gaps := series.GapsByPool(s.Gaps, n)
	out := make([]float64, (m.TEndUs-m.TStartUs)/every+1)
	counted := false
	for _, i := range pools {
		if steps, _ := series.CountSteps(capacity[i], events[i], probes[i]); len(steps) > 0 {
			counted = true
			addSamples(out, m, every, steps, gaps[i])
		}
	}
	if !counted {
		return nil, fmt.Errorf("%s has no counts of machines", m.TraceID)
	}
	if last := len(out) - 1; math.IsNaN(out[last]) && m.TStartUs+int64(last)*every == m.TEndUs {
		out = out[:last]
	}
	return out, nil
}

// addSamples adds what is known of one pool.
func addSamples(out []float64, m *traces.Manifest, every int64, steps []series.Step, gaps []traces.GapRow) {
	for k := range out {
		t := m.TStartUs + int64(k)*every
		for len(gaps) > 0 && gaps[0].TEnd <= t {
			gaps = gaps[1:]
		}
		i := series.At(steps, t)
		if i < 0 || t == m.TEndUs && steps[i].T < t || len(gaps) > 0 && gaps[0].TStart <= t {
			out[k] = math.NaN()
			continue
		}
		out[k] += steps[i].V
	}
}

// Observed is what was observed of one pool over time.
type Observed struct {
	Pool  int     // its number in the set
	Cap   int     // machines asked for; 0: not recorded
	Count []Piece // machines: of capacity rows, else of instance events, else of probes
	Price []Piece // USD per hour
}

// Piece is a span of a known, constant value. Between pieces nothing is known.
type Piece struct {
	From, To int64 // us UTC
	Value    float64
}

// Observe returns what was observed of each pool until the end of the
// observation, without the gaps.
func Observe(s *traces.Set) []Observed {
	n := len(s.Pools)
	prices, capacity, events, probes := series.ByPool(s.Prices, n), series.ByPool(s.Capacity, n),
		series.ByPool(s.InstanceEvents, n), series.ByPool(s.Probes, n)
	gaps := series.GapsByPool(s.Gaps, n)
	out := make([]Observed, n)
	for i := range out {
		o := &out[i]
		o.Pool = i
		var steps []series.Step
		steps, o.Cap = series.CountSteps(capacity[i], events[i], probes[i])
		o.Count = collect(steps, gaps[i], s.Manifest.TEndUs)
		o.Price = collect(series.PriceSteps(prices[i]), gaps[i], s.Manifest.TEndUs)
	}
	return out
}

// collect joins neighbours of one value.
func collect(steps []series.Step, gaps []traces.GapRow, end int64) []Piece {
	var out []Piece
	for p := range series.Pieces(steps, gaps, end) {
		if n := len(out) - 1; n >= 0 && out[n].To == p.From && out[n].Value == p.V {
			out[n].To = p.To
			continue
		}
		out = append(out, Piece{p.From, p.To, p.V})
	}
	return out
}
