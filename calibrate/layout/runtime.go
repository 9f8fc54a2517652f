package layout

import (
	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/registry"
)

// Runtime says what a training program adds to the times of its layers and to the memory of its tensors: one row of
// calibrate/facts/layout_runtimes.csv, fitted to measured layouts (Fit).
type Runtime struct {
	Name string `col:"runtime"`

	// Time of a step. Each is a factor of what profiles and links say.
	Compute float64 `col:"compute"` // of the time of layers
	Exposed float64 `col:"exposed"` // of a transfer to each neighbour: 2 where activations and gradients go, and computation hides neither
	Sync    float64 `col:"sync"`    // of the time of the all-reduce over the link of a node

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
	for _, r := range Runtimes() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Runtime{}, registry.Unknown("runtime of layouts", name, names)
}
