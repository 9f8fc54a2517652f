package synth

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
)

// Model is a way to make traces; the types in this package that implement it
// are its parameters.
type Model interface {
	// check returns what is wrong with the parameters for the pools.
	check(pools []GeneratorPool) error
	// make makes the pools' traces.
	make(m *making)
	// rate bounds the records of a pool per hour, on average.
	rate(pools []GeneratorPool) float64
}

// modelEntry is a model by name.
type modelEntry struct {
	name, what string
	blank      func() Model                                  // to decode parameters into
	fit        func(h *trace, opt FitOptions) (Model, error) // nil: cannot be fitted
	standard   func() (model Model, pools []GeneratorPool)   // without a trace; nil: needs one
}

// FitOptions says how to fit; the zero value is right.
type FitOptions struct {
	// Seeds is how many traces the goodness of fit is measured on; 0: 40.
	Seeds int
	// Block is the length of the blocks of the model block; 0: a day, or a
	// quarter of the shortest pool's record if that is shorter.
	Block time.Duration
	// MaxLifetime ends every lifetime of the models kaplan-meier and bathtub (Google's
	// preemptible VMs: 24 h); 0: no end.
	MaxLifetime time.Duration
}

const defaultSeeds = 40

func (o *FitOptions) seeds() int {
	if o.Seeds == 0 {
		return defaultSeeds
	}
	return o.Seeds
}

// fitSeeds is how many traces parameters are fitted on, where that takes
// simulation.
func (o *FitOptions) fitSeeds() int { return min(o.seeds(), 12) }

func (o *FitOptions) check() error {
	if o.Seeds < 0 || o.Seeds > 10_000 || o.Block < 0 || o.MaxLifetime < 0 ||
		o.MaxLifetime.Hours() > describe.MaxLifetimeHours {
		return fmt.Errorf("fit: seeds %d, block %v, longest life %v, expected 0 to 10000, and times from 0 to 100 years",
			o.Seeds, o.Block, o.MaxLifetime)
	}
	return nil
}

func within(x, low, high float64) bool { return x >= low && x <= high }

// each returns an error unless there is one of something for each pool.
func each(what string, n int, pools []GeneratorPool) error {
	if n != len(pools) {
		return fmt.Errorf("%s of %d pools, expected %d, one each", what, n, len(pools))
	}
	return nil
}

// minGapHours is the shortest time until the next machine comes: a second,
// the resolution of the coarsest clouds' own records.
const minGapHours = 1. / 3600

// models lists the generators; each is one file.
var models = registry.Of("model", func(e modelEntry) string { return e.name }, bulkEntry, kaplanMeierEntry, bathtubEntry, priceEntry, bambooEntry,
	blockEntry, exponentialEntry)

// ModelInfo names a model.
type ModelInfo struct {
	Name     string `json:"name"`
	What     string `json:"what"`
	Fits     bool   `json:"can_be_fitted"`
	Standard bool   `json:"needs_no_history"` // Standard makes it
}

// Models lists the models.
func Models() []ModelInfo {
	var out []ModelInfo
	for _, l := range models.All() {
		out = append(out, ModelInfo{l.name, l.what, l.fit != nil, l.standard != nil})
	}
	return out
}

// GeneratorPool is a pool to make: a recorded one's name, place and machine,
// marked synthetic.
type GeneratorPool struct {
	Name         string `json:"name"`
	Region       string `json:"region,omitempty"`
	Zone         string `json:"zone,omitempty"`
	InstanceType string `json:"instance_type,omitempty"`
	GPU          string `json:"gpu,omitempty"`
	GPUs         int    `json:"gpus,omitempty"`
	Cap          int    `json:"cap_machines"`                         // most machines; 0: prices only
	Machines     bool   `json:"single_machines"`                      // makes machines that come and go; false: counts
	OnDemandNano int64  `json:"on_demand_nanousd_per_hour,omitempty"` // 0: unknown
}

// generatorPools describes the pools of a trace, marked synthetic.
func generatorPools(h *trace) []GeneratorPool {
	mark := func(name string) string {
		if name == "" {
			return ""
		}
		return "synthetic-" + strings.TrimPrefix(name, "synthetic-")
	}
	out := make([]GeneratorPool, len(h.set.Pools))
	for i, p := range h.set.Pools {
		out[i] = GeneratorPool{
			Name: mark(p.Name), Region: mark(p.Region), Zone: mark(p.Zone), InstanceType: p.InstanceType,
			GPU: p.GPUType, GPUs: int(p.GPUCount), Cap: h.courses[i].top,
			Machines: slices.ContainsFunc(h.set.InstanceEvents,
				func(r traces.InstanceEventRow) bool { return int(r.PoolID) == i }),
		}
		if p.OnDemandNano != nil {
			out[i].OnDemandNano = *p.OnDemandNano
		}
	}
	return out
}

func (p GeneratorPool) pool(id int32) traces.Pool {
	out := traces.Pool{
		PoolID: id, Name: p.Name, Cloud: traces.SemanticsSynthetic, Region: p.Region, Zone: p.Zone,
		InstanceType: p.InstanceType, GPUType: p.GPU, Market: "spot", GPUCount: int32(p.GPUs),
	}
	if nano := p.OnDemandNano; nano > 0 {
		out.OnDemandNano = &nano
	}
	return out
}

// dropMachines leaves pools with prices only.
func dropMachines(pools []GeneratorPool) {
	for i := range pools {
		pools[i].Cap, pools[i].Machines = 0, false
	}
}

// standardPool is the pool of models without a trace.
func standardPool(machines int) []GeneratorPool {
	return []GeneratorPool{{
		Name: "synthetic-1a/machine", Region: "synthetic-1", Zone: "synthetic-1a", InstanceType: "machine",
		Cap: machines, Machines: true,
	}}
}
