package formulas

import "fmt"

// Layer is one layer of a transformer on some ranks, and the link between them.
type Layer struct {
	Batch, Sequence, Hidden int     // samples, tokens, width
	Ranks                   int     // at least 2
	FLOPs                   float64 // per second, of a rank
	LatencyS                float64 // of the link
	BytesPerS               float64 // of the link
	BytesPerNumber          float64 // 2 for half precision
	Recompute               bool    // activations are computed again in the backward pass
}

// Compressor is a way to compress.
type Compressor struct {
	Kind CompressionKind
	// Size is the width of the code (AutoEncoder), the share of the values that is kept
	// (TopK) or the bits of a number (Quantise).
	Size float64
	// AllReduces is how many of the four of a layer are compressed: 2 (forward) or 4.
	AllReduces int
}

// CompressionKind is a family of compressors.
type CompressionKind string

// The kinds. What an auto-encoder makes can be summed; the others' has to be gathered.
const (
	AutoEncoder CompressionKind = "autoencoder"
	TopK        CompressionKind = "topk"
	Quantise    CompressionKind = "quantise"
)

// Kinds returns all kinds.
func Kinds() []CompressionKind { return []CompressionKind{AutoEncoder, TopK, Quantise} }

// Times are the seconds of a layer, forward and backward.
type Times struct {
	Compute, Exchange    float64 // without compression
	Overhead, Compressed float64 // encoding and decoding; the exchange with compression
}

// Speedup returns how many times as fast the layer is with compression.
func (t *Times) Speedup() float64 {
	return (t.Compute + t.Exchange) / (t.Compute + t.Overhead + t.Compressed)
}

// indexBytes is the size of the index of a value that is kept.
const indexBytes = 4

// allReduces is how many a layer has, forward and backward.
const allReduces = 4

// Check says what is no layer.
func (l *Layer) Check() error {
	const largest = 1 << 24
	if l.Batch < 1 || l.Sequence < 1 || l.Hidden < 1 || l.Batch > largest || l.Sequence > largest || l.Hidden > largest || l.Ranks < 2 || l.Ranks > largest ||
		!(l.FLOPs > 0) || !(l.LatencyS >= 0) || !(l.BytesPerS > 0) || !(l.BytesPerNumber > 0) {
		return fmt.Errorf("layer %+v, expected at least 1 sample, token and width, 2 ranks, and rates above 0", *l)
	}
	return nil
}

func (c *Compressor) check() error {
	if !(c.Size > 0) || c.AllReduces < 0 || c.AllReduces > allReduces {
		return fmt.Errorf("compressor %+v, expected a size above 0 and 0 to %d all-reduces", *c, allReduces)
	}
	return nil
}

// Times returns the seconds of a layer with a compressor. An error says what is no layer
// or no compressor.
func (l *Layer) Times(c Compressor) (Times, error) {
	if err := l.Check(); err != nil {
		return Times{}, err
	}
	if err := c.check(); err != nil {
		return Times{}, err
	}
	b, s, h := float64(l.Batch), float64(l.Sequence), float64(l.Hidden)
	square, linear := 72.0, 12.0 // forward and backward; with the forward pass again 96 and 16
	if l.Recompute {
		square, linear = 96, 16
	}
	whole := l.ring(b * s * h * l.BytesPerNumber)
	t := Times{Compute: (square*b*s*h*h + linear*b*s*s*h) / (float64(l.Ranks) * l.FLOPs), Exchange: allReduces * whole}
	var part float64
	switch c.Kind {
	case AutoEncoder: // at two points 4 b s h e forward and 8 backward, on every rank
		part, t.Overhead = l.ring(b*s*c.Size*l.BytesPerNumber), 24*b*s*h*c.Size/l.FLOPs
	case TopK:
		part = l.gather(c.Size * b * s * h * (l.BytesPerNumber + indexBytes))
	case Quantise:
		part = l.gather(b * s * h * c.Size / 8)
	default:
		return Times{}, fmt.Errorf("compressor %q, expected one of %v", c.Kind, Kinds())
	}
	n := float64(c.AllReduces)
	t.Compressed = (allReduces-n)*whole + n*part
	return t, nil
}

// ring returns the seconds of an all-reduce of n bytes.
func (l *Layer) ring(bytes float64) float64 {
	n := float64(l.Ranks)
	return 2*(n-1)*l.LatencyS + 2*(n-1)/n*bytes/l.BytesPerS
}

// gather returns the seconds in which every rank gets n bytes of every other.
func (l *Layer) gather(bytes float64) float64 {
	n := float64(l.Ranks)
	return (n-1)*l.LatencyS + (n-1)*bytes/l.BytesPerS
}
