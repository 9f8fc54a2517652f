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
		scale := p.OnDemandUSDPerH
		if p.SpotUSDPerH > 0 {
			law := m.law()
			scale = p.SpotUSDPerH / law.MeanPrice()
		}
		like := synth.SyntheticPool{InstanceType: p.Type, OnDemandNano: int64(scale * 1e9), Cap: machines}
		m.warnList(p, p.Type, nil)
		for _, pool := range synth.SyntheticPools(regions, zones, like) {
			m.pools = append(m.pools, pool)
			m.of = append(m.of, i)
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
		replayed, _, err := assumption.Traces(trace, replay.Window{}, i)
		if err != nil {
			return nil, err
		}
		applySpec(m.spec, &replayed[0].Pool, p, "synthetic")
		all = append(all, replayed[0])
	}
	return m.newMarket(sim.Time(0).Add(span), all)
}

// law is what the spec's synthetic market is made by.
func (m *Markets) law() synth.Synthetic {
	asked := m.spec.Market.Synthetic
	law := synth.DefaultSynthetic()
	if asked.OnS > 0 { // each pool is full or empty, by itself
		law.GlobalShocks = 0
		law.RegionShocks = 0
		law.PoolShocks = 3600/asked.OnS + 3600/asked.OffS
		law.GlobalShare = 0
		law.RegionShare = 0
		law.SingleStep = 0
		law.Dispersion = 0
		law.Empty = asked.OffS / (asked.OnS + asked.OffS)
		law.Full = 1 - law.Empty
	}
	if asked.PriceShare > 0 { // prices are constant
		law.Floor = asked.PriceShare
		law.Ceiling = asked.PriceShare
		law.ChangesMin = 0
		law.ChangesMax = 0
	}
	return law
}
