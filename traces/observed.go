package traces

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
func Observe(s *Set) []Observed {
	n := len(s.Pools)
	prices, capacity, events, probes := byPool(s.Prices, n), byPool(s.Capacity, n), byPool(s.InstanceEvents, n), byPool(s.Probes, n)
	gaps := gapsByPool(s.Gaps, n)
	out := make([]Observed, n)
	for i := range out {
		o := &out[i]
		o.Pool = i
		var steps []step
		steps, o.Cap = countSteps(capacity[i], events[i], probes[i])
		o.Count = collect(steps, gaps[i], s.Manifest.TEndUs)
		o.Price = collect(priceSteps(prices[i]), gaps[i], s.Manifest.TEndUs)
	}
	return out
}

// collect joins neighbours of one value.
func collect(steps []step, gaps []GapRow, end int64) []Piece {
	var out []Piece
	for p := range pieces(steps, gaps, end) {
		if n := len(out) - 1; n >= 0 && out[n].To == p.from && out[n].Value == p.v {
			out[n].To = p.to
			continue
		}
		out = append(out, Piece{p.from, p.to, p.v})
	}
	return out
}
