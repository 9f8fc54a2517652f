package formulas

import (
	"cmp"
	"fmt"
)

// Payload returns what a compressor sends in place of each byte: between stages of a
// pipeline it is sent, not summed, so this share alone counts. hidden is the width of what
// is sent, numbers of n bytes.
func (c *Compressor) Payload(hidden int, bytesPerNumber float64) float64 {
	switch c.Kind {
	case AutoEncoder:
		return c.Size / float64(hidden)
	case TopK:
		return c.Size * (bytesPerNumber + indexBytes) / bytesPerNumber
	}
	return c.Size / (8 * bytesPerNumber)
}

// Coder returns the seconds that an encoder takes forward for n samples, and so does a
// decoder; each takes twice that backward. Only auto-encoders compute: the others are taken
// to cost nothing. flops is of one rank.
func (c *Compressor) Coder(samples, sequence, hidden int, flops float64) float64 {
	if c.Kind != AutoEncoder {
		return 0
	}
	return 2 * float64(samples) * float64(sequence) * float64(hidden) * c.Size / flops
}

// Compression is, in a spec, that ranks compress what they exchange. It is a formula and no
// measurement; accuracy is not in it.
type Compression struct {
	Speedup float64 `json:"speedup,omitempty" jsonschema:"of a measured throughput, and nothing else: how many times as fast it is with compression, assumed"`

	Kind     CompressionKind `json:"kind,omitempty" names:"autoencoder,topk,quantise" jsonschema:"of a computed throughput: autoencoder, topk or quantise"`
	Size     float64         `json:"size,omitempty" jsonschema:"width of the code (autoencoder), share of values that is kept, 0 to 1 (topk), or bits of a number (quantise)"`
	Hidden   int             `json:"hidden,omitempty" jsonschema:"width of what is exchanged: numbers of a token"`
	Sequence int             `json:"sequence,omitempty" jsonschema:"tokens of a sample"`
	TFLOPs   float64         `json:"tflop_per_s,omitempty" jsonschema:"speed of a rank, 1e12 operations per second"`
	Bytes    float64         `json:"bytes_per_number,omitempty" jsonschema:"2 (half precision) if absent"`

	Stages bool  `json:"stages,omitempty" jsonschema:"stages of a pipeline compress what they send"`
	Ranks  Ranks `json:"ranks,omitzero" jsonschema:"tensor-parallel ranks within an instance compress their all-reduces"`
}

// Ranks are the tensor-parallel ranks of an instance, whose layers were measured without
// compression.
type Ranks struct {
	Count      int     `json:"count" min:"2" jsonschema:"ranks, at least 2"`
	AllReduces int     `json:"all_reduces" jsonschema:"how many of the four of a layer are compressed: 2 (forward) or 4"`
	LinkGBPerS float64 `json:"link_gb_per_s" jsonschema:"link between ranks, 1e9 bytes per second"`
	LatencyS   float64 `json:"latency_s,omitempty" jsonschema:"of that link"`
	Recompute  bool    `json:"recompute,omitempty" jsonschema:"activations are computed again in the backward pass"`
}

// halfPrecision is bytes of a number where none are given.
const halfPrecision = 2

// BytesPerNumber returns those of the option.
func (o *Compression) BytesPerNumber() float64 { return cmp.Or(o.Bytes, halfPrecision) }

// Compressor returns the compressor of the option.
func (o *Compression) Compressor() Compressor {
	return Compressor{Kind: o.Kind, Size: o.Size, AllReduces: o.Ranks.AllReduces}
}

// Check says what is wrong with the option; computed says whether the throughput is
// computed from layers or was measured.
func (o *Compression) Check(computed bool) error {
	if !computed {
		alone := *o == Compression{Speedup: o.Speedup}
		if !alone || !(o.Speedup > 0 && o.Speedup <= 1e3) {
			return fmt.Errorf("of a measured throughput expected speedup alone, more than 0 and at most 1000: " +
				"nothing else can be computed")
		}
		return nil
	}
	compressor := o.Compressor()
	if err := compressor.check(); err != nil {
		return err
	}
	const largest = 1 << 24
	switch {
	case o.Speedup != 0:
		return fmt.Errorf("speedup %v, expected it of a measured throughput only", o.Speedup)
	case o.Kind == TopK && o.Size > 1:
		return fmt.Errorf("size %v, expected a share of the values, at most 1", o.Size)
	case o.Hidden < 1 || o.Hidden > largest || o.Sequence < 1 || o.Sequence > largest:
		return fmt.Errorf("hidden %d, sequence %d, expected 1 to %d", o.Hidden, o.Sequence, largest)
	case !(o.TFLOPs > 0 && o.TFLOPs <= 1e9) || !(o.BytesPerNumber() > 0 && o.BytesPerNumber() <= 64):
		return fmt.Errorf("tflop_per_s %v, bytes_per_number %v, expected more than 0, at most 1e9 and 64",
			o.TFLOPs, o.BytesPerNumber())
	case !o.Stages && o.Ranks == (Ranks{}):
		return fmt.Errorf("nothing is compressed, expected stages: true, or ranks, or both")
	}
	return nil
}

// WithinLayer returns how many times as fast a layer is for n samples whose ranks
// compress their all-reduces; 1 without ranks.
func (o *Compression) WithinLayer(samples int) (float64, error) {
	if o.Ranks == (Ranks{}) {
		return 1, nil
	}
	layer := Layer{
		Batch:          samples,
		Sequence:       o.Sequence,
		Hidden:         o.Hidden,
		Ranks:          o.Ranks.Count,
		FLOPs:          1e12 * o.TFLOPs,
		LatencyS:       o.Ranks.LatencyS,
		BytesPerS:      1e9 * o.Ranks.LinkGBPerS,
		BytesPerNumber: o.BytesPerNumber(),
		Recompute:      o.Ranks.Recompute,
	}
	times, err := layer.Times(o.Compressor())
	if err != nil {
		return 0, err
	}
	return times.Speedup(), nil
}
