package market

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/sim"
)

// fixedName is what results call a market of servers alone.
const fixedName = "fixed cluster"

// fixed makes a market of servers alone.
func (m *Markets) fixed() error {
	m.Name, m.Replay = fixedName, "servers that are always there"
	if len(m.spec.Failures()) > 0 {
		m.Replay = "servers that fail"
	}
	if m.spec.Market.Instances != nil {
		m.Name, m.Replay = "on demand", "instances on demand"
	}
	m.end = sim.Time(0).Add(m.spec.Horizon())
	return nil
}

// withServers puts the fixed servers of a spec before the pools, and what is rented on demand behind
// them. An instance is a GPU.
func (m *Markets) withServers(pools []sim.Trace) []sim.Trace {
	s := m.spec
	var all, rented []sim.Trace
	named := map[string]int{} // servers so far, by model
	places := tiers{of: s.Market.Tiers}
	for i := range s.Market.Servers {
		x := &s.Market.Servers[i]
		if x.OnDemand {
			rented = append(rented, rentedGPUs(s, x))
			continue
		}
		for k := range x.Number() {
			rack, above := places.next(i, k, x)
			all = append(all, sim.Trace{Prices: []sim.Price{{USD: x.USDPerGPUH}}, Pool: sim.Pool{
				Name: fmt.Sprintf("%s-%d", x.GPU, named[x.GPU]), Region: rack, Above: above, InstanceType: x.GPU, GPU: x.GPU, GPUs: 1,
				Reserved: true, Quota: x.GPUs, OnDemandPrice: x.USDPerGPUH, Granularity: &sim.Granularity{}}})
			named[x.GPU]++
		}
		m.failures.failWhole(x, all[len(all)-x.Number():])
	}
	all = append(append(all, pools...), rented...)
	if s.Model.Gang.SharesGPUs() {
		for i := range all {
			all[i].Full = oneGPU
		}
	}
	return all
}

// oneGPU is what an instance has that is a GPU which two jobs can share.
var oneGPU = sim.Resources{1}

// withInstances says what pools have that jobs share, and puts behind them what is rented on demand.
func withInstances(s *spec.Spec, pools []sim.Trace) ([]sim.Trace, error) {
	x := s.Market.Instances
	if x == nil {
		return pools, nil
	}
	types, err := x.Table(s.Path, s.ErrorAt)
	if err != nil {
		return nil, err
	}
	for i := range pools {
		t := throughput.FindType(types, pools[i].InstanceType)
		if t == nil {
			return nil, s.ErrorAt("$.market.pools", "type %q is not in market.instances.types (%s): it is not known what tasks can share of it",
				pools[i].InstanceType, x.Types)
		}
		pools[i].Full, pools[i].GPUs = t.Full, int(t.Full[0])
		if pools[i].GPU == "" {
			pools[i].GPU = t.GPU
		}
	}
	return append(pools, x.OnDemand(types)...), nil
}

// rentedGPUs is GPUs that are rented on demand.
func rentedGPUs(s *spec.Spec, x *cluster.Servers) sim.Trace {
	return sim.Trace{Prices: []sim.Price{{USD: x.USDPerGPUH}}, Pool: sim.Pool{
		Name: "on-demand/" + x.GPU, InstanceType: x.GPU, GPU: x.GPU, GPUs: 1, OnDemand: true, OnDemandPrice: x.USDPerGPUH,
		Quota: x.GPUs, Boot: s.Market.Boot.Distribution()}}
}
