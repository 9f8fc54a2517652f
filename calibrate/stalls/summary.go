package stalls

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/calibrate/gpu"
	"github.com/marigram/marigram/calibrate/pipeline"
)

// Summary says what a folder that calibrate/profiler measured lets predict of a
// network in one precision on one GPU, and how well.
type Summary struct {
	Model     string   `json:"model"`
	Precision string   `json:"precision"`
	GPU       string   `json:"gpu"`
	Batches   []int    `json:"batches"` // measured ones, sorted
	Step      *Line    `json:"step_time"`
	Memory    *Line    `json:"memory"`  // nil: not measured
	Largest   *Largest `json:"largest"` // nil: not measured, or Memory is nil

	// Layers are the files of layers, by batch.
	Layers []LayersMeasured `json:"layers"`
	// Stalls are what the GPU waits for with data of files; nil: not measured.
	Stalls *DataStalls `json:"stalls"`
	// Ratios compare with published runs of the same network.
	Ratios []Ratio `json:"ratios"`
}

// Line is a fit of a number to the batch, a + b batch, to all rows, and how well
// such a fit predicts each batch from the others.
type Line struct {
	Family string  `json:"family"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
	Mean   float64 `json:"left_out_mean"` // of |residual/measured|
	Worst  float64 `json:"left_out_worst"`
}

// Largest is the largest batch that trains: measured, and as Memory predicts it
// for the memory that torch had, from other batches.
type Largest struct {
	Measured  int     `json:"measured"`
	Predicted int     `json:"predicted"`
	MemoryMB  float64 `json:"memory_mb"`
}

// LayersMeasured is a file of layers.
type LayersMeasured struct {
	File  string  `json:"file"`
	Batch int     `json:"batch"`
	Ratio float64 `json:"over_whole"` // sum of the layers, forward and backward, over the passes of the whole network
}

// Bounds of what is held to predict well: the mean and the worst relative error
// of a batch that was left out, and how far layers may be off the whole.
const (
	GoodMean   = 0.03
	GoodWorst  = 0.08
	GoodLayers = 0.05
)

const runsSuffix = ".runs.csv"

// OpenSummaries reads a folder of the profiler: its files *.runs.csv, the part of
// whose names before that is the precision, measurements.csv and *.layers.csv; or
// one such file of runs with the rest of its folder.
// The summaries are in the order of the names of files and of their rows. Only
// runs of one GPU count.
func OpenSummaries(path string) ([]Summary, error) {
	folder, paths, err := runsFiles(path)
	if err != nil {
		return nil, err
	}
	facts, err := openMeasuredFacts(filepath.Join(folder, "measurements.csv"))
	if err != nil {
		return nil, err
	}
	var out []Summary
	for _, path := range paths {
		profile, err := fit.OpenMeasured(path)
		if err != nil {
			return nil, err
		}
		precision := strings.TrimSuffix(profile.Name, runsSuffix)
		for _, rows := range byModel(profile.Rows) {
			made, err := summary(folder, precision, rows, facts)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, rows[0].Model, err)
			}
			out = append(out, made)
		}
	}
	return out, nil
}

// runsFiles returns the folder of the profiler that path is, or is a file of, and
// its files of runs.
func runsFiles(path string) (folder string, paths []string, err error) {
	if strings.HasSuffix(path, runsSuffix) {
		return filepath.Dir(path), []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", nil, err
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), runsSuffix) {
			paths = append(paths, filepath.Join(path, entry.Name()))
		}
	}
	if paths == nil {
		return "", nil, fmt.Errorf("%s: no file *%s, expected a folder written by calibrate/profiler", path, runsSuffix)
	}
	return path, paths, nil
}

func summary(folder, precision string, rows []fit.Measurement, facts measuredFacts) (Summary, error) {
	made := Summary{Model: rows[0].Model, Precision: precision, GPU: rows[0].GPU}
	for _, row := range rows {
		made.Batches = append(made.Batches, row.Batch)
	}
	slices.Sort(made.Batches)
	made.Step = line(gpu.StepTimeLinear, rows)
	made.Memory = line(gpu.MemoryLinear, rows)
	largest, known := facts.value("largest_batch", made.Model, precision, 0)
	memory, measured := facts.value("memory_for_torch_mb", made.Model, precision, 0)
	if known && measured && made.Memory != nil && made.Memory.B > 0 {
		made.Largest = &Largest{int(largest), max(int((memory-made.Memory.A)/made.Memory.B), 0), memory}
	}
	var pipelined [][]pipeline.Layer
	for _, batch := range made.Batches {
		if stalls := facts.stalls(made.Model, precision, batch); stalls != nil {
			made.Stalls = stalls
		}
		name := fmt.Sprintf("%s-%s-%d.layers.csv", made.Model, precision, batch)
		layers, err := pipeline.OpenLayers(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return made, err
		}
		ratio, ok := facts.value("layers_over_forward_and_backward", made.Model, precision, batch)
		if !ok {
			return made, fmt.Errorf("%s has no layers_over_forward_and_backward of batch %d, "+
				"which %s should have with it", facts.name, batch, name)
		}
		made.Layers = append(made.Layers, LayersMeasured{name, batch, ratio})
		pipelined = append(pipelined, layers)
	}
	made.Ratios = ratios(rows, precision)
	for i := range pipelined {
		made.Ratios = append(made.Ratios,
			pipelineRatio(made.Model, pipelined[i], made.Layers[i].Batch, rows[0].GPUMemoryGB)...)
	}
	return made, nil
}

// line fits a family of two parameters, and predicts each batch from the others;
// nil if there are too few rows, or they do not have the target.
func line(f fit.Family, rows []fit.Measurement) *Line {
	rows, err := f.Usable(rows)
	if err != nil || len(rows) <= len(f.Parameters) {
		return nil
	}
	all, err := f.Fit(rows)
	if err != nil {
		return nil
	}
	left, err := f.LeaveOut(rows, "batch_per_gpu")
	if err != nil || left.Unfitted != nil {
		return nil
	}
	return &Line{f.Name, all[0], all[1], left.Mean, left.Worst}
}

// ratios compares steps of one GPU with those that the published profiles of runs
// have of the same network and batch: how many times as fast the GPU is. Of a
// profile in several precisions (h100/bf16) only the same one counts.
func ratios(rows []fit.Measurement, precision string) []Ratio {
	var out []Ratio
	for _, name := range fit.PublishedMeasuredNames() {
		if _, theirs, ok := strings.Cut(name, "/"); ok && theirs != precision {
			continue
		}
		profile, err := fit.PublishedMeasured(name)
		if err != nil {
			panic("stalls: " + err.Error()) // part of the program
		}
		for _, theirs := range byModel(profile.Rows) {
			var times []float64
			var batches []int
			for i := range rows {
				ours := &rows[i]
				at := slices.IndexFunc(theirs, func(m fit.Measurement) bool {
					return m.Model == ours.Model && m.Batch == ours.Batch && m.ParameterServers == ours.ParameterServers
				})
				if at >= 0 && theirs[at].StepS != ours.StepS { // else it is this profile
					times = append(times, theirs[at].StepS/ours.StepS)
					batches = append(batches, ours.Batch)
				}
			}
			if times != nil {
				out = append(out, Ratio{theirs[0].GPU + ", " + name, middle(times),
					fmt.Sprintf("steps of %v samples", batches)})
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
	network := pipeline.Network{
		Layers:      layers,
		MicroBatch:  microBatch,
		Batch:       int(theirs.Samples),
		Schedule:    pipeline.OneFOneB,
		MemoryBytes: 1e9 * memoryGB,
		StateFactor: pipeline.DefaultStateFactor,
		BytesPerS:   parcaeBytesPerS,
	}
	for _, layout := range theirs.Layouts {
		network.Instances = max(network.Instances, layout.Pipelines*layout.Stages)
	}
	computed, err := network.Speeds()
	if err != nil {
		return nil
	}
	var times []float64
	for _, layout := range theirs.Layouts {
		same := func(c pipeline.LayoutSpeed) bool {
			return c.Pipelines == layout.Pipelines &&
				c.Stages == layout.Stages
		}
		if at := slices.IndexFunc(computed, same); at >= 0 {
			times = append(times, computed[at].SamplesPerS/layout.SamplesPerS)
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
	for _, row := range rows {
		i := slices.IndexFunc(out, func(of []fit.Measurement) bool {
			return of[0].Model == row.Model &&
				of[0].GPU == row.GPU
		})
		switch {
		case row.GPUs != 1 || row.Batch == 0 || math.IsNaN(row.StepS):
		case i < 0:
			out = append(out, []fit.Measurement{row})
		default:
			out[i] = append(out[i], row)
		}
	}
	return out
}
