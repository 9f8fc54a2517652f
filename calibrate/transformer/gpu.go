package transformer

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/marigram/marigram/calibrate/facts"
)

// GPU is a GPU type with published speeds of training: a row of calibrate/facts/transformer_gpus.csv, which has the
// sources.
type GPU struct {
	Name        string  `col:"gpu"`
	Generation  string  `col:"generation"`
	TFLOPS      float64 `col:"tflops"`      // peak of dense products in bf16, 1e12 a second (V100: fp16)
	MemoryGB    float64 `col:"memory_gb"`   // as sold: 2^30 bytes
	Utilisation float64 `col:"utilisation"` // of the peak, of 7e9 parameters on 2 to 8 GPUs
	Evidence    string  `col:"evidence"`    // many or few
	MostGPUs    int     `col:"most_gpus"`   // of the published rows
	Machines    string  `col:"machines"`    // many, or 1 where no row is of several machines
}

// GPUs returns all types with published speeds.
var GPUs = sync.OnceValue(func() []GPU { return facts.Read[GPU]("transformer_gpus") })

// GPUNames returns their names.
func GPUNames() (names []string) {
	for _, gpu := range GPUs() {
		names = append(names, gpu.Name)
	}
	return names
}

// memories are what a type is sold with besides the memory of its row, GB.
var memories = map[string][]float64{"V100": {32}}

// GPUNamed returns a GPU type by its name as clouds and task files write it: A100, A100-80GB, RTX4090. memoryGB is of
// one GPU, where the type is sold with several; 0: the name says it, else the smallest is taken, and assumed says so.
func GPUNamed(name string, memoryGB float64) (gpu GPU, assumed string, err error) {
	wanted := plain(name)
	var alike []GPU
	for _, row := range GPUs() {
		full := plain(row.Name)
		short := strings.TrimSuffix(full, fmt.Sprint(row.MemoryGB))
		if wanted == full || wanted == short || wanted == short+fmt.Sprint(row.MemoryGB) {
			alike = append(alike, row)
			for _, other := range memories[row.Name] {
				row.MemoryGB = other
				alike = append(alike, row)
			}
		}
	}
	if alike == nil {
		return GPU{}, "", fmt.Errorf("no published speed of training a transformer on %s: no number; expected %s",
			name, strings.Join(GPUNames(), ", "))
	}
	if memoryGB == 0 {
		if len(alike) > 1 {
			assumed = fmt.Sprintf("%s has %.0f GB a GPU; it is sold with %.0f, too (--memory)",
				name, alike[0].MemoryGB, alike[1].MemoryGB)
		}
		return alike[0], assumed, nil
	}
	at := slices.IndexFunc(alike, func(g GPU) bool { return g.MemoryGB == memoryGB })
	if at < 0 {
		return GPU{}, "", fmt.Errorf("%s with %g GB of memory, expected %g", name, memoryGB, alike[0].MemoryGB)
	}
	return alike[at], "", nil
}

// plain is a name without what is written in several ways.
func plain(name string) string {
	name = strings.TrimPrefix(strings.ToUpper(name), "NVIDIA")
	return strings.TrimSuffix(strings.NewReplacer("-", "", "_", "", " ", "").Replace(name), "GB")
}
