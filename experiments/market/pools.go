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
	m.slowDown(all)
	limits, err := quotasOver(s, all)
	if err != nil {
		return nil, err
	}
	return sim.NewMarket(end, all, limits...)
}

// quotasOver returns the quotas over several pools.
func quotasOver(s *spec.Spec, pools []sim.Trace) (limits []sim.Limit, err error) {
	for i := range s.Market.Quotas {
		quota := &s.Market.Quotas[i]
		limit := sim.Limit{Name: quota.String(), Instances: *quota.Instances}
		for p := range pools {
			if quota.Fits(&pools[p].Pool) && pools[p].Until == 0 {
				limit.Pools = append(limit.Pools, p)
			}
		}
		if limit.Pools == nil {
			return nil, s.ErrorAt(fmt.Sprintf("$.market.quotas[%d]", i),
				"no pool is %s: its cloud, region, zone or type is not that of a pool", limit.Name)
		}
		limits = append(limits, limit)
	}
	return limits, nil
}

// withBlocks adds a pool for each capacity block, and gives the pools on demand the other
// commitments.
func (m *Markets) withBlocks(end sim.Time, all []sim.Trace) ([]sim.Trace, error) {
	for i := range m.spec.Market.Commitments {
		commitment := &m.spec.Market.Commitments[i]
		paid := sim.Commitment{
			Instances:  commitment.Instances,
			USDPerHour: commitment.USDPerH,
			From:       commitment.From(),
			Until:      commitment.Until(),
		}
		if commitment.Kind == spec.CapacityBlock {
			block := m.block(commitment, &paid, all)
			block.Name = fmt.Sprintf("block-%d/%s", i+1, commitment.Type)
			if paid.Until < end {
				block.Capacity = append(block.Capacity, sim.Capacity{At: paid.Until})
			}
			all = append(all, block)
			continue
		}
		k := slices.IndexFunc(all, func(t sim.Trace) bool {
			return t.OnDemand && t.InstanceType == commitment.Type && matches(commitment.Cloud, t.Cloud) &&
				matches(commitment.Region, t.Region)
		})
		if k < 0 {
			return nil, m.spec.ErrorAt(fmt.Sprintf("$.market.commitments[%d]", i),
				"no pool on demand of %s is in region %q of cloud %q",
				commitment.Type, commitment.Region, commitment.Cloud)
		}
		all[k].Commitments = append(all[k].Commitments, paid)
	}
	return all, nil
}

// block returns the pool of a capacity block without its name, which is like the first of its type where it says
// nothing else.
func (m *Markets) block(commitment *spec.Commitment, paid *sim.Commitment, all []sim.Trace) sim.Trace {
	first := slices.IndexFunc(all, func(t sim.Trace) bool { return !t.OnDemand && t.InstanceType == commitment.Type })
	pool := all[first].Pool
	pool.Cloud = cmp.Or(commitment.Cloud, pool.Cloud)
	pool.Region = cmp.Or(commitment.Region, pool.Region)
	pool.Zone = cmp.Or(commitment.Zone, pool.Zone)
	pool.Quota = commitment.Instances
	pool.Notice = commitment.Notice()
	pool.NoticeMissing = 0
	pool.From = paid.From
	pool.Until = paid.Until
	pool.Wait = 0
	pool.WaitSigma = 0
	pool.Length = 0
	pool.Granularity = &sim.Granularity{} // it is paid as a whole
	pool.Failures = m.failures[commitment.Failures]
	return sim.Trace{
		Pool:        pool,
		Prices:      []sim.Price{{}},
		Commitments: []sim.Commitment{*paid},
		Capacity:    []sim.Capacity{{At: paid.From, N: commitment.Instances}},
	}
}

// matches reports whether a key of the spec is that of a pool, or is left out.
func matches(wanted, has string) bool { return wanted == "" || wanted == has }

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
		sold := &s.Market.Pools[i]
		if sold.OnDemandQuota == 0 || seen[sold.Type] {
			continue
		}
		seen[sold.Type] = true
		pool := sim.Pool{OnDemand: true}
		applySpec(s, &pool, sold, cloudOf(spot, sold.Type))
		pool.Name = "on-demand/" + sold.Type
		pool.Quota = sold.OnDemandQuota
		pool.Zone = ""
		pool.Failures = m.failures[sold.Failures]
		all = append(all, sim.Trace{Pool: pool, Prices: []sim.Price{{USD: sold.OnDemandUSDPerH}}})
	}
	return all, nil
}

// withRegions adds an on-demand pool for each instance type and region in which the spec sells it
// on demand.
func (m *Markets) withRegions(spot []sim.Trace) ([]sim.Trace, error) {
	s := m.spec
	all := spot
	soldBy := map[string]int{} // pool of the spec, by the name of the pool on demand
	for k := range spot {
		at := &spot[k].Pool
		for i := range s.Market.Pools {
			sold := &s.Market.Pools[i]
			if sold.OnDemandQuota == 0 || sold.Type != at.InstanceType || !matches(sold.Cloud, at.Cloud) ||
				!matches(sold.Region, at.Region) || !matches(sold.Zone, at.Zone) {
				continue
			}
			name := "on-demand/" + at.Region + "/" + sold.Type
			first, given := soldBy[name]
			if given && first != i {
				return nil, s.ErrorAt(fmt.Sprintf("$.market.pools[%d].on_demand_quota", i),
					"%d, expected it at the first pool of type %s in region %q only",
					sold.OnDemandQuota, sold.Type, at.Region)
			}
			if given {
				continue
			}
			soldBy[name] = i
			pool := sim.Pool{OnDemand: true}
			applySpec(s, &pool, sold, at.Cloud)
			pool.Name = name
			pool.Quota = sold.OnDemandQuota
			pool.Region = at.Region
			pool.Zone = ""
			if shared := m.failures[sold.Failures]; shared != nil {
				each := *shared // of each region
				pool.Failures = &each
			}
			all = append(all, sim.Trace{Pool: pool, Prices: []sim.Price{{USD: sold.OnDemandUSDPerH}}})
		}
	}
	return all, nil
}
