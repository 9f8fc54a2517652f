package layout

import (
	"fmt"
	"path"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/registry"
)

// Place is where one replica of a stage runs: TP GPUs of one node, or whole nodes.
type Place struct {
	GPU  string // as profiles name it: A100-40
	Zone string // as links name it: us-central1-a
	Node int    // GPUs of the node
	TP   int    // tensor parallelism, 1 to Node, or a multiple of it
}

// Stage is a part of the network with its replicas. Replica j sends to replica j of the next stage, counted round
// where the numbers differ.
type Stage struct {
	Layers   []int // of the network, from 0
	Replicas []Place
}

// Layout says which GPUs train which layers.
type Layout struct {
	Micro  int // samples of a micro-batch
	Batch  int // samples of a step
	Stages []Stage
}

// MicroBatches returns the micro-batches of a pipeline in a step.
func (l *Layout) MicroBatches() int {
	each := l.Micro * len(l.Stages[0].Replicas)
	return (l.Batch + each - 1) / each
}

// String names the stages: their layers, and replicas x tensor parallelism with the GPU type; with the zone where
// there are several.
func (l *Layout) String() string {
	var text strings.Builder
	zones := map[string]bool{}
	for i := range l.Stages {
		for _, replica := range l.Stages[i].Replicas {
			zones[replica.Zone] = true
		}
	}
	for i := range l.Stages {
		if i > 0 {
			text.WriteString(" | ")
		}
		stage := &l.Stages[i]
		fmt.Fprintf(&text, "layers %d-%d: ", stage.Layers[0], stage.Layers[len(stage.Layers)-1])
		for j := 0; j < len(stage.Replicas); {
			if j > 0 {
				text.WriteString(" + ")
			}
			first := j
			replica := stage.Replicas[first]
			for j < len(stage.Replicas) && stage.Replicas[j] == replica {
				j++
			}
			fmt.Fprintf(&text, "%d x %d %s", j-first, replica.TP, replica.GPU)
			if len(zones) > 1 {
				text.WriteString(" in " + path.Base(replica.Zone))
			}
		}
	}
	fmt.Fprintf(&text, "; micro-batch %d", l.Micro)
	return text.String()
}

// Check returns what is impossible about a layout of a network of n layers.
func (l *Layout) Check(n int) error {
	if l.Micro < 1 || l.Batch < 1 || len(l.Stages) == 0 {
		return fmt.Errorf("micro-batch of %d, batch of %d, %d stages, expected 1 or more of each",
			l.Micro, l.Batch, len(l.Stages))
	}
	for i := range l.Stages {
		stage := &l.Stages[i]
		if len(stage.Layers) == 0 || len(stage.Replicas) == 0 {
			return fmt.Errorf("stage %d has %d layers and %d replicas, expected 1 or more of each",
				i, len(stage.Layers), len(stage.Replicas))
		}
		for _, layer := range stage.Layers {
			if layer < 0 || layer >= n {
				return fmt.Errorf("stage %d has layer %d, expected one of 0 to %d", i, layer, n-1)
			}
		}
		for _, place := range stage.Replicas {
			if place.TP < 1 || place.Node < 1 || place.TP > place.Node && place.TP%place.Node != 0 {
				return fmt.Errorf("stage %d has tensor parallelism %d on a node of %d %s, "+
					"expected 1 to %[3]d or a multiple of it", i, place.TP, place.Node, place.GPU)
			}
		}
	}
	return nil
}

// Measured is a layout that was measured: a file of Sailor's validation.
type Measured struct {
	Layout
	Step   float64 // s
	Memory float64 // largest of a GPU, bytes
}

// Runtime says what a training program adds to the times of its layers and to the memory of its tensors: one row of
// calibrate/facts/layout_runtimes.csv, fitted to measured layouts (Fit).
type Runtime struct {
	Name string `col:"runtime"`

	// Time of a step. Each is a factor of what profiles and links say.
	Compute float64 `col:"compute"` // of the time of layers
	// of a transfer to each neighbour: 2 where activations and gradients go, and computation hides neither
	Exposed float64 `col:"exposed"`
	Sync    float64 `col:"sync"` // of the time of the all-reduce over the link of a node
	// Not by layers: what each stage takes for each micro-batch, 1e-6 s, and the update of a parameter of a GPU,
	// 1e-12 s; 0 where the times of layers have them.
	StageUS  float64 `col:"stage_us"`
	UpdatePS float64 `col:"update_ps"`

	// Memory of a GPU.
	BaseGB float64 `col:"base_gb"`   // kernels and buffers, 1e9 bytes
	TPGB   float64 `col:"tp_gb"`     // and for every GPU of its tensor-parallel group
	State  float64 `col:"state"`     // bytes by byte of 4-byte parameters: parameters, gradients, moments, copies
	Kept   float64 `col:"kept"`      // activations that are kept, as a share of what a forward pass allocates
	Doc    string  `col:"fitted_to"` // measurements that it was fitted to
}

// DefaultRuntime is that of DeepSpeed with Megatron on nodes of four GH200.
const DefaultRuntime = "deepspeed-gh200"

// Runtimes returns the fitted ones, in the order of the table.
func Runtimes() []Runtime { return facts.Read[Runtime]("layout_runtimes") }

// RuntimeNamed returns a fitted one; the error names the nearest, or all.
func RuntimeNamed(name string) (Runtime, error) {
	var names []string
	for _, runtime := range Runtimes() {
		if runtime.Name == name {
			return runtime, nil
		}
		names = append(names, runtime.Name)
	}
	return Runtime{}, registry.Unknown("runtime of layouts", name, names)
}
