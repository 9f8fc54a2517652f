package cluster

import (
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
)

// Instances says which instances are rented whole, so that several jobs can share one.
type Instances struct {
	Types         string   `json:"types" jsonschema:"what types of instance have: eva (21 types of p3, c7i and r7i), or a CSV file with the columns type, gpus, vcpus, memory_gb and usd_per_h, and, if wanted, family, gpu, order_s (from a request on demand until it is paid) and boot_s, relative to this file"`
	Only          []string `json:"only,omitempty" needs:"on_demand_quota" jsonschema:"types that can be rented on demand; all of the table if absent"`
	OnDemandQuota int      `json:"on_demand_quota,omitempty" min:"0" max:"16384" jsonschema:"largest number of instances of each type on demand; 0 or absent: market.pools alone, whose types must be in the table"`
	ReturnS       float64  `json:"return_s,omitempty" min:"0" max:"86400" jsonschema:"time for which an instance is paid on after it was given back; 0 if absent"`
}

// File returns the name of the file of the table; empty where there is none.
func (x *Instances) File() string {
	if x == nil || x.Types == throughput.Eva {
		return ""
	}
	return x.Types
}

// Table returns the types.
func (x *Instances) Table(file func(string) string, at At) ([]throughput.Type, error) {
	types, err := throughput.Types(x.Types, file)
	if err != nil {
		return nil, at("$.market.instances.types", "%v", err)
	}
	for _, name := range x.Only {
		if throughput.FindType(types, name) == nil {
			return nil, at("$.market.instances.only", "%q is no type of the table %s", name, x.Types)
		}
	}
	return types, nil
}

// OnDemand returns a pool for each type that can be rented on demand.
func (x *Instances) OnDemand(types []throughput.Type) (pools []sim.Trace) {
	for i := range types {
		t := &types[i]
		if x.OnDemandQuota == 0 || len(x.Only) > 0 && !slices.Contains(x.Only, t.Name) {
			continue
		}
		pools = append(pools, sim.Trace{Prices: []sim.Price{{USD: t.USD}}, Pool: sim.Pool{Name: "on-demand/" + t.Name, InstanceType: t.Name, GPU: t.GPU,
			GPUs: int(t.Full[0]), Full: t.Full, OnDemand: true, OnDemandPrice: t.USD, Quota: x.OnDemandQuota, Wait: t.Order, Boot: sim.Boot{Median: t.Boot}}})
	}
	return pools
}

// Return is how long an instance is paid on after it was given back.
func (x *Instances) Return() time.Duration { return units.Seconds(x.ReturnS) }
