// Package layouts is the kind of models of training in the best layout of what is held (tensor, pipeline and data
// parallelism), over GPU types and zones (package calibrate/layout).
package layouts

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func init() {
	model.Register(model.Kind{
		Key:  "layout",
		Name: "of layouts",
		Doc: "training in the best layout of what is held " +
			"(tensor, pipeline and data parallelism) over GPU types and zones",
		Job:    func() model.Job { return &Layout{} },
		Serves: []policies.Needs{policies.WorkerModels, policies.Layouts},
		Moves:  "model.layout.links has the price and the bandwidth",
	})
}

// Layout is training in the best layout of what is held, over GPU types and zones (package calibrate/layout, Training).
type Layout struct {
	Profiles string `json:"profiles,omitempty" either:"layers" jsonschema:"folder of profiles in the form of Sailor or written by the profiler (calibrate/facts/h100), relative to this file, or pulled:sailor"`
	Sizes    *Sizes `json:"sizes,omitempty" either:"layers" excludes:"network,runtime" jsonschema:"instead of profiles: a transformer of which no layer was measured, by its sizes; on A100 only (calibrate/facts/layer_times.csv)"`
	Network  string `json:"network,omitempty" jsonschema:"profiled network, for instance OPT-350; with profiles"`
	Runtime  string `json:"runtime,omitempty" jsonschema:"what the training program adds to the times and sizes of layers: deepspeed-gh200, deepspeed-consumer or torch (calibrate/facts/layout_runtimes.csv); if absent, torch with the profiler's profiles, else deepspeed-gh200"`

	Samples     float64 `json:"samples,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in samples"`
	Steps       float64 `json:"steps,omitempty" above:"0" max:"1e15" either:"size" jsonschema:"size of the job in steps, instead"`
	GlobalBatch int     `json:"global_batch" min:"1" max:"1000000" required:"true" jsonschema:"samples of a step, which stays the same in all layouts"`

	GPUs  []GPUs `json:"gpus" required:"true" jsonschema:"which GPUs an instance of each type has"`
	Links *Links `json:"links,omitempty" jsonschema:"links between instances, and the price of traffic; if absent, those that were measured with the profiles, between the zones that they name"`

	Goal          string  `json:"goal,omitempty" names:"throughput,cost" jsonschema:"which layout of a set is the best: that of most throughput, or of least cost an iteration (the instances that it uses, and traffic); throughput if absent"`
	MaxUSDPerStep float64 `json:"max_usd_per_step,omitempty" above:"0" max:"1e9" jsonschema:"only layouts whose iteration costs no more; any if absent"`
	MaxStepS      float64 `json:"max_step_s,omitempty" above:"0" max:"86400" jsonschema:"only layouts whose step takes no longer; any if absent"`

	Recovery  Recovery `json:"recovery,omitzero" jsonschema:"what losses, saves and changes cost: loss is restarts (from the last save) or reinstantiated (from replicas, while each stage has one left), with restart_s, reconfigure_s (then the bytes move that instances lack), save_s and persist_s"`
	IntervalS float64  `json:"interval_s,omitempty" min:"1" max:"604800" jsonschema:"between saves, under policies without an interval of their own; Young's interval by the losses so far if absent"`
	Moved     *float64 `json:"state_factor,omitempty" min:"0" max:"100" jsonschema:"bytes that move in a change of layout, by byte of 4-byte parameters; 3 (parameters and Adam's two moments) if absent"`

	opened *profiled // what it refers to, once that was read
}

// Sizes are those of a decoder whose layers are all alike, trained in mixed precision with everything recomputed.
type Sizes struct {
	Hidden int `json:"hidden" min:"1" max:"100000" required:"true" jsonschema:"width of a layer"`
	Heads  int `json:"heads" min:"1" max:"10000" required:"true" jsonschema:"heads of attention, which divide hidden"`
	Layers int `json:"layers" min:"1" max:"1000" required:"true" jsonschema:"layers"`
	Seq    int `json:"seq" min:"1" max:"65536" required:"true" jsonschema:"tokens of a sample"`
	Vocab  int `json:"vocab,omitempty" min:"1" max:"1000000" jsonschema:"vocabulary; 51200 if absent"`
}

// GPUs says which GPUs an instance of a type has.
type GPUs struct {
	Type    string  `json:"type" required:"true" jsonschema:"instance type of the pools"`
	GPU     string  `json:"gpu" required:"true" jsonschema:"GPU as the profiles name it, for instance V100-16"`
	Count   int     `json:"count,omitempty" min:"1" max:"64" jsonschema:"GPUs of an instance; 1 if absent"`
	USDPerH float64 `json:"usd_per_h,omitempty" min:"0" max:"100000" jsonschema:"price of an instance with which layouts are compared (goal: cost, max_usd_per_step); that on demand if absent"`
}

// Links are links that have one bandwidth within a zone, between the zones of a region, and beyond.
type Links struct {
	ZoneGBPerS   float64  `json:"zone_gb_per_s" above:"0" max:"1e6" required:"true" jsonschema:"between two instances of a zone, 1e9 bytes per second"`
	RegionGBPerS float64  `json:"region_gb_per_s,omitempty" above:"0" max:"1e6" jsonschema:"between zones of a region; no layout spans zones if absent"`
	BeyondGBPerS float64  `json:"beyond_gb_per_s,omitempty" above:"0" max:"1e6" jsonschema:"between regions and clouds; no layout spans them if absent"`
	Tariff       string   `json:"tariff,omitempty" excludes:"usd_per_gb" jsonschema:"price of traffic between zones: aws-2025 (between regions), tiers-2020 (AWS, Azure and Google; between zones, too) or a CSV file as for market.moves; free if absent"`
	USDPerGB     *float64 `json:"usd_per_gb,omitempty" min:"0" max:"10000" jsonschema:"one price instead of a tariff, for every other zone, region and cloud"`
}

// Recovery says what losses, saves and changes of the layout cost.
type Recovery struct {
	Loss         string   `json:"loss,omitempty" names:"restarts,reinstantiated" jsonschema:"what a loss of instances does: restarts (from the last save) or reinstantiated (from replicas, while each stage has one left); restarts if absent"`
	RestartS     *float64 `json:"restart_s,omitempty" min:"0" max:"86400" jsonschema:"time from a loss until training continues from the last save; 0 if absent"`
	ReconfigureS float64  `json:"reconfigure_s,omitempty" min:"0" max:"86400" jsonschema:"time to change the layout, after which the bytes move that instances lack"`
	SaveS        float64  `json:"save_s,omitempty" min:"0" max:"86400" jsonschema:"time that training stops for a save"`
	PersistS     float64  `json:"persist_s,omitempty" min:"0" max:"86400" jsonschema:"then the time until the save is complete, while training continues"`
}

// profiled is what was read of a job, and its models: one for all markets with the same pools, so that no layout is
// searched twice.
type profiled struct {
	profile  *layout.Profile
	runtime  layout.Runtime
	measured *layout.Links           // with the profiles; nil: none
	inside   map[string]layout.Curve // within nodes, by GPU type, where they are known
	beyond   []string                // sizes outside those that were measured
	job      layout.Job
	tariff   charges.Tariff

	mu     sync.Mutex
	models map[string]*layout.Training
}

// Open implements model.Job.
func (l *Layout) Open(s model.Study) (*model.Opened, error) {
	if l.opened == nil {
		opened, err := l.read(s)
		if err != nil {
			return nil, err
		}
		l.opened = opened
	}
	for i, of := range l.GPUs {
		if !slices.Contains(l.opened.profile.GPUs(), of.GPU) {
			_, err := l.opened.profile.Times(layout.Point{GPU: of.GPU, Micro: 1, TP: 1})
			return nil, s.ErrorAt(fmt.Sprintf("$.model.layout.gpus[%d].gpu", i), "%v", err)
		}
	}
	for i, pool := range s.Pools() {
		if _, err := l.node(s, pool.Type); err != nil {
			return nil, s.ErrorAt(fmt.Sprintf("$.market.pools[%d].type", i), "%v", err)
		}
	}
	on := func(pools []sim.Pool) (sim.Model, error) { return l.on(s, pools) }
	return &model.Opened{On: on, Warnings: l.warnings(), SlowWarnings: func() []string {
		return append(l.warnMemory(s), l.warnExposed(s)...)
	}}, nil
}

// SizeInSamples implements model.Sized.
func (l *Layout) SizeInSamples() float64 {
	if l.Steps > 0 {
		return l.Steps * float64(l.GlobalBatch)
	}
	return l.Samples
}

// Files implements model.Reader: the files of the profiles, or their folder where it is not there, and the tariff.
func (l *Layout) Files(s model.Study) []string {
	if l.Sizes != nil {
		return l.tariffFile(nil)
	}
	names := []string{l.Profiles}
	if folder, err := s.Folder(l.Profiles); err == nil {
		names = nil
		for _, file := range layout.Files(folder) {
			if inside, below := strings.CutPrefix(file, folder); below && !filepath.IsAbs(folder) {
				file = path.Join(l.Profiles, inside)
			}
			names = append(names, file)
		}
	}
	return l.tariffFile(names)
}

// tariffFile adds the file of the tariff, if it is one.
func (l *Layout) tariffFile(names []string) []string {
	if l.Links != nil && !slices.Contains(charges.TariffNames(), l.Links.Tariff) {
		names = append(names, l.Links.Tariff)
	}
	return names
}

// read reads what the job refers to. Errors are those of model.At.
func (l *Layout) read(s model.Study) (*profiled, error) {
	out := &profiled{models: map[string]*layout.Training{}}
	err := l.readLayers(s, out)
	if err != nil {
		return nil, err
	}
	if links := l.Links; links != nil && (links.Tariff != "" || links.USDPerGB != nil) {
		if out.tariff, err = charges.TariffOf(links.USDPerGB, links.Tariff, s.Path(links.Tariff)); err != nil {
			return nil, model.At("links.tariff", err)
		}
	}
	if l.Links == nil && out.measured == nil {
		return nil, model.At("links", errors.New("no links were measured with the layers, expected zone_gb_per_s"))
	}
	out.job = layout.Job{
		Samples:     l.SizeInSamples(),
		Batch:       l.GlobalBatch,
		Max:         max(s.Fleet(), 1),
		Restart:     units.Seconds(stats.Or(l.Recovery.RestartS, 0)),
		Reconfigure: units.Seconds(l.Recovery.ReconfigureS),
		Save:        units.Seconds(l.Recovery.SaveS),
		Persist:     units.Seconds(l.Recovery.PersistS),
		Interval:    units.Seconds(l.IntervalS),
		Replicated:  l.Recovery.Loss == "reinstantiated",
		Moved:       stats.Or(l.Moved, 3),
		Want:        layout.Want{MaxUSD: l.MaxUSDPerStep, MaxStep: l.MaxStepS},
	}
	if l.Goal == "cost" {
		out.job.Want.Goal = layout.Cheapest
	}
	return out, nil
}

// readLayers reads the times of layers: profiles, or those from sizes.
func (l *Layout) readLayers(s model.Study, out *profiled) error {
	if l.Sizes != nil {
		return l.makeLayers(out)
	}
	if l.Network == "" {
		return model.At("network", errors.New("it is missing, expected a profiled network"))
	}
	folder, err := s.Folder(l.Profiles)
	if err != nil {
		return model.At("profiles", err)
	}
	set, err := layout.Open(folder)
	if err != nil {
		return model.At("profiles", err)
	}
	out.measured = set.Links
	if out.profile, err = set.Profile(l.Network); err != nil {
		return model.At("network", err)
	}
	if out.runtime, err = layout.RuntimeNamed(cmp.Or(l.Runtime, set.Runtime)); err != nil {
		return model.At("runtime", err)
	}
	return nil
}

// Micro-batches and tensor parallelisms of layouts by sizes.
var (
	microBatches = []int{1, 2, 3, 4, 6, 8, 12, 16, 32}
	parallelisms = []int{1, 2, 4, 8}
)

// makeLayers makes the times of layers from sizes: all GPUs are of one type, of which there may be several memories.
func (l *Layout) makeLayers(out *profiled) error {
	network := layout.Transformer{
		Hidden: l.Sizes.Hidden,
		Heads:  l.Sizes.Heads,
		Layers: l.Sizes.Layers,
		Seq:    l.Sizes.Seq,
		Vocab:  cmp.Or(l.Sizes.Vocab, 51200),
	}
	if err := network.Check(); err != nil {
		return model.At("sizes", err)
	}
	times, err := layout.LayerTimesOf(l.GPUs[0].GPU)
	if err != nil {
		return model.At("gpus[0].gpu", err)
	}
	var names []string
	out.inside = map[string]layout.Curve{}
	for i, of := range l.GPUs {
		other, err := layout.LayerTimesOf(of.GPU)
		if err == nil && layout.GPUMemory(of.GPU) == 0 {
			err = fmt.Errorf("the memory of GPU %q is not known, expected %s-40 or %[2]s-80", of.GPU, other.GPU)
		}
		if err != nil {
			return model.At(fmt.Sprintf("gpus[%d].gpu", i), err)
		}
		names = append(names, of.GPU)
		out.inside[of.GPU] = times.Within()
	}
	out.profile = times.Profile(network, names, microBatches, parallelisms)
	out.runtime = times.Runtime()
	out.beyond = times.Beyond(network)
	return nil
}

// node returns what an instance of a type is.
func (l *Layout) node(s model.Study, instanceType string) (layout.Pool, error) {
	k := slices.IndexFunc(l.GPUs, func(g GPUs) bool { return g.Type == instanceType })
	if k < 0 {
		var known []string
		for i := range l.GPUs {
			known = append(known, l.GPUs[i].Type)
		}
		return layout.Pool{}, fmt.Errorf("no GPU of instance type %q in model.layout.gpus; there are %s", instanceType,
			strings.Join(known, ", "))
	}
	usd := l.GPUs[k].USDPerH
	for _, pool := range s.Pools() {
		if usd == 0 && pool.Type == instanceType {
			usd = pool.OnDemandUSDPerH
		}
	}
	if usd == 0 && (l.Goal == "cost" || l.MaxUSDPerStep > 0) {
		return layout.Pool{}, fmt.Errorf("no price of %s to compare layouts with, "+
			"expected usd_per_h in model.layout.gpus, or on_demand_usd_per_h", instanceType)
	}
	return layout.Pool{GPU: l.GPUs[k].GPU, Node: max(l.GPUs[k].Count, 1), USDPerHour: usd}, nil
}

// placeOf returns where a pool is: one on demand of an instance type is wherever the job is.
func placeOf(s model.Study, pool *sim.Pool) charges.Place {
	if pool.OnDemand && !s.OnDemandByRegion() {
		return charges.Place{}
	}
	return charges.Place{Cloud: pool.Cloud, Region: pool.Region, Zone: pool.Zone}
}

// on returns the model for pools.
func (l *Layout) on(s model.Study, at []sim.Pool) (*layout.Training, error) {
	var pools []layout.Pool
	var places []charges.Place
	var key strings.Builder
	for i := range at {
		node, err := l.node(s, at[i].InstanceType)
		if err != nil {
			return nil, err
		}
		place := placeOf(s, &at[i])
		node.Zone = cmp.Or(place.Zone, place.Region)
		if l.Links != nil {
			node.Zone = strings.Join([]string{place.Cloud, place.Region, place.Zone}, "/")
		}
		pools = append(pools, node)
		places = append(places, place)
		fmt.Fprintf(&key, "%s in %s, ", at[i].InstanceType, node.Zone)
	}
	opened := l.opened
	opened.mu.Lock()
	defer opened.mu.Unlock()
	if known := opened.models[key.String()]; known != nil {
		return known, nil
	}
	links, err := l.links(s, pools, places)
	if err != nil {
		return nil, err
	}
	of := &layout.Model{Profile: opened.profile, Links: links, Runtime: opened.runtime}
	made, err := layout.NewTraining(of, opened.job, pools)
	if err == nil {
		opened.models[key.String()] = made
	}
	return made, err
}

// links returns the links between places, which are named by their zones where these are known.
func (l *Layout) links(s model.Study, pools []layout.Pool, places []charges.Place) (*layout.Links, error) {
	if l.Links == nil {
		measured := l.opened.measured
		known := measured.Zones()
		for i := range pools {
			if !slices.Contains(known, pools[i].Zone) {
				return nil, s.ErrorAt("$.model.layout", "links is missing, and no link of zone %q was measured, "+
					"expected links, or zones of %s", pools[i].Zone, strings.Join(known, ", "))
			}
		}
		return measured, nil
	}
	curves := map[[2]layout.End]layout.Curve{}
	egress := map[[2]string]float64{}
	for a, from := range pools {
		for b, to := range pools {
			speed := l.Links.between(places[a], places[b])
			if speed == 0 {
				continue
			}
			ends := [2]layout.End{{Zone: from.Zone, GPU: from.GPU, GPUs: 1}, {Zone: to.Zone, GPU: to.GPU, GPUs: 1}}
			curves[ends] = layout.Curve{0, 0, speed}
			usd := 0.0
			if tariff := l.opened.tariff; tariff != nil {
				var err error
				if usd, err = tariff.USD(places[a], places[b], 1); err != nil {
					return nil, err
				}
			}
			egress[[2]string{from.Zone, to.Zone}] = usd
		}
	}
	links := layout.NewLinks(curves, egress)
	for gpu, curve := range l.opened.inside {
		links.SetInside(gpu, curve)
	}
	return links, nil
}

// between returns the speed of the link between two places; 0 if there is none.
func (l *Links) between(from, to charges.Place) float64 {
	switch charges.ScopeOf(from, to) {
	case charges.SameZone:
		return l.ZoneGBPerS
	case charges.SameRegion:
		return l.RegionGBPerS
	}
	return l.BeyondGBPerS
}
