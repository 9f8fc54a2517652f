package market

import (
	"fmt"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/sim"
)

// fixedName is what results call a market of servers alone.
const fixedName = "fixed cluster"

// fixed makes a market of servers alone.
func (m *Markets) fixed() error {
	m.Name = fixedName
	m.Replay = "servers that are always there"
	if len(m.spec.Failures()) > 0 {
		m.Replay = "servers that fail"
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
			server := sim.Pool{
				Name:          fmt.Sprintf("%s-%d", x.GPU, named[x.GPU]),
				Region:        rack,
				Above:         above,
				InstanceType:  x.GPU,
				GPU:           x.GPU,
				GPUs:          1,
				Reserved:      true,
				Quota:         x.GPUs,
				OnDemandPrice: x.USDPerGPUH,
				Granularity:   &sim.Granularity{},
			}
			all = append(all, sim.Trace{Prices: []sim.Price{{USD: x.USDPerGPUH}}, Pool: server})
			named[x.GPU]++
		}
		m.failures.failWhole(x, all[len(all)-x.Number():])
	}
	return append(append(all, pools...), rented...)
}

// rentedGPUs is GPUs that are rented on demand.
func rentedGPUs(s *spec.Spec, x *cluster.Servers) sim.Trace {
	pool := sim.Pool{
		Name:          "on-demand/" + x.GPU,
		InstanceType:  x.GPU,
		GPU:           x.GPU,
		GPUs:          1,
		OnDemand:      true,
		OnDemandPrice: x.USDPerGPUH,
		Quota:         x.GPUs,
		Boot:          s.Market.Boot.Distribution(),
	}
	return sim.Trace{Prices: []sim.Price{{USD: x.USDPerGPUH}}, Pool: pool}
}
