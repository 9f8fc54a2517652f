package market

import (
	"cmp"
	"fmt"
	"slices"
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
	if p.GPU != "" {
		pool.GPU = p.GPU
	}
	pool.Name = strings.TrimPrefix(pool.Zone+"/"+p.Type, "/")
	pool.Quota = *p.Quota
	pool.OnDemandPrice = p.OnDemandUSDPerH
	pool.Boot = s.Boot()
	pool.Granularity = s.Granularity(pool.Cloud)
	if p.Queue != nil && !pool.OnDemand {
		pool.Wait, pool.Length = p.Queue.Times()
		pool.WaitSigma = p.Queue.Sigma
		pool.Name += "/queued"
	}
}

// newMarket makes a market of the spot pools, with all else that the spec sells: pools on demand,
// capacity blocks, commitments and quotas over several pools.
func (m *Markets) newMarket(end sim.Time, spot []sim.Trace) (*sim.Market, error) {
	s := m.spec
	all, err := m.withOnDemand(spot)
	if err == nil {
		all, err = m.withBlocks(end, all)
	}
	if err != nil {
		return nil, err
	}
	all = m.withServers(all)
	var limits []sim.Limit
	for i := range s.Market.Quotas {
		q := &s.Market.Quotas[i]
		l := sim.Limit{Name: q.String(), Instances: *q.Instances}
		for p := range all {
			if q.Fits(&all[p].Pool) && all[p].Until == 0 {
				l.Pools = append(l.Pools, p)
			}
		}
		if l.Pools == nil {
			return nil, s.ErrorAt(fmt.Sprintf("$.market.quotas[%d]", i), "no pool is %s: its cloud, region, zone or type is not that of a pool", l.Name)
		}
		limits = append(limits, l)
	}
	return sim.NewMarket(end, all, limits...)
}

// withBlocks adds a pool for each capacity block, and gives the pools on demand the other
// commitments.
func (m *Markets) withBlocks(end sim.Time, all []sim.Trace) ([]sim.Trace, error) {
	s := m.spec
	for i := range s.Market.Commitments {
		c := &s.Market.Commitments[i]
		paid := sim.Commitment{Instances: c.Instances, USDPerHour: c.USDPerH, From: c.From(), Until: c.Until()}
		if c.Kind != spec.CapacityBlock {
			is := func(want, has string) bool { return want == "" || want == has }
			k := slices.IndexFunc(all, func(h sim.Trace) bool {
				return h.OnDemand && h.InstanceType == c.Type && is(c.Cloud, h.Cloud) && is(c.Region, h.Region)
			})
			if k < 0 {
				return nil, s.ErrorAt(fmt.Sprintf("$.market.commitments[%d]", i), "no pool on demand of %s is in region %q of cloud %q", c.Type, c.Region, c.Cloud)
			}
			all[k].Commitments = append(all[k].Commitments, paid)
			continue
		}
		k := slices.IndexFunc(all, func(h sim.Trace) bool { return !h.OnDemand && h.InstanceType == c.Type })
		pool := all[k].Pool
		pool.Cloud, pool.Region, pool.Zone = cmp.Or(c.Cloud, pool.Cloud), cmp.Or(c.Region, pool.Region), cmp.Or(c.Zone, pool.Zone)
		pool.Name = fmt.Sprintf("block-%d/%s", i+1, c.Type)
		pool.Quota, pool.Notice, pool.NoticeMissing = c.Instances, c.Notice(), 0
		pool.From, pool.Until = paid.From, paid.Until
		pool.Wait, pool.WaitSigma, pool.Length = 0, 0, 0
		pool.Granularity = &sim.Granularity{} // it is paid as a whole
		pool.Failures = m.failures[c.Failures]
		h := sim.Trace{Pool: pool, Prices: []sim.Price{{}}, Commitments: []sim.Commitment{paid},
			Capacity: []sim.Capacity{{At: paid.From, N: c.Instances}}}
		if paid.Until < end {
			h.Capacity = append(h.Capacity, sim.Capacity{At: paid.Until})
		}
		all = append(all, h)
	}
	return all, nil
}

// cloudOf returns the cloud of the first pool of a type.
func cloudOf(pools []sim.Trace, instanceType string) string {
	for i := range pools {
		if pools[i].InstanceType == instanceType {
			return pools[i].Cloud
		}
	}
	return ""
}

// warnClouds warns of billing rules of clouds in which nothing is sold.
func (m *Markets) warnClouds(market *sim.Market) {
	for _, c := range m.spec.Market.Billing.Clouds {
		sold := func(g sim.Group) bool { return g.Name == c.Cloud }
		if !slices.ContainsFunc(market.Groups(sim.ByCloud), sold) {
			m.warn("market.billing.clouds: no pool is of the cloud %s: its rules have no effect", c.Cloud)
		}
	}
}

// withOnDemand adds the on-demand pools, one an instance type or one an instance type and region,
// behind the spot pools.
func (m *Markets) withOnDemand(spot []sim.Trace) ([]sim.Trace, error) {
	s := m.spec
	if s.OnDemandByRegion() {
		return m.withRegions(spot)
	}
	all := spot
	seen := map[string]bool{}
	for i := range s.Market.Pools {
		p := &s.Market.Pools[i]
		if p.OnDemandQuota == 0 || seen[p.Type] {
			continue
		}
		seen[p.Type] = true
		pool := sim.Pool{OnDemand: true}
		applySpec(s, &pool, p, cloudOf(spot, p.Type))
		pool.Name, pool.Quota, pool.Zone, pool.Failures = "on-demand/"+p.Type, p.OnDemandQuota, "", m.failures[p.Failures]
		all = append(all, sim.Trace{Pool: pool, Prices: []sim.Price{{USD: p.OnDemandUSDPerH}}})
	}
	return all, nil
}

// withRegions adds an on-demand pool for each instance type and region in which the spec sells it
// on demand.
func (m *Markets) withRegions(spot []sim.Trace) ([]sim.Trace, error) {
	s := m.spec
	all, of := spot, map[string]int{}
	for k := range spot {
		at := &spot[k].Pool
		for i := range s.Market.Pools {
			p := &s.Market.Pools[i]
			is := func(want, has string) bool { return want == "" || want == has }
			if p.OnDemandQuota == 0 || p.Type != at.InstanceType || !is(p.Cloud, at.Cloud) || !is(p.Region, at.Region) || !is(p.Zone, at.Zone) {
				continue
			}
			name := "on-demand/" + at.Region + "/" + p.Type
			if first, given := of[name]; given {
				if first != i {
					return nil, s.ErrorAt(fmt.Sprintf("$.market.pools[%d].on_demand_quota", i), "%d, expected it at the first pool of type %s in region %q only",
						p.OnDemandQuota, p.Type, at.Region)
				}
				continue
			}
			of[name] = i
			pool := sim.Pool{OnDemand: true}
			applySpec(s, &pool, p, at.Cloud)
			pool.Name, pool.Quota, pool.Region, pool.Zone = name, p.OnDemandQuota, at.Region, ""
			if of := m.failures[p.Failures]; of != nil {
				each := *of // of each region
				pool.Failures = &each
			}
			all = append(all, sim.Trace{Pool: pool, Prices: []sim.Price{{USD: p.OnDemandUSDPerH}}})
		}
	}
	return all, nil
}
