package pipeline

import (
	"math"
)

// memory returns the bytes that a stage needs, of which s is the sum, that is
// given input bytes of each micro-batch and has n stages behind it:
// StateFactor times its weights, and
//   - where activations are recomputed (GPipe, Varuna), the input of every
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
	time := s.Forward + s.Backward
	if n.Schedule == GPipe || n.Schedule == Varuna && behind > 0 {
		time += s.Forward
	}
	return time.Seconds()
}

// cut returns where the layers are cut into n stages, the end (exclusive)
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
		slowest[behind] = make([]float64, layers)
		ends[behind] = make([]int, layers)
		for from := range layers {
			after := func(to int) float64 {
				if (behind == 0) != (to == layers) {
					return math.Inf(1)
				}
				if behind == 0 {
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
	end := 0
	for behind := stages - 1; behind >= 0; behind-- {
		end = ends[behind][end]
		cut = append(cut, end)
	}
	return cut
}

// firstStage returns where the stage that begins at a layer is best cut, and the
// time of the slowest stage from there on; after says it of what follows a cut.
func (n *Network) firstStage(from, behind, microBatches int, after func(to int) float64) (slowest float64, end int) {
	slowest = math.Inf(1)
	var stage Layer
	for to := from + 1; to <= len(n.Layers); to++ {
		stage = join(stage, n.Layers[to-1])
		if n.memory(stage, n.input(from), behind, microBatches) > n.MemoryBytes {
			break
		}
		seconds := max(n.work(stage, behind), after(to))
		if seconds < slowest {
			slowest = seconds
			end = to
		}
	}
	return slowest, end
}
