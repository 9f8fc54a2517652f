package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/traces/replay"
)

func (s *Spec) checkMarket() error {
	m := &s.Market
	fixed := s.Jobs != nil && len(m.Pools) == 0
	switch {
	case s.Jobs == nil && len(m.Servers) > 0:
		return s.ErrorAt("$.market.servers", "a cluster of servers is for many jobs (jobs), expected pools")
	case s.Jobs == nil && len(m.Tiers) > 0:
		return s.ErrorAt("$.market.tiers", "tiers of servers are for many jobs (jobs), expected pools")
	case s.Jobs == nil && m.Instances != nil:
		return s.ErrorAt("$.market.instances", "instances that several jobs share are for many jobs (jobs), expected pools")
	case fixed && (m.Synthetic != nil || len(m.Histories) > 0):
		return s.ErrorAt("$.market", "synthetic or histories, but no pool has them: expected pools beside servers, or servers alone")
	case !fixed && (m.Synthetic == nil) == (len(m.Histories) == 0):
		return s.ErrorAt("$.market", "expected either synthetic or histories")
	}
	if x := m.Synthetic; x != nil {
		if x.Regions < 0 || x.Regions > maxRegions || x.Zones < 0 || x.Zones > maxZones || x.Machines < 0 ||
			x.Machines > 1e6 {
			return s.ErrorAt("$.market.synthetic", "regions %d, zones %d, machines %d, expected at most %d, %d and 1000000",
				x.Regions, x.Zones, x.Machines, maxRegions, maxZones)
		}
	}
	names := map[string]bool{}
	for i, h := range m.Histories {
		at := fmt.Sprintf("$.market.histories[%d]", i)
		switch {
		case h.Name == "" || names[h.Name]:
			return s.ErrorAt(at+".name", "%q, expected a name that is used once", h.Name)
		case h.Path == "":
			return s.ErrorAt(at+".path", "expected a file or folder")
		case h.FromS < 0:
			return s.ErrorAt(at+".from_s", "%v, expected at least 0", h.FromS)
		case h.From != "" && h.FromS != 0:
			return s.ErrorAt(at+".from", "expected from or from_s, not both")
		}
		if _, err := time.Parse(time.RFC3339, h.From); h.From != "" && err != nil {
			return s.ErrorAt(at+".from", "%q, expected an instant such as 2020-02-20T00:00:00Z", h.From)
		}
		names[h.Name] = true
	}
	if !slices.Contains([]string{"", onDemandByType, onDemandByRegion}, m.OnDemand) {
		return s.ErrorAt("$.market.on_demand", "%q, expected %s or %s", m.OnDemand, onDemandByType, onDemandByRegion)
	}
	if err := s.checkReplay("$.market.replay", &m.Replay); err != nil {
		return err
	}
	return s.checkRules()
}

func (s *Spec) checkMoves() error {
	m := s.Market.Moves
	if m == nil {
		return nil
	}
	limit := func(key string, x, most float64) error {
		if x >= 0 && x <= most {
			return nil
		}
		return s.ErrorAt("$.market.moves."+key, "%v, expected 0 to %v", x, most)
	}
	switch {
	case m.GB == 0:
		return s.ErrorAt("$.market.moves", "gb is missing or 0, expected the size of the job's state")
	case m.ByTier != nil:
		return s.checkTierMoves(m)
	case (m.Tariff == "") == (m.USDPerGB == nil):
		return s.ErrorAt("$.market.moves", "expected either tariff or usd_per_gb (0: free)")
	}
	return cmp.Or(limit("gb", m.GB, 1e6), limit("usd_per_gb", valueOr(m.USDPerGB, 0), 1e4), limit("gb_per_s", valueOr(m.GBPerS, 0), 1e6))
}

// checkTierMoves reports what is wrong with moves by tier.
func (s *Spec) checkTierMoves(m *Moves) error {
	const at = "$.market.moves.by_tier"
	spans := cluster.Spans(s.Market.Tiers)
	switch {
	case m.Tariff != "" || m.USDPerGB != nil || m.GBPerS != nil:
		return s.ErrorAt(at, "expected by_tier, or a tariff or a price for all, not both")
	case len(s.Market.Servers) == 0:
		return s.ErrorAt(at, "tiers of servers, but there are none: expected market.servers, or a tariff")
	case len(m.ByTier) != len(spans):
		return s.ErrorAt(at, "%d entries, expected %d: %s", len(m.ByTier), len(spans), strings.Join(spans, ", "))
	case !(m.GB <= 1e6):
		return s.ErrorAt("$.market.moves.gb", "%v, expected 0 to 1e6", m.GB)
	}
	for k, x := range m.ByTier {
		switch {
		case !(x.USDPerGB >= 0 && x.USDPerGB <= 1e4):
			return s.ErrorAt(fmt.Sprintf("%s[%d].usd_per_gb", at, k), "%v, expected 0 to 10000", x.USDPerGB)
		case !(x.GBPerS >= 0 && x.GBPerS <= 1e6):
			return s.ErrorAt(fmt.Sprintf("%s[%d].gb_per_s", at, k), "%v, expected 0 to 1e6", x.GBPerS)
		}
	}
	return nil
}

func (s *Spec) checkRules() error {
	for _, check := range []func() error{s.checkMoves, s.checkRenting} {
		if err := check(); err != nil {
			return err
		}
	}
	b := &s.Market.Billing
	for _, q := range []struct {
		path string
		x    float64
		most float64
	}{
		{"boot.median_s", valueOr(s.Market.Boot.MedianS, 0), 86400},
		{"boot.sigma", valueOr(s.Market.Boot.Sigma, 0), 3},
		{"billing.increment_s", valueOr(b.IncrementS, 0), 86400},
		{"billing.minimum_s", valueOr(b.MinimumS, 0), 86400},
		{"billing.parameter_server_usd_per_h", valueOr(b.ParameterServerUSDPerH, 0), 1e5},
		{"billing.disk_gb", b.DiskGB, 1e6},
		{"billing.disk_usd_per_gb_month", b.DiskUSDPerGBMonth, 1e3},
		{"billing.tax", b.Tax, 1},
		{"billing.storage_gb", b.StorageGB, 1e9},
		{"billing.storage_usd_per_gb_month", b.StorageUSDPerGBMonth, 1e3},
	} {
		if q.x < 0 || q.x > q.most {
			return s.ErrorAt("$.market."+q.path, "%v, expected 0 to %v", q.x, q.most)
		}
	}
	return nil
}

func (s *Spec) checkPools() error {
	if x := s.Market.Instances; x != nil && len(s.Market.Pools) == 0 && x.OnDemandQuota == 0 {
		return s.ErrorAt("$.market.instances.on_demand_quota", "0, and there are no pools: nothing can be rented; expected at least 1, or pools")
	}
	if len(s.Market.Pools) == 0 && len(s.Market.Servers) == 0 && s.Market.Instances == nil {
		return s.ErrorAt("$.market", "pools is empty, expected at least one instance type")
	}
	seen := map[string]bool{}
	for i := range s.Market.Pools {
		p, at := &s.Market.Pools[i], fmt.Sprintf("$.market.pools[%d]", i)
		key := p.Zone + "/" + p.Type
		if p.Queue != nil {
			key += "/queued"
		}
		switch {
		case p.Type == "":
			return s.ErrorAt(at, "type is missing")
		case seen[key]:
			return s.ErrorAt(at+".type", "%q is given twice in zone %q", p.Type, p.Zone)
		case !slices.Contains([]string{"", "aws", "gcp", "azure"}, p.Cloud):
			return s.ErrorAt(at+".cloud", "%q, expected aws, gcp or azure", p.Cloud)
		case p.Quota == nil:
			return s.ErrorAt(at, "quota is missing")
		case *p.Quota < 1 || *p.Quota > maxQuota:
			return s.ErrorAt(at+".quota", "%d, expected 1 to %d (leave the pool out to buy none)", *p.Quota, maxQuota)
		case p.OnDemandQuota < 0 || p.OnDemandQuota > maxQuota:
			return s.ErrorAt(at+".on_demand_quota", "%d, expected 0 to %d", p.OnDemandQuota, maxQuota)
		case p.OnDemandUSDPerH < 0 || p.OnDemandUSDPerH > 1e5:
			return s.ErrorAt(at+".on_demand_usd_per_h", "%v, expected a price, 0 to 100000", p.OnDemandUSDPerH)
		case p.OnDemandUSDPerH == 0 && (p.OnDemandQuota > 0 || s.Market.Synthetic != nil):
			return s.ErrorAt(at, "on_demand_usd_per_h is missing")
		}
		if err := s.checkOnDemand(i); err != nil {
			return err
		}
		if err := s.checkQueue(at, p.Queue); err != nil {
			return err
		}
		seen[key] = true
		if err := s.checkSeries(at, p); err != nil {
			return err
		}
	}
	return nil
}

// checkOnDemand refuses what would not count: where on demand is not sold by region, an instance
// type has one on-demand pool, wherever its spot pools are.
func (s *Spec) checkOnDemand(i int) error {
	p := &s.Market.Pools[i]
	if s.OnDemandByRegion() {
		return nil
	}
	for k := range i {
		q := &s.Market.Pools[k]
		if q.Type != p.Type {
			continue
		}
		at := fmt.Sprintf("$.market.pools[%d]", i)
		if p.OnDemandQuota != 0 {
			return s.ErrorAt(at+".on_demand_quota",
				"%d, expected it at the first pool of type %s only: there is one on-demand pool per type (market.on_demand: region makes one per region)", p.OnDemandQuota, p.Type)
		}
		if p.OnDemandUSDPerH != 0 && p.OnDemandUSDPerH != q.OnDemandUSDPerH {
			return s.ErrorAt(at+".on_demand_usd_per_h", "%v, expected %v as at the first pool of type %s", p.OnDemandUSDPerH,
				q.OnDemandUSDPerH, p.Type)
		}
	}
	return nil
}

func (s *Spec) checkSeries(at string, p *Pool) error {
	assumption := s.ReplayOf(p)
	if p.Replay != nil {
		if err := s.checkReplay(at+".replay", assumption); err != nil {
			return err
		}
	}
	ownLives := assumption.adapter() == replay.LifetimeResample && assumption.Lifetime == nil
	if s.Market.Synthetic != nil {
		if ownLives {
			return s.ErrorAt(at, "a synthetic market has no recorded lifetimes, expected lifetime with the adapter %s",
				assumption.Adapter)
		}
		if p.Prices != nil || p.Capacity != nil || p.Zone != "" || p.Region != "" {
			return s.ErrorAt(at, "a synthetic market generates zones, prices and capacity: leave them out")
		}
		return nil
	}
	if p.Prices == nil {
		return s.ErrorAt(at, "prices is missing, expected the history that has them")
	}
	switch drawn := assumption.adapter() == replay.LifetimeResample && !ownLives; {
	case drawn && p.Capacity != nil:
		return s.ErrorAt(at+".capacity", "expected none: %s with a distribution of lifetimes always has room for the quota",
			assumption.Adapter)
	case p.Capacity == nil && (ownLives || assumption.adapter() == replay.LaunchOnly):
		return s.ErrorAt(at, "capacity is missing, expected the history that the adapter %s replays", assumption.Adapter)
	}
	if err := s.checkNoCapacity(at, p, assumption); err != nil {
		return err
	}
	if x := p.Prices.USDPerH; x < 0 || x > 1e4 {
		return s.ErrorAt(at+".prices.usd_per_h", "%v, expected more than 0 and at most 10000", x)
	}
	if p.Capacity != nil && p.Capacity.USDPerH != 0 {
		return s.ErrorAt(at+".capacity.usd_per_h", "%v, expected none: it belongs to prices", p.Capacity.USDPerH)
	}
	if !s.hasHistory(p.Prices.History) {
		return s.ErrorAt(at+".prices.history", "%q is not among the histories", p.Prices.History)
	}
	if p.Capacity != nil && !s.hasHistory(p.Capacity.History) {
		return s.ErrorAt(at+".capacity.history", "%q is not among the histories", p.Capacity.History)
	}
	return nil
}

// checkNoCapacity refuses what would be dropped where a pool has no record of
// capacity.
func (s *Spec) checkNoCapacity(at string, p *Pool, r *Replay) error {
	if s.Capacity(p) != nil {
		return nil
	}
	none := "which belongs to a record of capacity, but the pool has none"
	const wants = "expected capacity: {history: NAME}, or replay: {adapter: count_cap} for instances that are never preempted"
	switch a := r.adapter(); {
	case a == replay.BinaryAll || a == replay.PerEvent:
		return s.ErrorAt(at, "its replay has the adapter %s, %s: %s", a, none, wants)
	case r.Scale != nil:
		return s.ErrorAt(at, "its replay has scale %v, %s: %s", *r.Scale, none, wants)
	case r.Copies != nil && a == replay.CountCap:
		return s.ErrorAt(at, "its replay has copies %d, %s: %s", *r.Copies, none, wants)
	}
	return nil
}
