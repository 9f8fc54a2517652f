package pipeline

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/internal/units"
)

// Speeds returns the throughput of every layout that fits: pipelines of each
// depth up to the number of layers, cut evenly by work, as many as there are instances
// and micro-batches for. A step takes what its schedule does with the slowest transfer between
// two stages and a ring all-reduce of the heaviest stage. Errors say why no layout fits.
func (n *Network) Speeds() ([]LayoutSpeed, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	var out []LayoutSpeed
	for stages := 1; stages <= min(n.Instances, len(n.Layers)); stages++ {
		for pipelines := 1; pipelines*stages <= n.Instances && (pipelines-1)*n.MicroBatch < n.Batch; pipelines++ {
			microBatches := n.microBatches(pipelines)
			if cut := n.cut(stages, microBatches); cut != nil {
				time := n.step(cut, microBatches, pipelines).Time(n.Schedule)
				out = append(out, LayoutSpeed{pipelines, stages, float64(n.Batch) / time.Seconds()})
			}
		}
	}
	if out == nil {
		return nil, n.nothingFits()
	}
	return out, nil
}

func (n *Network) microBatches(pipelines int) int {
	return (n.Batch + pipelines*n.MicroBatch - 1) / (pipelines * n.MicroBatch)
}

// step returns the step of one of n pipelines.
func (n *Network) step(cut []int, microBatches, pipelines int) *step {
	made := &step{MicroBatches: microBatches}
	from := 0
	heaviest := 0.0
	sent := 0.0
	for _, to := range cut {
		var stage Layer
		for _, layer := range n.Layers[from:to] {
			stage = join(stage, layer)
		}
		made.Stages = append(made.Stages, stageTime{stage.Forward, stage.Backward})
		heaviest = max(heaviest, stage.WeightBytes)
		if to < len(n.Layers) {
			sent = max(sent, stage.OutputBytes)
		}
		from = to
	}
	made.Send = units.Seconds(sent / n.BytesPerS)
	made.AllReduce = ring(heaviest, pipelines, n.BytesPerS)
	return made
}

// ring returns how long an all-reduce of some bytes takes between n instances
// in a ring: 2 (n-1)/n of them pass each link (Patarasuk and Yuan, JPDC 2009).
func ring(bytes float64, instances int, bytesPerS float64) time.Duration {
	n := float64(instances)
	return units.Seconds(2 * (n - 1) / n * bytes / bytesPerS)
}

// nothingFits says why: a layer is too large, or pipelines that fit are deeper
// than the fleet.
func (n *Network) nothingFits() error {
	for stages := 1; stages <= len(n.Layers); stages++ {
		if n.cut(stages, n.microBatches(1)) != nil {
			return fmt.Errorf("the shallowest pipeline that fits into memory has %d stages, "+
				"but the fleet has %d instances", stages, n.Instances)
		}
	}
	worst := 0
	for i := range n.Layers {
		if n.alone(i) > n.alone(worst) {
			worst = i
		}
	}
	return fmt.Errorf("the model fits at no depth: "+
		"a stage with only layer %q needs %.4g bytes, but an instance has %.4g",
		n.Layers[worst].Name, n.alone(worst), n.MemoryBytes)
}

// alone returns the memory of a stage of layer i in the deepest pipeline.
func (n *Network) alone(i int) float64 {
	return n.memory(n.Layers[i], n.input(i), len(n.Layers)-1-i, n.microBatches(1))
}
