package spec

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/replay"
)

func (r *Replay) adapter() replay.Adapter {
	if r.Adapter == "" {
		return replay.CountCap
	}
	a, _ := replay.AdapterNamed(r.Adapter) // one of the names of its tag
	return a
}

// ReplayOf returns how a pool's trace is replayed: as the market's, but for the
// keys that the pool has. A pool with another adapter takes nothing that belongs to
// the market's.
func (s *Spec) ReplayOf(p *Pool) *Replay {
	out := s.Market.Replay
	own := p.Replay
	if own == nil {
		return &out
	}
	if own.Adapter != "" && own.adapter() != out.adapter() {
		out.Scale = nil
		out.Copies = nil
		out.BidUSDPerH = nil
		out.Lifetime = nil
	}
	out.Adapter = cmp.Or(own.Adapter, out.Adapter)
	out.Victim = cmp.Or(own.Victim, out.Victim)
	out.NoticeS = cmp.Or(own.NoticeS, out.NoticeS)
	out.NoticeMissing = cmp.Or(own.NoticeMissing, out.NoticeMissing)
	out.Scale = cmp.Or(own.Scale, out.Scale)
	out.Copies = cmp.Or(own.Copies, out.Copies)
	out.BidUSDPerH = cmp.Or(own.BidUSDPerH, out.BidUSDPerH)
	out.Lifetime = cmp.Or(own.Lifetime, out.Lifetime)
	return &out
}

// Capacity returns where a pool's capacity comes from; nil: nowhere, it is assumed (Pool.Typical) or has no
// limit. Bids are for prices, so those of the pool decide where nothing else does.
func (s *Spec) Capacity(p *Pool) *Series {
	if p.Capacity == nil && s.ReplayOf(p).adapter() == replay.Bid {
		return p.Prices
	}
	if p.Typical() != "" {
		return nil
	}
	return p.Capacity
}

// Replay returns the assumption under which a pool's trace is replayed, without
// seed and distribution of lifetimes.
func (r *Replay) Replay(p *Pool) replay.Replay {
	out := replay.Replay{
		Adapter:       r.adapter(),
		NoticeMissing: stats.Or(r.NoticeMissing, 0),
		Scale:         stats.Or(r.Scale, 1),
		Copies:        stats.Or(r.Copies, 1),
		Bid:           stats.Or(r.BidUSDPerH, 0),
		N:             *p.Quota,
		Notice:        sim.DefaultNotice(p.Cloud),
		Victim:        victim(r.Victim),
	}
	if r.NoticeS != nil {
		out.Notice = units.Seconds(*r.NoticeS)
	}
	return out
}

func victim(name string) sim.Victim {
	v := sim.VictimRandom
	for name != "" && v < sim.VictimOldest && name != v.String() {
		v++
	}
	return v
}

// Bathtub returns the parameters of the distribution bathtub.
func (l *Lifetime) Bathtub() describe.Bathtub {
	return describe.Bathtub{A: l.A, Tau1: l.Tau1H, Tau2: l.Tau2H, B: l.BH}
}

// checkReplay refuses settings that would not count.
func (s *Spec) checkReplay(at string, r *Replay) error {
	adapter := r.adapter()
	scale := stats.Or(r.Scale, 1)
	copies := stats.Or(r.Copies, 1)
	switch {
	case r.Scale != nil && adapter != replay.CountCap && adapter != replay.LaunchOnly:
		return s.ErrorAt(at+".scale", "%v, expected none with the adapter %s", scale, adapter)
	case copies > 1 && scale != 1:
		return s.ErrorAt(at+".copies", "%d, expected no scale next to it", copies)
	case r.BidUSDPerH != nil && adapter != replay.Bid:
		return s.ErrorAt(at+".bid_usd_per_h", "%v, expected only with the adapter bid", *r.BidUSDPerH)
	case r.BidUSDPerH == nil && adapter == replay.Bid:
		return s.ErrorAt(at, "bid_usd_per_h is missing: the adapter bid needs it")
	}
	return s.checkLifetime(at, r)
}

// checkLifetime checks a replay's distribution of lifetimes.
func (s *Spec) checkLifetime(at string, r *Replay) error {
	lifetime := r.Lifetime
	assumed := replay.Replay{Adapter: r.adapter()}
	switch {
	case lifetime == nil && assumed.Adapter == replay.LaunchOnly:
		return s.ErrorAt(at, "lifetime is missing: the adapter %s needs a distribution of lifetimes", assumed.Adapter)
	case lifetime == nil:
		return nil
	case !assumed.DrawsLifetimes():
		return s.ErrorAt(at+".lifetime", "the adapter %s draws no lifetimes, expected launch_only or lifetime_resample",
			assumed.Adapter)
	}
	if err := s.checkLifetimeKeys(at+".lifetime", lifetime); err != nil {
		return err
	}
	if lifetime.Distribution == KaplanMeier && !s.hasTrace(lifetime.Trace) {
		return s.ErrorAt(at+".lifetime.trace", "%q is not among the traces", lifetime.Trace)
	}
	if lifetime.Distribution == Bathtub {
		if err := lifetime.Bathtub().Check(); err != nil {
			return s.ErrorAt(at+".lifetime", "%v", err)
		}
	}
	return nil
}

// checkLifetimeKeys refuses a distribution without its parameters.
func (s *Spec) checkLifetimeKeys(at string, l *Lifetime) error {
	for _, q := range []struct {
		key, of string
		given   bool
	}{
		{"mean_h", Exponential, l.MeanH != 0},
		{"a_share", Bathtub, l.A != 0}, {"tau1_h", Bathtub, l.Tau1H != 0}, {"tau2_h", Bathtub, l.Tau2H != 0},
		{"b_h", Bathtub, l.BH != 0},
		{"trace", KaplanMeier, l.Trace != ""},
	} {
		if !q.given && q.of == l.Distribution {
			return s.ErrorAt(at, "%s is missing: the distribution %s needs it", q.key, l.Distribution)
		}
	}
	return nil
}

// Assuming returns the spec with another assumption of capacity in the pools that have one; nil if none has.
func (s *Spec) Assuming(typical string) *Spec {
	other := *s
	other.Market.Pools = slices.Clone(s.Market.Pools)
	assumes := false
	for i := range other.Market.Pools {
		if pool := &other.Market.Pools[i]; pool.Typical() != "" {
			pool.Capacity = &Series{Typical: typical}
			assumes = true
		}
	}
	if !assumes {
		return nil
	}
	return &other
}

// OnDemandByRegion reports whether on demand is sold by region: a pool in each.
func (s *Spec) OnDemandByRegion() bool { return s.Market.OnDemand == onDemandByRegion }

// OnDemandPlaces returns in how many places each pool of the spec has its on_demand_quota.
func (s *Spec) OnDemandPlaces() int {
	if x := s.Market.Synthetic; x != nil && s.OnDemandByRegion() {
		regions, _ := x.Size()
		return regions
	}
	return 1
}

// PlacedFailures is failures with their place in the spec, and how many machines they are of.
type PlacedFailures struct {
	*cluster.Failures
	Place    string
	Machines int
	Whole    bool // of servers
}

// Failures returns the failures of servers, of machines on demand and of capacity blocks, in their order.
func (s *Spec) Failures() (all []PlacedFailures) {
	add := func(f *cluster.Failures, whole bool, n int, place string, i int) {
		if f == nil {
			return
		}
		if n += f.Standbys; f.Spares != nil {
			n += f.Spares.Count
		}
		all = append(all, PlacedFailures{f, fmt.Sprintf("$.market.%s[%d].failures", place, i), n, whole})
	}
	for i := range s.Market.Servers {
		add(s.Market.Servers[i].Failures, true, s.Market.Servers[i].Number(), "servers", i)
	}
	for i := range s.Market.Pools {
		add(s.Market.Pools[i].Failures, false, s.Market.Pools[i].OnDemandQuota, "pools", i)
	}
	for i := range s.Market.Commitments {
		add(s.Market.Commitments[i].Failures, false, s.Market.Commitments[i].Instances, "commitments", i)
	}
	return all
}

// PlacedSlow is how machines become slow, with its place in the spec, and how many machines it is of.
type PlacedSlow struct {
	*cluster.Slow
	Place    string
	Machines int // of a pool the most that a run can number: each grant is another
	Server   bool
	fails    bool
}

// Slow returns how machines become slow, of servers and pools, in their order.
func (s *Spec) Slow() (all []PlacedSlow) {
	for i := range s.Market.Servers {
		if x := &s.Market.Servers[i]; x.Slow != nil {
			place := fmt.Sprintf("$.market.servers[%d].slow", i)
			all = append(all, PlacedSlow{x.Slow, place, x.Number(), true, x.Failures != nil})
		}
	}
	for i := range s.Market.Pools {
		if x := &s.Market.Pools[i]; x.Slow != nil {
			place := fmt.Sprintf("$.market.pools[%d].slow", i)
			all = append(all, PlacedSlow{x.Slow, place, math.MaxInt32, false, x.Failures != nil})
		}
	}
	return all
}

// BlocksOf returns how many instances of a type capacity blocks have in all.
func (s *Spec) BlocksOf(instanceType string) (n int) {
	for i := range s.Market.Commitments {
		if c := &s.Market.Commitments[i]; c.Kind == CapacityBlock && c.Type == instanceType {
			n += c.Instances
		}
	}
	return n
}

// fleet returns the most instances that a run can hold, on spot and on demand.
func (s *Spec) fleet() int {
	places := 1
	if x := s.Market.Synthetic; x != nil {
		regions, zones := x.Size()
		places = regions * zones
	}
	n := 0
	for _, p := range s.Market.Pools {
		n += *p.Quota*places + p.OnDemandQuota*s.OnDemandPlaces()
	}
	for _, c := range s.Market.Commitments {
		if c.Kind == CapacityBlock {
			n += c.Instances
		}
	}
	return min(n, math.MaxInt32)
}
