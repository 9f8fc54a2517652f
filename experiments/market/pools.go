package market

import (
	"strings"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// applySpec gives a pool what the spec says of it.
func applySpec(s *spec.Spec, pool *sim.Pool, p *spec.Pool, cloud string) {
	if p.Cloud != "" {
		cloud = p.Cloud
	}
	if cloud != "" {
		pool.Cloud = cloud
	}
	if p.Zone != "" {
		pool.Zone = p.Zone
	}
	if p.Region != "" {
		pool.Region = p.Region
	}
	pool.InstanceType = p.Type
	pool.Name = strings.TrimPrefix(pool.Zone+"/"+p.Type, "/")
	pool.Quota = *p.Quota
	pool.OnDemandPrice = p.OnDemandUSDPerH
	pool.Boot = s.Market.Boot.Distribution()
}

// withOnDemand adds the on-demand pools, one an instance type, behind the spot
// pools.
func withOnDemand(s *spec.Spec, spot []sim.History) []sim.History {
	all := spot
	seen := map[string]bool{}
	for i := range s.Market.Pools {
		p := &s.Market.Pools[i]
		if p.OnDemandQuota == 0 || seen[p.Type] {
			continue
		}
		seen[p.Type] = true
		pool := sim.Pool{OnDemand: true}
		applySpec(s, &pool, p, "")
		pool.Name, pool.Quota, pool.Zone = "on-demand/"+p.Type, p.OnDemandQuota, ""
		all = append(all, sim.History{Pool: pool, Prices: []sim.Price{{USD: p.OnDemandUSDPerH}}})
	}
	return all
}
