package pipeline

import (
	"io"
	"math"
	"time"

	"github.com/marigram/marigram/calibrate/internal/table"
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
func OpenLayers(path string) ([]Layer, error) { return table.Open(path, ReadLayers) }

// ReadLayers reads a CSV table with the columns layer, forward_s, backward_s,
// weight_bytes, activation_bytes and output_bytes, a row a layer in their order.
// name is for its errors, which give line, column, value and what was expected.
func ReadLayers(name string, r io.Reader) ([]Layer, error) {
	t, err := table.Read(name, r, "layer", "forward_s", "backward_s", "weight_bytes", "activation_bytes", "output_bytes")
	if err != nil {
		return nil, err
	}
	out := make([]Layer, len(t.Rows))
	for i := range out {
		l := &out[i]
		var forward, backward float64
		for _, c := range []struct {
			name        string
			least, most float64
			into        *float64
		}{
			{"forward_s", 1e-9, 1e4, &forward},
			{"backward_s", 1e-9, 1e4, &backward},
			{"weight_bytes", 0, 1e15, &l.WeightBytes},
			{"activation_bytes", 0, 1e15, &l.ActivationBytes},
			{"output_bytes", 0, 1e15, &l.OutputBytes},
		} {
			if *c.into, err = t.Number(i, c.name, c.least, c.most); err != nil {
				return nil, err
			}
		}
		if l.Name = t.Text(i, "layer"); l.Name == "" {
			return nil, t.Errorf(i, "layer", "%q, expected a name", "")
		}
		l.Forward, l.Backward = seconds(forward), seconds(backward)
	}
	return out, nil
}

// join returns two stages that follow one another as one.
func join(a, b Layer) Layer {
	return Layer{b.Name, a.Forward + b.Forward, a.Backward + b.Backward, a.WeightBytes + b.WeightBytes,
		a.ActivationBytes + b.ActivationBytes, b.OutputBytes}
}

// memory returns the bytes that a stage needs, of which s is the sum, that is
// given input bytes of each micro-batch and has so many stages behind it:
// StateFactor times its weights, and
//   - where activations are computed anew (GPipe, Varuna), the input of every
//     micro-batch and the activations of one;
//   - for 1F1B the activations of the micro-batches that are under way at once,
//     at most one more than there are stages behind.
func (n *Network) memory(s Layer, input float64, behind, microBatches int) float64 {
	need := n.StateFactor * s.WeightBytes
	if n.Schedule == OneFOneB {
		return need + float64(min(microBatches, behind+1))*s.ActivationBytes
	}
	return need + float64(microBatches)*input + s.ActivationBytes
}

// input returns the bytes that the layer before hands to layer i.
func (n *Network) input(i int) float64 {
	if i == 0 {
		return 0
	}
	return n.Layers[i-1].OutputBytes
}

// work returns what a stage takes for one micro-batch, in seconds.
func (n *Network) work(s Layer, behind int) float64 {
	t := s.Forward + s.Backward
	if n.Schedule == GPipe || n.Schedule == Varuna && behind > 0 {
		t += s.Forward
	}
	return t.Seconds()
}

// cut returns where the layers are cut into so many stages, the end (exclusive)
// of each: so that the slowest stage is as fast as can be among the cuts whose
// stages all fit into memory. It returns nil if there is none. By dynamic
// programming over the stages from the last to the first: stages * layers^2 steps.
func (n *Network) cut(stages, microBatches int) []int {
	layers := len(n.Layers)
	if stages > layers {
		return nil
	}
	slowest := make([][]float64, stages) // by stages behind and first layer: of the best cut of what follows
	ends := make([][]int, stages)        // the end of its first stage
	for behind := range stages {
		slowest[behind], ends[behind] = make([]float64, layers), make([]int, layers)
		for from := range layers {
			after := func(to int) float64 {
				switch {
				case (behind == 0) != (to == layers):
					return math.Inf(1)
				case behind == 0:
					return 0
				}
				return slowest[behind-1][to]
			}
			slowest[behind][from], ends[behind][from] = n.firstStage(from, behind, microBatches, after)
		}
	}
	if math.IsInf(slowest[stages-1][0], 1) {
		return nil
	}
	var cut []int
	for behind, from := stages-1, 0; behind >= 0; behind-- {
		from = ends[behind][from]
		cut = append(cut, from)
	}
	return cut
}

// firstStage returns where the stage that begins at a layer is best cut, and the
// time of the slowest stage from there on; after says it of what follows a cut.
func (n *Network) firstStage(from, behind, microBatches int, after func(to int) float64) (slowest float64, end int) {
	slowest = math.Inf(1)
	var s Layer
	for to := from + 1; to <= len(n.Layers); to++ {
		s = join(s, n.Layers[to-1])
		if n.memory(s, n.input(from), behind, microBatches) > n.MemoryBytes {
			break
		}
		if t := max(n.work(s, behind), after(to)); t < slowest {
			slowest, end = t, to
		}
	}
	return slowest, end
}
