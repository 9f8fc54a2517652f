package layout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/internal/store"
)

// Set is a folder of profiles: networks, links and prices of traffic.
type Set struct {
	Links    *Links
	Runtime  string // of the training program whose steps they are: DefaultRuntime or ProfilerRuntime
	profiles map[string]*Profile
	leftOut  []string // networks without one whole measurement
}

// The files of a folder of profiles, by their name and by their path in Sailor's repository.
var (
	sizesFile  = [2]string{"llm_info.json", "sailor/Planner/llm_info.json"}
	timesFile  = [2]string{"profiles_tmp.json", "sailor/Planner/simulations/profiles_tmp.json"}
	linksFile  = [2]string{"multizone_bandwidths_het.json", "sailor/providers/multizone_bandwidths_het.json"}
	egressFile = [2]string{"communication_cost.json", "sailor/providers/gcp/communication_cost.json"}
)

// plannerProfiles has what timesFile lacks: OPT-30B on GH200.
const plannerProfiles = "sailor/Planner/sailor_planner/profiles"

// Open reads a folder of profiles in the form of Sailor: llm_info.json (sizes of layers by network and tensor
// parallelism), profiles_tmp.json (times of layers by network, GPU, micro-batch and tensor parallelism), and if they
// are there multizone_bandwidths_het.json (curves of bandwidth by zone, GPU type and number, twice) and
// communication_cost.json (USD/GB by zone, twice); or a checkout of Sailor, or its set of marigram traces pull; or a
// folder that the profiler wrote (profile.json).
func Open(dir string) (*Set, error) {
	if store.InputAbsent(fileOf(dir, sizesFile)) && !store.InputAbsent(fileOf(dir, profilerFile)) {
		return readProfiler(dir)
	}
	set := &Set{Runtime: DefaultRuntime, profiles: map[string]*Profile{}}
	var sizes map[string]map[int]map[int]sizeIn
	var times map[string]map[string]map[int]map[int]map[int][3]float64
	if err := readJSON(dir, sizesFile, &sizes); err != nil {
		return nil, err
	}
	if err := readJSON(dir, timesFile, &times); err != nil {
		return nil, err
	}
	for name, byTP := range sizes {
		profile := &Profile{Network: name, sizes: map[int][]Size{}, times: map[Point][]Time{}}
		for tp, layers := range byTP {
			profile.sizes[tp] = make([]Size, len(layers))
			for i, in := range layers {
				if i < 0 || i >= len(layers) {
					return nil, fmt.Errorf("%s: %s has %d layers for tensor parallelism %d, and one numbered %d",
						sizesFile[0], name, len(layers), tp, i)
				}
				profile.sizes[tp][i] = Size(in)
			}
		}
		for gpu, of := range times[name] {
			if err := profile.add(gpu, of); err != nil {
				return nil, fmt.Errorf("%s: %w", timesFile[0], err)
			}
		}
		if err := profile.addPlanned(dir); err != nil {
			return nil, err
		}
		set.profiles[name] = profile
	}
	return set, set.readLinks(dir)
}

// Files returns the paths of the files that Open reads of a folder, but for single profiles of the planner.
func Files(dir string) (paths []string) {
	for _, names := range [][2]string{sizesFile, timesFile, linksFile, egressFile, profilerFile} {
		if path := fileOf(dir, names); !store.InputAbsent(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// fileOf returns the path of the file of a folder that has one of two names.
func fileOf(dir string, names [2]string) string {
	name := store.Join(dir, names[0])
	if other := store.Join(dir, names[1]); store.InputAbsent(name) && !store.InputAbsent(other) {
		return other
	}
	return name
}

// sizeIn is what llm_info.json has of a layer.
type sizeIn struct {
	Params      float64 `json:"params_floats"`
	Output      float64 `json:"act_output_floats"`
	Activations float64 `json:"act_mem_floats"`
}

// add adds the times of a GPU type: by micro-batch, tensor parallelism, layer.
func (p *Profile) add(gpu string, of map[int]map[int]map[int][3]float64) error {
	for micro, byTP := range of {
		for tp, layers := range byTP {
			list := make([]Time, p.Layers())
			for i := range list {
				measured, known := layers[i]
				if !known || len(layers) != len(list) {
					return fmt.Errorf("%s on %s has times of %d layers, expected %d from 0",
						p.Network, Point{gpu, micro, tp}, len(layers), len(list))
				}
				list[i] = Time{measured[0], measured[1], measured[2]}
			}
			if at := (Point{gpu, micro, tp}); p.times[at] == nil {
				p.times[at] = list
			}
		}
	}
	return nil
}

// addPlanned adds the GPU types that only the planner's files have.
func (p *Profile) addPlanned(dir string) error {
	folders, err := store.List(context.Background(), store.Join(dir, plannerProfiles, p.Network))
	if err != nil {
		return err
	}
	have := p.GPUs()
	for _, gpu := range folders {
		if slices.Contains(have, gpu) {
			continue
		}
		var of map[int]map[int]map[int][3]float64
		name := plannerProfiles + "/" + p.Network + "/" + gpu + "/profile.json"
		if err := readJSON(dir, [2]string{name, name}, &of); err != nil {
			return err
		}
		if err := p.add(gpu, of); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// readLinks reads bandwidths and prices, as far as the folder has them.
func (s *Set) readLinks(dir string) error {
	var in map[string]map[string]map[int]map[string]map[string]map[int][2]json.RawMessage
	if err := readJSON(dir, linksFile, &in); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	curves := map[[2]End]Curve{}
	for zone, types := range in {
		for gpu, counts := range types {
			for n, to := range counts {
				for zone2, types2 := range to {
					for gpu2, counts2 := range types2 {
						for n2, fit := range counts2 {
							var curve Curve
							if err := json.Unmarshal(fit[0], &curve); err != nil {
								return fmt.Errorf("%s: %s, %s, %d, %s, %s, %d: %w",
									linksFile[0], zone, gpu, n, zone2, gpu2, n2, err)
							}
							curves[[2]End{{zone, gpu, n}, {zone2, gpu2, n2}}] = curve
						}
					}
				}
			}
		}
	}
	var prices map[string]map[string]float64
	err := readJSON(dir, egressFile, &prices)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var egress map[[2]string]float64
	if err == nil {
		egress = map[[2]string]float64{}
	}
	for from, of := range prices {
		for to, usd := range of {
			egress[[2]string{from, to}] = usd
		}
	}
	s.Links = NewLinks(curves, egress)
	return nil
}

// readJSON reads the file of a folder that has one of two names.
func readJSON(dir string, names [2]string, to any) error {
	file, err := store.OpenInput(fileOf(dir, names))
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, csvtext.MaxBytes))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", names[0], errorLine(data, err))
	}
	return nil
}

// errorLine adds the line of an error of JSON, as far as that says.
func errorLine(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(-1)
	if errors.As(err, &syntax) {
		at = syntax.Offset
	} else if errors.As(err, &kind) {
		at = kind.Offset
	}
	if at < 0 {
		return err
	}
	line := 1
	for _, char := range data[:min(at, int64(len(data)))] {
		if char == '\n' {
			line++
		}
	}
	return fmt.Errorf("line %s: %w", strconv.Itoa(line), err)
}

// Networks returns the names of the profiled networks, sorted.
func (s *Set) Networks() []string {
	var names []string
	for name := range s.profiles {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Profile returns that of a network; the error names the nearest, or all.
func (s *Set) Profile(network string) (*Profile, error) {
	profile, known := s.profiles[network]
	if !known {
		err := registry.Unknown("profiled network", network, s.Networks())
		if slices.Contains(s.leftOut, network) {
			err = fmt.Errorf("%w (of %s no batch has both its layers and its update measured)", err, network)
		}
		return nil, err
	}
	return profile, nil
}

// profilerFile is what the profiler (calibrate/profiler) writes.
var profilerFile = [2]string{"profile.json", "profile.json"}

// ProfilerRuntime is that of profiles that the profiler wrote: plain torch. Its state is fitted to steps of one
// micro-batch, with 1 added: further micro-batches keep gradients in memory. It takes transfers and all-reduces to
// hide behind nothing, since none were measured.
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

// readProfiler reads a folder that the profiler wrote: a network is one in a precision (gpt2-1.5b-tf32), its
// micro-batches those whose layers and update were both measured, on one GPU, tensor parallelism 1. There are no
// links. Bytes a sample are those of the largest of these batches. The update is that of the whole network, and
// counts in each stage: no part of it was measured.
func readProfiler(dir string) (*Set, error) {
	var in profilerIn
	if err := readJSON(dir, profilerFile, &in); err != nil {
		return nil, err
	}
	return in.set()
}

func (in *profilerIn) set() (*Set, error) {
	if in.Provenance.GPU == "" || in.Provenance.GPUs != 1 {
		return nil, fmt.Errorf("%s: provenance: %d GPUs %q, expected 1 with a name",
			profilerFile[0], in.Provenance.GPUs, in.Provenance.GPU)
	}
	made := &Set{Runtime: ProfilerRuntime, profiles: map[string]*Profile{}}
	updates := map[string]*float64{}
	refused := map[string]string{}
	key := func(i int) string {
		measured := &in.Measurements[i]
		return fmt.Sprintf("%s-%s %d", measured.Model, measured.Precision, measured.Batch)
	}
	for i := range in.Measurements {
		measured := &in.Measurements[i]
		if measured.Quantity == "optimiser_s" {
			updates[key(i)] = measured.Value
			refused[key(i)] = measured.Note
		}
	}
	largest := map[string]int{}
	for i := range in.Measurements {
		measured := &in.Measurements[i]
		if measured.Quantity != "layers" {
			continue
		}
		network := measured.Model + "-" + measured.Precision
		at := Point{in.Provenance.GPU, measured.Batch, 1}
		profile := made.profiles[network]
		if profile == nil {
			profile = &Profile{
				Network: network,
				sizes:   map[int][]Size{},
				times:   map[Point][]Time{},
				refused: map[Point]string{},
			}
			made.profiles[network] = profile
		}
		update := updates[key(i)]
		if len(measured.Layers) == 0 {
			profile.refused[at] = measured.Note
			continue
		}
		if update == nil {
			profile.refused[at] = strings.TrimSpace("its update: " + refused[key(i)])
			continue
		}
		sizes := make([]Size, len(measured.Layers))
		times := make([]Time, len(measured.Layers))
		for k, layer := range measured.Layers {
			timed := layer.Forward > 0 && layer.Backward > 0 && *update > 0
			sized := layer.Weights >= 0 && layer.Activations >= 0 && layer.Output >= 0
			if measured.Batch < 1 || !timed || !sized {
				return nil, fmt.Errorf("%s: layer %s of %s: %v s forward, %v s backward, %v s update, "+
					"%v, %v and %v bytes, %d samples, "+
					"expected times above 0, bytes of at least 0 and at least 1 sample",
					profilerFile[0], layer.Name, network, layer.Forward, layer.Backward, *update,
					layer.Weights, layer.Activations, layer.Output, measured.Batch)
			}
			each := 4 * float64(measured.Batch)
			sizes[k] = Size{layer.Weights / 4, layer.Output / each, layer.Activations / each}
			times[k] = Time{layer.Forward, layer.Backward, *update}
		}
		profile.times[at] = times
		if measured.Batch > largest[network] {
			largest[network] = measured.Batch
			profile.sizes[1] = sizes
		}
	}
	for _, network := range slices.Sorted(maps.Keys(made.profiles)) {
		profile := made.profiles[network]
		if len(profile.times) == 0 {
			delete(made.profiles, network)
			made.leftOut = append(made.leftOut, network)
			continue
		}
		if _, err := NewProfile(network, profile.sizes, profile.times); err != nil {
			return nil, fmt.Errorf("%s: %w", profilerFile[0], err)
		}
	}
	return made, nil
}
