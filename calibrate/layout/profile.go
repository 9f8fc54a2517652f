package layout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/registry"
)

// Size is that of one layer on one GPU of a tensor-parallel group, in numbers of 4 bytes.
type Size struct {
	Params      float64 // parameters
	Output      float64 // sent to the next layer, a sample
	Activations float64 // kept for the backward pass, a sample
}

// Time is that of one layer for one micro-batch, seconds.
type Time struct{ Forward, Backward, Update float64 }

// Point is what layers were measured at.
type Point struct {
	GPU   string
	Micro int // samples of a micro-batch
	TP    int // tensor parallelism
}

// Profile is a network with the measured times of its layers.
type Profile struct {
	Network string
	sizes   map[int][]Size
	times   map[Point][]Time
	refused map[Point]string // why a measurement is none
}

// NewProfile returns a profile of measured times. sizes is by tensor parallelism; every list has the same length.
func NewProfile(network string, sizes map[int][]Size, times map[Point][]Time) (*Profile, error) {
	layers := len(sizes[1])
	if layers == 0 {
		return nil, fmt.Errorf("%s: no sizes of layers for tensor parallelism 1", network)
	}
	for _, tp := range slices.Sorted(maps.Keys(sizes)) {
		if len(sizes[tp]) != layers {
			return nil, fmt.Errorf("%s: sizes of %d layers for tensor parallelism %d, expected %d",
				network, len(sizes[tp]), tp, layers)
		}
	}
	for point, list := range times {
		if len(list) != layers {
			return nil, fmt.Errorf("%s: times of %d layers on %s, expected %d", network, len(list), point, layers)
		}
	}
	return &Profile{Network: network, sizes: sizes, times: times}, nil
}

// String returns a point as errors name it.
func (p Point) String() string {
	return fmt.Sprintf("%s with a micro-batch of %d and tensor parallelism %d", p.GPU, p.Micro, p.TP)
}

// Layers returns how many layers the network has.
func (p *Profile) Layers() int { return len(p.sizes[1]) }

// Sizes returns the sizes of all layers at a tensor parallelism.
func (p *Profile) Sizes(tp int) ([]Size, error) {
	list, known := p.sizes[tp]
	if !known {
		return nil, fmt.Errorf("%s has no sizes of layers for tensor parallelism %d, expected one of %v",
			p.Network, tp, slices.Sorted(maps.Keys(p.sizes)))
	}
	return list, nil
}

// params returns how many parameters layers have on one GPU of a tensor-parallel group.
func (p *Profile) params(layers []int, tp int) (sum float64, err error) {
	sizes, err := p.Sizes(tp)
	if err != nil {
		return 0, err
	}
	for _, layer := range layers {
		sum += sizes[layer].Params
	}
	return sum, nil
}

// Times returns the times of all layers. The error of a point that was not measured names the nearest ones.
func (p *Profile) Times(at Point) ([]Time, error) {
	if list, known := p.times[at]; known {
		return list, nil
	}
	gpus := p.GPUs()
	if !slices.Contains(gpus, at.GPU) {
		return nil, fmt.Errorf("%s was not profiled on %s: %w", p.Network, at.GPU, nearestGPU(at.GPU, gpus))
	}
	var near []string
	for _, point := range p.Points(at.GPU) {
		if point.TP == at.TP || point.Micro == at.Micro {
			near = append(near, fmt.Sprintf("%d with %d", point.Micro, point.TP))
		}
	}
	if near == nil {
		for _, point := range p.Points(at.GPU) {
			near = append(near, fmt.Sprintf("%d with %d", point.Micro, point.TP))
		}
	}
	why := ""
	if note := p.refused[at]; note != "" {
		why = " (" + note + ")"
	}
	return nil, fmt.Errorf("%s was not profiled on %s%s; "+
		"expected one of these micro-batches with tensor parallelism: %s",
		p.Network, at, why, strings.Join(near, ", "))
}

// GPUs returns the profiled GPU types, sorted.
func (p *Profile) GPUs() []string {
	seen := map[string]bool{}
	for point := range p.times {
		seen[point.GPU] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// Points returns what was measured on a GPU type, by micro-batch and tensor parallelism.
func (p *Profile) Points(gpu string) []Point {
	var out []Point
	for point := range p.times {
		if point.GPU == gpu {
			out = append(out, point)
		}
	}
	slices.SortFunc(out, func(a, b Point) int { return cmp.Or(a.Micro-b.Micro, a.TP-b.TP) })
	return out
}

// nearestGPU says which profiled GPU is nearest in name or memory, and all.
func nearestGPU(name string, known []string) error {
	err := registry.Unknown("GPU", name, known)
	family, _, _ := strings.Cut(name, "-")
	for _, other := range known {
		if otherFamily, _, _ := strings.Cut(other, "-"); strings.EqualFold(otherFamily, family) {
			return fmt.Errorf("the nearest is %s; profiled are %s", other, strings.Join(known, ", "))
		}
	}
	if memory := GPUMemory(name); memory > 0 {
		ratio := func(gpu string) float64 { return max(GPUMemory(gpu)/memory, memory/GPUMemory(gpu)) }
		nearest := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(ratio(a), ratio(b)) })
		return fmt.Errorf("the nearest by memory is %s; profiled are %s", nearest, strings.Join(known, ", "))
	}
	return err
}

// GPUMemory returns the memory of a GPU type in bytes: that of the table, else what its name ends in (A100-80); 0 if
// neither says.
func GPUMemory(gpu string) float64 {
	const gib = 1 << 30
	if gb, known := gpuMemory[gpu]; known {
		return gb * gib
	}
	_, last, _ := strings.Cut(gpu, "-")
	gb, err := strconv.ParseFloat(last, 64)
	if err != nil || gb < 4 || gb > 1024 {
		return 0
	}
	return gb * gib
}

// gpuMemory is the memory, GiB, of types whose names do not say it: Sailor's table of constants; of the H100 what
// torch could have of its 79.2 (calibrate/facts/h100, memory_for_torch_mb).
var gpuMemory = map[string]float64{
	"Titan-RTX": 24, "RTX-2080": 11, "RTX-3090": 24, "H100": 78.4, "H200": 141, "B200": 192,
}
