package pipeline

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/units"
)

// DefaultStateFactor is a Network's StateFactor where none is known: Adam in one
// precision (weights, gradients and two moments).
const DefaultStateFactor = 4

// Network is a network whose layers were measured, and the instances that it is
// to be trained on, all alike: what a throughput is computed from where none was
// measured.
type Network struct {
	Layers     []Layer
	MicroBatch int // samples, for which the layers were measured
	Batch      int // samples of a step; each pipeline takes an equal share in whole micro-batches
	Schedule   Schedule
	// MemoryBytes of an instance hold, of its stage, StateFactor times the weights
	// and the activations; see Memory.
	MemoryBytes float64
	// StateFactor is bytes of memory per byte of weights: 4 for Adam in one
	// precision (weights, gradients, two moments; Rajbhandari et al., "ZeRO", SC
	// 2020, section 3.1).
	StateFactor float64
	// BytesPerS is what a link between two instances carries, each way.
	BytesPerS float64
	// Instances is the size of the fleet.
	Instances int
}

func (n *Network) check() error {
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	switch {
	case len(n.Layers) == 0 || len(n.Layers) > maxLayers:
		return fmt.Errorf("%d layers, expected 1 to %d", len(n.Layers), maxLayers)
	case n.MicroBatch < 1 || n.Batch < n.MicroBatch || n.Batch > maxMicroBatches*n.MicroBatch:
		return fmt.Errorf("steps of %d samples in micro-batches of %d, expected 1 to %d of these in a step", n.Batch,
			n.MicroBatch, maxMicroBatches)
	case !positive(n.MemoryBytes) || !positive(n.StateFactor) || n.StateFactor < 1 || !positive(n.BytesPerS):
		return fmt.Errorf("memory of %v bytes, %v bytes a byte of weights, links of %v bytes/s, expected more "+
			"than 0, at least 1, more than 0", n.MemoryBytes, n.StateFactor, n.BytesPerS)
	case n.Instances < 1 || n.Instances > maxFleet:
		return fmt.Errorf("a fleet of %d instances, expected 1 to %d", n.Instances, maxFleet)
	}
	return nil
}

// Bounds on what is computed: the time grows with layers squared times
// instances squared, and with micro-batches.
const (
	maxLayers       = 256
	maxMicroBatches = 4096
	maxFleet        = 256
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
	table, err := csvtext.Read(name, r, "layer", "forward_s", "backward_s", "weight_bytes", "activation_bytes",
		"output_bytes")
	if err != nil {
		return nil, err
	}
	layers := make([]Layer, len(table.Rows))
	for i := range layers {
		cells := table.Cells(i)
		seconds := func(column string) time.Duration { return units.Seconds(cells.Number(column, 1e-9, 1e4)) }
		bytes := func(column string) float64 { return cells.Number(column, 0, 1e15) }
		layers[i] = Layer{
			Forward:         seconds("forward_s"),
			Backward:        seconds("backward_s"),
			WeightBytes:     bytes("weight_bytes"),
			ActivationBytes: bytes("activation_bytes"),
			OutputBytes:     bytes("output_bytes"),
			Name:            cells.Named("layer"),
		}
		if cells.Err != nil {
			return nil, cells.Err
		}
	}
	return layers, nil
}

// join returns two stages that follow one another as one.
func join(a, b Layer) Layer {
	return Layer{b.Name, a.Forward + b.Forward, a.Backward + b.Backward, a.WeightBytes + b.WeightBytes,
		a.ActivationBytes + b.ActivationBytes, b.OutputBytes}
}
