package synth

import (
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
)

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
