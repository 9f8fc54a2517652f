package market

import (
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/replay"
	"github.com/marigram/marigram/traces/synth"
)

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
		m.warnList(p, p.Type, nil)
		for _, pool := range synth.SyntheticPools(regions, zones, like) {
			m.pools, m.of = append(m.pools, pool), append(m.of, i)
		}
	}
	m.Replay = "synthetic market, " + m.assumptions()
	return nil
}

// Synthetic returns a market of the spec's generator that lasts for a span: one like those of runs, for a spec whose
// market is synthetic.
func (m *Markets) Synthetic(seed uint64, span time.Duration) (*sim.Market, error) {
	trace, err := m.law().Trace(seed, m.pools, span)
	if err != nil {
		return nil, err
	}
	var all []sim.Trace
	for i := range m.pools {
		p := &m.spec.Market.Pools[m.of[i]]
		assumption := m.replays[m.of[i]]
		assumption.Seed = seed
		hs, _, err := assumption.Traces(trace, replay.Window{}, i)
		if err != nil {
			return nil, err
		}
		applySpec(m.spec, &hs[0].Pool, p, "synthetic")
		all = append(all, hs[0])
	}
	return m.newMarket(sim.Time(0).Add(span), all)
}

// law is what the spec's synthetic market is made by.
func (m *Markets) law() synth.Synthetic {
	s, x := synth.DefaultSynthetic(), m.spec.Market.Synthetic
	if x.OnS > 0 {
		s.GlobalShocks, s.RegionShocks, s.PoolShocks = 0, 0, 3600/x.OnS+3600/x.OffS
		s.GlobalShare, s.RegionShare, s.SingleStep, s.Dispersion = 0, 0, 0, 0
		s.Empty = x.OffS / (x.OnS + x.OffS)
		s.Full = 1 - s.Empty
	}
	if x.PriceShare > 0 {
		s.Floor, s.Ceiling, s.ChangesMin, s.ChangesMax = x.PriceShare, x.PriceShare, 0, 0
	}
	return s
}
