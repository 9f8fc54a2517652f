package pipeline

import (
	"io"
	"time"

	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/units"
)

// Layer is one layer of a network, measured with one micro-batch on one
// instance.
type Layer struct {
	Name              string
	Forward, Backward time.Duration
	WeightBytes       float64
	ActivationBytes   float64 // kept from the forward for the backward pass
	OutputBytes       float64 // handed to the next layer, and its gradient back
}

// OpenLayers reads a file of layers; see ReadLayers.
func OpenLayers(path string) ([]Layer, error) { return csvtext.Open(path, ReadLayers) }

// ReadLayers reads a CSV table with the columns layer, forward_s, backward_s,
// weight_bytes, activation_bytes and output_bytes, a row a layer in their order.
// name is for its errors, which give line, column, value and what was expected.
func ReadLayers(name string, r io.Reader) ([]Layer, error) {
	t, err := csvtext.Read(name, r, "layer", "forward_s", "backward_s", "weight_bytes", "activation_bytes", "output_bytes")
	if err != nil {
		return nil, err
	}
	out := make([]Layer, len(t.Rows))
	for i := range out {
		l := &out[i]
		var forward, backward float64
		for _, c := range []struct {
			name     string
			min, max float64
			into     *float64
		}{
			{"forward_s", 1e-9, 1e4, &forward},
			{"backward_s", 1e-9, 1e4, &backward},
			{"weight_bytes", 0, 1e15, &l.WeightBytes},
			{"activation_bytes", 0, 1e15, &l.ActivationBytes},
			{"output_bytes", 0, 1e15, &l.OutputBytes},
		} {
			if *c.into, err = t.Number(i, c.name, c.min, c.max); err != nil {
				return nil, err
			}
		}
		if l.Name = t.Text(i, "layer"); l.Name == "" {
			return nil, t.Errorf(i, "layer", "%q, expected a name", "")
		}
		l.Forward, l.Backward = units.Seconds(forward), units.Seconds(backward)
	}
	return out, nil
}

// join returns two stages that follow one another as one.
func join(a, b Layer) Layer {
	return Layer{b.Name, a.Forward + b.Forward, a.Backward + b.Backward, a.WeightBytes + b.WeightBytes,
		a.ActivationBytes + b.ActivationBytes, b.OutputBytes}
}
