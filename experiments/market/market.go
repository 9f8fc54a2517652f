package market

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/replay"
	"github.com/marigram/marigram/traces/synth"
)

// Markets makes the markets of a spec: one of its own for each seed if it is
// synthetic or draws the lives of machines, else one and the same for all. It is
// safe for concurrent use.
type Markets struct {
	// Name is for the results; it says synthetic where the market is.
	Name string
	// Replay names the assumptions under which the histories are replayed.
	Replay string
	// Unit is what runs are independent by: results.ByStart or results.BySeed.
	Unit string
	// Warnings are why the numbers of all runs on the market may mislead.
	Warnings []string
	// Inputs are the files that were read.
	Inputs []traces.SourceFile

	partial []partial // warnings about some of the runs
	spec    *spec.Spec
	whole   bool            // the histories are kept to their end
	replays []replay.Replay // of each PoolSpec, without a seed
	only    *sim.Market     // of all seeds; nil: each has its own
	// Of a recorded market: its pools, and when it ends.
	recorded []recordedPool
	end      sim.Time
	// Of a synthetic market: its pools, and the PoolSpec of each.
	pools []synth.SyntheticPool
	of    []int
}

// Of reads the histories of a spec and checks that a market can be made of them.
func Of(s *spec.Spec) (*Markets, error) { return open(s, false) }

// Whole is Of with recorded histories to their end, not to the horizon of a run
// that begins where they do: for runs that begin later.
func Whole(s *spec.Spec) (*Markets, error) {
	if s.Market.Synthetic != nil {
		return nil, s.ErrorAt("$.market.synthetic", "starts need a recorded history: a synthetic market differs for every seed")
	}
	return open(s, true)
}

func open(s *spec.Spec, whole bool) (*Markets, error) {
	m := &Markets{spec: s, whole: whole}
	prepare := m.record
	if s.Market.Synthetic != nil {
		prepare = m.synthetic
	}
	if err := prepare(); err != nil {
		return m, err
	}
	m.Unit = m.unit()
	first, err := m.For(uint64(s.Seed))
	if !m.differ() {
		m.only, m.recorded = first, nil // which the market has copied
	}
	return m, err
}

// Shared returns the market of all seeds; nil where each has one of its own.
func (m *Markets) Shared() *sim.Market { return m.only }

// LastStart returns the last instant, from the start of the histories, from which
// they hold a whole horizon; negative if there is none.
func (m *Markets) LastStart() time.Duration {
	return m.end.Sub(0) - m.spec.Horizon()
}

// reach returns how many microseconds of history are wanted.
func (m *Markets) reach() int64 {
	if m.whole {
		return 1 << 61 // longer than any, and no overflow when added to an instant
	}
	return int64(sim.Time(0).Add(m.spec.Horizon()))
}

// differ reports whether seeds have markets of their own.
func (m *Markets) differ() bool {
	drawn := func(r recordedPool) bool { return r.drawn != nil }
	return m.spec.Market.Synthetic != nil || slices.ContainsFunc(m.recorded, drawn)
}

// unit is the seed where each draws all of its market, prices and capacity. Where
// seeds share a part of a recorded history, it is the start.
func (m *Markets) unit() string {
	for i := range m.recorded {
		assumed := m.spec.Market.Pools[i].Prices.USDPerH > 0
		if !assumed || m.replays[i].Adapter != replay.LifetimeResample {
			return results.ByStart
		}
	}
	return results.BySeed
}

// For returns the market for a seed.
func (m *Markets) For(seed uint64) (*sim.Market, error) {
	if m.only != nil {
		return m.only, nil
	}
	if m.spec.Market.Synthetic != nil {
		return m.forSynthetic(seed)
	}
	var all []sim.History
	for i := range m.recorded {
		h, err := m.recorded[i].forSeed(seed)
		if err != nil {
			return nil, fmt.Errorf("pool %s: %w", h.Name, err)
		}
		all = append(all, h)
	}
	return sim.NewMarket(m.end, withOnDemand(m.spec, all))
}

func (m *Markets) forSynthetic(seed uint64) (*sim.Market, error) {
	horizon := m.spec.Horizon()
	tape, err := synth.DefaultSynthetic().Trace(seed, m.pools, horizon)
	if err != nil {
		return nil, err
	}
	var all []sim.History
	for i := range m.pools {
		p := &m.spec.Market.Pools[m.of[i]]
		assumption := m.replays[m.of[i]]
		assumption.Seed = seed
		hs, _, err := assumption.Histories(tape, replay.Window{}, i)
		if err != nil {
			return nil, err
		}
		applySpec(m.spec, &hs[0].Pool, p, "synthetic")
		all = append(all, hs[0])
	}
	return sim.NewMarket(sim.Time(0).Add(horizon), withOnDemand(m.spec, all))
}

func (m *Markets) synthetic() error {
	if err := m.readReplays(nil); err != nil {
		return err
	}
	x := m.spec.Market.Synthetic
	regions, zones := x.Size()
	m.Name = "synthetic"
	for i := range m.spec.Market.Pools {
		p := &m.spec.Market.Pools[i]
		machines := x.Machines
		if machines == 0 {
			machines = *p.Quota
		}
		like := synth.SyntheticPool{InstanceType: p.Type, OnDemandNano: int64(p.OnDemandUSDPerH * 1e9), Cap: machines}
		for _, pool := range synth.SyntheticPools(regions, zones, like) {
			m.pools, m.of = append(m.pools, pool), append(m.of, i)
		}
	}
	m.Replay = "synthetic market, " + m.assumptions()
	return nil
}

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
