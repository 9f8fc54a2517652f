package formulas

// Widths are those of MCBench's grid, 1024 to 25600.
func Widths() []int {
	return []int{1024, 2304, 3072, 4096, 6144, 8192, 10240, 12288, 16384, 20480, 25600}
}

// ByWidth returns the speed-up of a layer at each width: compute grows with the square of
// the width, exchange and overhead with the width, so the gain fades.
func (l Layer) ByWidth(c Compressor, widths []int) ([]float64, error) {
	var out []float64
	for _, h := range widths {
		l.Hidden = h
		t, err := l.Times(c)
		if err != nil {
			return nil, err
		}
		out = append(out, t.Speedup())
	}
	return out, nil
}

// Gathered returns the bytes that pass a link where a share of the payload is gathered by so
// many ranks, over those of an all-reduce of the whole: share ranks/2. It is above 1, and
// compression loses, as soon as the share is above 2/ranks.
func Gathered(share float64, ranks int) float64 { return share * float64(ranks) / 2 }

// CompressionStage is one stage of a pipeline whose neighbours are on other nodes.
type CompressionStage struct {
	Layer     Layer
	Layers    int     // of the stage
	BytesPerS float64 // of the link between nodes
}

// Speedup returns how many times as fast a micro-batch passes the stage whose payload is
// compressed: sent on and its gradient back, neither hidden behind compute. An error says
// what is no layer or no compressor.
func (s *CompressionStage) Speedup(c Compressor) (float64, error) {
	l := &s.Layer
	t, err := l.Times(Compressor{Kind: c.Kind, Size: c.Size}) // none of its all-reduces
	if err != nil {
		return 0, err
	}
	send := float64(l.Batch) * float64(l.Sequence) * float64(l.Hidden) * l.BytesPerNumber / s.BytesPerS
	coder := c.Coder(l.Batch, l.Sequence, l.Hidden, l.FLOPs)
	work := float64(s.Layers) * (t.Compute + t.Exchange)
	const coders, passes = 2, 3 // encode and decode; forward once and backward twice
	return (work + 2*send) / (work + 2*send*c.Payload(l.Hidden, l.BytesPerNumber) + coders*passes*coder), nil
}
