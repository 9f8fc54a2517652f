package compression

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
	sizes := min(l.Batch, l.Sequence, l.Hidden) >= 1 && max(l.Batch, l.Sequence, l.Hidden) <= largest
	ranks := l.Ranks >= 2 && l.Ranks <= largest
	rates := l.FLOPs > 0 && l.LatencyS >= 0 && l.BytesPerS > 0 && l.BytesPerNumber > 0
	if !sizes || !ranks || !rates {
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

// Times returns the seconds of a layer with a compressor, where b, s and h are the samples, the tokens of each and the
// width. An error says what is no layer or no compressor.
func (l *Layer) Times(c Compressor) (Times, error) {
	if err := l.Check(); err != nil {
		return Times{}, err
	}
	if err := c.check(); err != nil {
		return Times{}, err
	}
	b := float64(l.Batch)
	s := float64(l.Sequence)
	h := float64(l.Hidden)
	square := 72.0 // operations forward and backward, by b s h h
	linear := 12.0 // by b s s h
	if l.Recompute {
		square = 96
		linear = 16
	}
	var times Times
	times.Compute = (square*b*s*h*h + linear*b*s*s*h) / (float64(l.Ranks) * l.FLOPs)
	whole := l.ring(b * s * h * l.BytesPerNumber)
	times.Exchange = allReduces * whole

	var part float64 // the seconds of an all-reduce that is compressed
	switch c.Kind {
	case AutoEncoder: // at two points 4 b s h e forward and 8 backward, on every rank
		part = l.ring(b * s * c.Size * l.BytesPerNumber)
		times.Overhead = 24 * b * s * h * c.Size / l.FLOPs
	case TopK:
		part = l.gather(c.Size * b * s * h * (l.BytesPerNumber + indexBytes))
	case Quantise:
		part = l.gather(b * s * h * c.Size / 8)
	default:
		return Times{}, fmt.Errorf("compressor %q, expected one of %v", c.Kind, Kinds())
	}
	compressed := float64(c.AllReduces)
	times.Compressed = (allReduces-compressed)*whole + compressed*part
	return times, nil
}

// ring returns the seconds of an all-reduce of so many bytes.
func (l *Layer) ring(bytes float64) float64 {
	ranks := float64(l.Ranks)
	return 2*(ranks-1)*l.LatencyS + 2*(ranks-1)/ranks*bytes/l.BytesPerS
}

// gather returns the seconds in which every rank gets so many bytes of every other.
func (l *Layer) gather(bytes float64) float64 {
	ranks := float64(l.Ranks)
	return (ranks-1)*l.LatencyS + (ranks-1)*bytes/l.BytesPerS
}

// payload returns what a compressor that is gathered sends in place of each byte, of numbers of n bytes.
func (c *Compressor) payload(bytesPerNumber float64) float64 {
	if c.Kind == TopK {
		return c.Size * (bytesPerNumber + indexBytes) / bytesPerNumber
	}
	return c.Size / (8 * bytesPerNumber)
}
