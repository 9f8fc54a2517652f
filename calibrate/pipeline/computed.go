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
			m := n.microBatches(pipelines)
			if cut := n.cut(stages, m); cut != nil {
				t := n.step(cut, m, pipelines).Time(n.Schedule)
				out = append(out, LayoutSpeed{pipelines, stages, float64(n.Batch) / t.Seconds()})
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
	st := &step{MicroBatches: microBatches}
	from, heaviest, sent := 0, 0.0, 0.0
	for _, to := range cut {
		var s Layer
		for _, l := range n.Layers[from:to] {
			s = join(s, l)
		}
		s = n.coded(s, from > 0, to < len(n.Layers))
		st.Stages = append(st.Stages, stageTime{s.Forward, s.Backward})
		heaviest = max(heaviest, s.WeightBytes)
		if to < len(n.Layers) {
			sent = max(sent, s.OutputBytes)
		}
		from = to
	}
	if n.Sent > 0 {
		sent *= n.Sent
	}
	st.Send = units.Seconds(sent / n.BytesPerS)
	st.AllReduce = ring(heaviest, pipelines, n.BytesPerS)
	return st
}

// ring returns how long an all-reduce of n bytes takes between instances
// in a ring: 2 (n-1)/n of them pass each link (Patarasuk and Yuan, JPDC 2009).
func ring(bytes float64, instances int, bytesPerS float64) time.Duration {
	k := float64(instances)
	return units.Seconds(2 * (k - 1) / k * bytes / bytesPerS)
}

// nothingFits says why: a layer is too large, or pipelines that fit are deeper
// than the fleet.
func (n *Network) nothingFits() error {
	for stages := 1; stages <= len(n.Layers); stages++ {
		if n.cut(stages, n.microBatches(1)) != nil {
			return fmt.Errorf("the shallowest pipeline that fits into memory has %d stages, but the fleet has %d instances",
				stages, n.Instances)
		}
	}
	worst := 0
	for i := range n.Layers {
		if n.alone(i) > n.alone(worst) {
			worst = i
		}
	}
	return fmt.Errorf("the model fits at no depth: a stage with only layer %q needs %.4g bytes, but an instance has %.4g",
		n.Layers[worst].Name, n.alone(worst), n.MemoryBytes)
}

// alone returns the memory of a stage of layer i in the deepest pipeline.
func (n *Network) alone(i int) float64 {
	return n.memory(n.Layers[i], n.input(i), len(n.Layers)-1-i, n.microBatches(1))
}
