package layout

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// profilerFile is what the profiler (calibrate/profiler) writes.
var profilerFile = [2]string{"profile.json", "profile.json"}

// ProfilerRuntime is that of profiles that the profiler wrote: plain torch. Its state is fitted to steps of one micro-batch, with 1 added:
// further micro-batches keep gradients in memory. It takes transfers and all-reduces to hide behind nothing, since none were measured.
const ProfilerRuntime = "torch"

// profilerIn is what is read of profilerFile.
type profilerIn struct {
	Provenance struct {
		GPU  string `json:"gpu"`
		GPUs int    `json:"gpus"`
	} `json:"provenance"`
	Measurements []struct {
		Model     string   `json:"model"`
		Precision string   `json:"precision"`
		Batch     int      `json:"batch_per_gpu"`
		Quantity  string   `json:"quantity"`
		Value     *float64 `json:"value"` // null: refused
		Note      string   `json:"note"`
		Layers    []struct {
			Name        string  `json:"layer"`
			Forward     float64 `json:"forward_s"`
			Backward    float64 `json:"backward_s"`
			Weights     float64 `json:"weight_bytes"`
			Activations float64 `json:"activation_bytes"`
			Output      float64 `json:"output_bytes"`
		} `json:"layers"`
	} `json:"measurements"`
}

// readProfiler reads a folder that the profiler wrote: a network is one in a precision (gpt2-1.5b-tf32), its micro-batches those whose layers and
// update were both measured, on one GPU, tensor parallelism 1. There are no links. Bytes a sample are those of the largest of these batches.
// The update is that of the whole network, and counts in each stage: no part of it was measured.
func readProfiler(dir string) (*Set, error) {
	var in profilerIn
	if err := readJSON(dir, profilerFile, &in); err != nil {
		return nil, err
	}
	return in.set()
}

func (in *profilerIn) set() (*Set, error) {
	if in.Provenance.GPU == "" || in.Provenance.GPUs != 1 {
		return nil, fmt.Errorf("%s: provenance: %d GPUs %q, expected 1 with a name", profilerFile[0], in.Provenance.GPUs, in.Provenance.GPU)
	}
	s := &Set{Runtime: ProfilerRuntime, profiles: map[string]*Profile{}}
	updates, refused := map[string]*float64{}, map[string]string{}
	key := func(i int) string {
		m := &in.Measurements[i]
		return fmt.Sprintf("%s-%s %d", m.Model, m.Precision, m.Batch)
	}
	for i := range in.Measurements {
		if m := &in.Measurements[i]; m.Quantity == "optimiser_s" {
			updates[key(i)], refused[key(i)] = m.Value, m.Note
		}
	}
	largest := map[string]int{}
	for i := range in.Measurements {
		m := &in.Measurements[i]
		if m.Quantity != "layers" {
			continue
		}
		network, at := m.Model+"-"+m.Precision, Point{in.Provenance.GPU, m.Batch, 1}
		p := s.profiles[network]
		if p == nil {
			p = &Profile{Network: network, sizes: map[int][]Size{}, times: map[Point][]Time{}, refused: map[Point]string{}}
			s.profiles[network] = p
		}
		update := updates[key(i)]
		switch {
		case len(m.Layers) == 0:
			p.refused[at] = m.Note
			continue
		case update == nil:
			p.refused[at] = strings.TrimSpace("its update: " + refused[key(i)])
			continue
		}
		sizes, times := make([]Size, len(m.Layers)), make([]Time, len(m.Layers))
		for k, l := range m.Layers {
			if m.Batch < 1 || !(l.Forward > 0 && l.Backward > 0 && *update > 0 && l.Weights >= 0 && l.Activations >= 0 && l.Output >= 0) {
				return nil, fmt.Errorf("%s: layer %s of %s: %v s forward, %v s backward, %v s update, %v, %v and %v bytes, %d samples, expected times above 0, "+
					"bytes of at least 0 and at least 1 sample", profilerFile[0], l.Name, network, l.Forward, l.Backward, *update, l.Weights, l.Activations,
					l.Output, m.Batch)
			}
			each := 4 * float64(m.Batch)
			sizes[k], times[k] = Size{l.Weights / 4, l.Output / each, l.Activations / each}, Time{l.Forward, l.Backward, *update}
		}
		p.times[at] = times
		if m.Batch > largest[network] {
			largest[network], p.sizes[1] = m.Batch, sizes
		}
	}
	for _, network := range slices.Sorted(maps.Keys(s.profiles)) {
		p := s.profiles[network]
		if len(p.times) == 0 {
			delete(s.profiles, network)
			s.leftOut = append(s.leftOut, network)
			continue
		}
		if _, err := NewProfile(network, p.sizes, p.times); err != nil {
			return nil, fmt.Errorf("%s: %w", profilerFile[0], err)
		}
	}
	return s, nil
}
