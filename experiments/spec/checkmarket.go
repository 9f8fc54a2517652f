package spec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/traces/replay"
)

func (s *Spec) checkMarket() error {
	m := &s.Market
	fixed := s.FixedCluster()
	switch {
	case fixed && (m.Synthetic != nil || len(m.Traces) > 0):
		return s.ErrorAt("$.market", "synthetic or traces, but no pool has them: "+
			"expected pools next to servers, or servers alone")
	case !fixed && (m.Synthetic == nil) == (len(m.Traces) == 0):
		return s.ErrorAt("$.market", "expected either synthetic or traces: synthetic: {} draws prices and capacity, "+
			"traces name files of them; a constant price (prices: {usd_per_h: ...}) needs a trace of capacity")
	}
	names := map[string]bool{}
	for i, h := range m.Traces {
		at := fmt.Sprintf("$.market.traces[%d]", i)
		if names[h.Name] {
			return s.ErrorAt(at+".name", "%q, expected a name that is used once", h.Name)
		}
		if d, err := ParseDuration(h.Unit); h.Unit != "" && (err != nil || d < time.Microsecond) {
			return s.ErrorAt(at+".unit", "%q, expected a time such as 1s, 1ms or 1h", h.Unit)
		}
		if _, err := time.Parse(time.RFC3339, h.From); h.From != "" && err != nil {
			return s.ErrorAt(at+".from", "%q, expected an instant such as 2020-02-20T00:00:00Z", h.From)
		}
		if err := store.Check(h.Path); err != nil {
			return s.ErrorAt(at+".path", "%v", err)
		}
		names[h.Name] = true
	}
	if err := s.checkReplay("$.market.replay", &m.Replay); err != nil {
		return err
	}
	if err := s.checkMoves(); err != nil {
		return err
	}
	return s.checkRenting()
}

// checkMoves reports what is wrong with moves by tier.
func (s *Spec) checkMoves() error {
	m := s.Market.Moves
	if m == nil || m.ByTier == nil {
		return nil
	}
	const at = "$.market.moves.by_tier"
	spans := cluster.Spans(s.Market.Tiers)
	switch {
	case len(s.Market.Servers) == 0:
		return s.ErrorAt(at, "tiers of servers, but there are none: expected market.servers, or a tariff")
	case len(m.ByTier) != len(spans):
		return s.ErrorAt(at, "%d entries, expected %d: %s", len(m.ByTier), len(spans), strings.Join(spans, ", "))
	}
	return nil
}

func (s *Spec) checkPools() error {
	if len(s.Market.Pools) == 0 && len(s.Market.Servers) == 0 {
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
		case seen[key]:
			return s.ErrorAt(at+".type", "%q is given twice in zone %q", p.Type, p.Zone)
		case p.OnDemandUSDPerH == 0 && (p.OnDemandQuota > 0 || s.Market.Synthetic != nil):
			return s.ErrorAt(at, "on_demand_usd_per_h is missing")
		}
		if err := s.checkGenerated(at, p); err != nil {
			return err
		}
		if err := s.checkOnDemand(i); err != nil {
			return err
		}
		if q := p.Queue; q != nil && q.WaitS == 0 && q.LengthS == 0 {
			return s.ErrorAt(at+".queue", "expected wait_s, length_s or both")
		}
		seen[key] = true
		if *p.Quota == 0 {
			if err := s.checkOnlyOnDemand(at, p); err != nil {
				return err
			}
			continue
		}
		if err := s.checkSeries(at, p); err != nil {
			return err
		}
	}
	return nil
}

// checkGenerated refuses a pool that no market is generated for.
func (s *Spec) checkGenerated(at string, p *Pool) error {
	const lowest, highest = 0.001, 10000 // USD/h
	switch x := s.Market.Synthetic; {
	case x == nil && p.SpotUSDPerH != 0:
		return s.ErrorAt(at+".spot_usd_per_h", "%v, expected none: prices are those of a trace; "+
			"it is for a synthetic market", p.SpotUSDPerH)
	case x == nil:
	case p.SpotUSDPerH > highest:
		return s.ErrorAt(at+".spot_usd_per_h", "%v, expected at most %v", p.SpotUSDPerH, highest)
	case *p.Quota == 0 && p.OnDemandQuota > 0 && x.Machines == 0:
		return s.ErrorAt(at+".quota", "0, expected at least 1: a synthetic market has as many machines; "+
			"or market.synthetic.machines")
	case p.OnDemandUSDPerH < lowest || p.OnDemandUSDPerH > highest:
		return s.ErrorAt(at+".on_demand_usd_per_h", "%v, expected %v to %v: "+
			"prices of a synthetic market are shares of it", p.OnDemandUSDPerH, lowest, highest)
	}
	return nil
}

// checkOnlyOnDemand refuses what a pool without spot instances cannot have.
func (s *Spec) checkOnlyOnDemand(at string, p *Pool) error {
	recorded := s.Market.Synthetic == nil
	ofSpot := p.Prices != nil && p.Prices.Trace != "" || p.Capacity != nil || p.Replay != nil || p.Queue != nil
	switch {
	case p.OnDemandQuota == 0:
		return s.ErrorAt(at+".quota", "0, and on_demand_quota is 0, too: "+
			"nothing can be held; expected one of them above 0")
	case recorded && ofSpot:
		return s.ErrorAt(at+".quota", "0: the pool has no spot instances; "+
			"expected no prices, capacity, replay or queue")
	case recorded && s.OnDemandByRegion() && p.Region == "":
		return s.ErrorAt(at, "region is missing: a pool without a trace has none of its own, "+
			"and on demand is sold by region (market.on_demand)")
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
			return s.ErrorAt(at+".on_demand_quota", "%d, expected it at the first pool of type %s only: "+
				"there is one on-demand pool per type (market.on_demand: region makes one per region)",
				p.OnDemandQuota, p.Type)
		}
		if p.OnDemandUSDPerH != 0 && p.OnDemandUSDPerH != q.OnDemandUSDPerH {
			return s.ErrorAt(at+".on_demand_usd_per_h", "%v, expected %v as at the first pool of type %s",
				p.OnDemandUSDPerH, q.OnDemandUSDPerH, p.Type)
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
	ownLifetimes := assumption.adapter() == replay.LifetimeResample && assumption.Lifetime == nil
	if s.Market.Synthetic != nil {
		if ownLifetimes {
			return s.ErrorAt(at, "a synthetic market has no recorded lifetimes, expected lifetime with the adapter %s",
				assumption.Adapter)
		}
		if p.Prices != nil || p.Capacity != nil || p.Zone != "" || p.Region != "" {
			return s.ErrorAt(at, "a synthetic market generates zones, prices and capacity: leave them out")
		}
		return nil
	}
	if p.Prices == nil {
		return s.ErrorAt(at, "prices is missing, expected the trace that has them")
	}
	if p.Prices.Typical != "" {
		return s.ErrorAt(at+".prices.typical", "%s, expected none: it belongs to capacity", p.Prices.Typical)
	}
	if p.Prices.Trace == "" {
		return s.ErrorAt(at+".prices", "trace is missing, "+
			"expected the trace that has them, or usd_per_h and a trace of capacity")
	}
	if p.Typical() != "" {
		return s.checkTypical(at, p)
	}
	if p.Capacity != nil && p.Capacity.Trace == "" {
		return s.ErrorAt(at+".capacity", "trace is missing, "+
			"expected the trace that has it, or typical: what is assumed (low, band, high)")
	}
	switch drawn := assumption.adapter() == replay.LifetimeResample && !ownLifetimes; {
	case drawn && p.Capacity != nil:
		return s.ErrorAt(at+".capacity", "expected none: "+
			"%s with a distribution of lifetimes always has capacity for the quota", assumption.Adapter)
	case p.Capacity == nil && (ownLifetimes || assumption.adapter() == replay.LaunchOnly):
		return s.ErrorAt(at, "capacity is missing, expected the trace that the adapter %s replays", assumption.Adapter)
	}
	if err := s.checkNoCapacity(at, p, assumption); err != nil {
		return err
	}
	if p.Capacity != nil && p.Capacity.USDPerH != 0 {
		return s.ErrorAt(at+".capacity.usd_per_h", "%v, expected none: it belongs to prices", p.Capacity.USDPerH)
	}
	if !s.hasTrace(p.Prices.Trace) {
		return s.ErrorAt(at+".prices.trace", "%q is not among the traces", p.Prices.Trace)
	}
	if p.Capacity != nil && !s.hasTrace(p.Capacity.Trace) {
		return s.ErrorAt(at+".capacity.trace", "%q is not among the traces", p.Capacity.Trace)
	}
	return nil
}

// checkTypical checks a pool whose capacity is assumed.
func (s *Spec) checkTypical(at string, p *Pool) error {
	r := p.Replay
	replays := r != nil &&
		(r.Adapter != "" || r.Scale != nil || r.Copies != nil || r.BidUSDPerH != nil || r.Lifetime != nil)
	switch {
	case !s.hasTrace(p.Prices.Trace):
		return s.ErrorAt(at+".prices.trace", "%q is not among the traces", p.Prices.Trace)
	case p.Capacity.Pool != "" || p.Capacity.USDPerH != 0:
		return s.ErrorAt(at+".capacity", "pool or usd_per_h next to typical, expected typical alone")
	case replays:
		return s.ErrorAt(at+".replay", "capacity that is typical is drawn, "+
			"expected no adapter, scale, copies, bid_usd_per_h or lifetime next to it")
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
	const wants = "expected capacity: {trace: NAME}, " +
		"or replay: {adapter: count_cap} for instances that are never preempted"
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

func (s *Spec) checkRenting() error {
	for _, x := range s.Failures() {
		if err := x.Check(x.Place, x.Whole, s.ErrorAt); err != nil {
			return err
		}
	}
	if err := s.checkSlow(); err != nil {
		return err
	}
	if err := s.checkCommitments(); err != nil {
		return err
	}
	return s.checkClouds()
}

// checkSlow checks how machines become slow, and whether the job has what is to be done about it.
func (s *Spec) checkSlow() error {
	slow := s.Slow()
	between := "workers" // of many jobs
	kind, _ := s.kind()
	if kind != nil {
		between = kind.Shares
	}
	for _, x := range slow {
		if err := x.Check(x.Place, x.Server, x.fails, s.ErrorAt); err != nil {
			return err
		}
		const others = "expected keep, replace or ski-rental"
		shared, moved := x.Shares()
		switch {
		case x.MicroBatches != slow[0].MicroBatches:
			return s.ErrorAt(x.Place, "%d micro-batches (micro_batches), expected %d as in %s: "+
				"a job has them on all of its machines", x.MicroBatches, slow[0].MicroBatches, slow[0].Place[2:])
		case shared && between == "":
			return s.ErrorAt(x.Place+".do", "%s, %s: the model is %s, which has no replicas that share micro-batches",
				x.Do, others, kind.Name)
		case shared && kind != nil && s.fleet() < 2:
			return s.ErrorAt(x.Place+".do", "%s, %s: the job has one instance, and nothing to share micro-batches with",
				x.Do, others)
		case moved && between != "pipelines":
			return s.ErrorAt(x.Place+".do", "a move (do: move, move_s), %s or rebalance: "+
				"only a job in pipelines has places to exchange", others)
		}
	}
	return nil
}

func (s *Spec) checkCommitments() error {
	for i := range s.Market.Commitments {
		c, at := &s.Market.Commitments[i], fmt.Sprintf("$.market.commitments[%d]", i)
		of := func(p Pool) bool { return p.Type == c.Type }
		k := slices.IndexFunc(s.Market.Pools, of)
		switch {
		case k < 0:
			return s.ErrorAt(at+".type", "%q, expected the type of one of the pools", c.Type)
		case c.UntilH != nil && *c.UntilH <= c.FromH:
			return s.ErrorAt(at+".until_h", "%v, expected more than from_h (%v)", *c.UntilH, c.FromH)
		case c.Kind == CapacityBlock && c.UntilH == nil:
			return s.ErrorAt(at, "until_h is missing: a capacity block has an end")
		case c.Kind == CapacityBlock:
			continue
		case !s.OnDemandByRegion() && (c.Cloud != "" || c.Region != ""):
			return s.ErrorAt(at, "a %s covers what is held on demand, which has one pool per type; "+
				"expected no cloud and no region, or market.on_demand: region", c.Kind)
		case !slices.ContainsFunc(s.Market.Pools, func(p Pool) bool { return of(p) && p.OnDemandQuota > 0 }):
			return s.ErrorAt(at, "a %s covers instances on demand, but on_demand_quota of type %s is 0",
				c.Kind, c.Type)
		}
	}
	return nil
}

func (s *Spec) checkClouds() error {
	seen := map[string]bool{}
	for i, c := range s.Market.Billing.Clouds {
		at := fmt.Sprintf("$.market.billing.clouds[%d]", i)
		switch {
		case seen[c.Cloud]:
			return s.ErrorAt(at+".cloud", "%q, expected a cloud that is given once", c.Cloud)
		case c.IncrementS == nil && c.MinimumS == nil:
			return s.ErrorAt(at, "expected increment_s, minimum_s or both")
		}
		seen[c.Cloud] = true
	}
	return nil
}
