package describe

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

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
	prices := series.ByPool(s.Prices, n)
	capacity := series.ByPool(s.Capacity, n)
	events := series.ByPool(s.InstanceEvents, n)
	probes := series.ByPool(s.Probes, n)
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
