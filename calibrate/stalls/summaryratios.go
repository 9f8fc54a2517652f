package stalls

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/calibrate/pipeline"
)

// ratios compares steps of one GPU with those that the published profiles of runs
// have of the same network and batch: how many times as fast the GPU is. Of a
// profile in several precisions (h100/bf16) only the same one counts.
func ratios(rows []fit.Measurement, precision string) []Ratio {
	var out []Ratio
	for _, name := range fit.PublishedMeasuredNames() {
		if _, theirs, ok := strings.Cut(name, "/"); ok && theirs != precision {
			continue
		}
		p, err := fit.PublishedMeasured(name)
		if err != nil {
			panic("stalls: " + err.Error()) // part of the program
		}
		for _, theirs := range byModel(p.Rows) {
			var times []float64
			var batches []int
			for i := range rows {
				k := slices.IndexFunc(theirs, func(m fit.Measurement) bool {
					return m.Model == rows[i].Model && m.Batch == rows[i].Batch && m.ParameterServers == rows[i].ParameterServers
				})
				if k >= 0 && theirs[k].StepS != rows[i].StepS { // else it is this profile
					times, batches = append(times, theirs[k].StepS/rows[i].StepS), append(batches, rows[i].Batch)
				}
			}
			if times != nil {
				out = append(out, Ratio{theirs[0].GPU + ", " + name, middle(times), fmt.Sprintf("steps of %v samples", batches)})
			}
		}
	}
	return out
}

// parcaeNames are the networks of Parcae's tables that the profiler measures on
// samples of the same size. (Its BERT reads 512 words, the profiler's 128.)
var parcaeNames = map[string]string{"resnet-152": "parcae-resnet152", "vgg-19": "parcae-vgg19",
	"gpt2-1.5b": "parcae-gpt-1.5b"}

// parcaeBytesPerS is the link of Parcae's instances, p3.2xlarge: 10 Gb/s.
const parcaeBytesPerS = 1.25e9

// pipelineRatio compares the throughput that layers let expect of pipelines (1F1B,
// Adam, Parcae's batch and link) with Parcae's measured one of V100, layout by
// layout. Empty where it has none, or none fits.
func pipelineRatio(model string, layers []pipeline.Layer, microBatch int, memoryGB float64) []Ratio {
	name, ok := parcaeNames[model]
	if !ok || !(memoryGB > 0) {
		return nil
	}
	theirs, err := pipeline.PublishedThroughput(name)
	if err != nil {
		panic("stalls: " + err.Error()) // part of the program
	}
	n := pipeline.Network{Layers: layers, MicroBatch: microBatch, Batch: int(theirs.Samples), Schedule: pipeline.OneFOneB,
		MemoryBytes: 1e9 * memoryGB, StateFactor: pipeline.DefaultStateFactor, BytesPerS: parcaeBytesPerS}
	for _, s := range theirs.Layouts {
		n.Instances = max(n.Instances, s.Pipelines*s.Stages)
	}
	computed, err := n.Speeds()
	if err != nil {
		return nil
	}
	var times []float64
	for _, s := range theirs.Layouts {
		same := func(c pipeline.LayoutSpeed) bool { return c.Pipelines == s.Pipelines && c.Stages == s.Stages }
		if k := slices.IndexFunc(computed, same); k >= 0 {
			times = append(times, computed[k].SamplesPerS/s.SamplesPerS)
		}
	}
	if times == nil {
		return nil
	}
	return []Ratio{{"V100, Parcae", middle(times),
		fmt.Sprintf("%d layouts of pipelines, computed from layers of %d samples", len(times), microBatch)}}
}

// middle returns the median.
func middle(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return (x[len(x)/2] + x[(len(x)-1)/2]) / 2
}

// Ratio is how many times as fast the measured GPU is as published ones that
// trained the same network.
type Ratio struct {
	Than  string  `json:"than"`  // GPUs, and who published them
	Times float64 `json:"times"` // the median of those there are
	Of    string  `json:"of"`    // what was compared
}

// byModel returns the runs of one GPU by network and type of GPU, in the order of
// their first rows.
func byModel(rows []fit.Measurement) [][]fit.Measurement {
	var out [][]fit.Measurement
	for _, r := range rows {
		i := slices.IndexFunc(out, func(of []fit.Measurement) bool { return of[0].Model == r.Model && of[0].GPU == r.GPU })
		switch {
		case r.GPUs != 1 || r.Batch == 0 || math.IsNaN(r.StepS):
		case i < 0:
			out = append(out, []fit.Measurement{r})
		default:
			out[i] = append(out[i], r)
		}
	}
	return out
}
