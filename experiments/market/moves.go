package market

import (
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// Moves says what moves of a job's state take; nil: nothing.
func (m *Markets) Moves() sim.Mover {
	if m.moves == nil {
		return nil
	}
	return m.moves
}

// prepareMoves looks every pair of places of a market up.
func (m *Markets) prepareMoves(market *sim.Market) error {
	var places []charges.Place
	table := &moves{byRegion: m.spec.OnDemandByRegion(), between: map[[2]charges.Place]sim.Move{}}
	anywhere := false
	for i := range market.Pools() {
		p := market.Pool(i)
		at := table.placeOf(p)
		switch free := p.OnDemand && !table.byRegion; {
		case free:
			anywhere = true
		case !slices.Contains(places, at):
			places = append(places, at)
		}
	}
	x := m.spec.Market.Moves
	if x != nil && x.ByTier != nil {
		m.moves = movesByTier(market, x)
		return nil
	}
	switch {
	case x == nil && !m.spec.Workload().MovesAcrossRegions():
		return nil
	case x == nil:
		m.warnFreeMoves(places)
		return nil
	}
	tariff, err := charges.TariffOf(x.USDPerGB, x.Tariff, m.spec.Path(x.Tariff))
	if err != nil {
		return m.spec.ErrorAt("$.market.moves.tariff", "%v", err)
	}
	if len(places) < 2 {
		m.warn("market.moves has no effect: all pools are in one place")
	}
	m.moves = table
	if anywhere && distant(places) {
		m.warn("the job's state moves to pools on demand, and from them, for nothing: " +
			"they are of an instance type, wherever the job is (market.on_demand: region)")
	}
	for _, from := range places {
		for _, to := range places {
			if from == to {
				continue
			}
			usd, err := tariff.USD(from, to, x.GB)
			if err != nil {
				return m.spec.ErrorAt("$.market.moves.tariff", "%v", err)
			}
			table.between[[2]charges.Place{from, to}] = sim.Move{USD: usd, Time: timeOf(x, tariff, from, to)}
		}
	}
	return nil
}

// movesByTier are moves that cost what the distance of two servers says.
func movesByTier(market *sim.Market, x *spec.Moves) *moves {
	table := &moves{market: market, pools: make(map[string]int, market.Pools()), apart: []sim.Move{{}}}
	for p := range market.Pools() {
		table.pools[market.Pool(p).Name] = p
	}
	for _, tier := range x.ByTier {
		m := sim.Move{USD: x.GB * tier.USDPerGB}
		if tier.GBPerS > 0 {
			m.Time = time.Duration(min(x.GB/tier.GBPerS, maxMoveS) * float64(time.Second))
		}
		table.apart = append(table.apart, m)
	}
	return table
}

// timeOf is how long a move takes.
func timeOf(x *spec.Moves, tariff charges.Tariff, from, to charges.Place) time.Duration {
	seconds := charges.TransferSeconds(from, to, x.GB)
	if own, is := tariff.(*charges.Table); is {
		seconds = own.Seconds(from, to, x.GB)
	}
	switch {
	case x.GBPerS == nil:
	case *x.GBPerS == 0 || charges.ScopeOf(from, to) == charges.SameZone:
		seconds = 0
	default:
		seconds = x.GB / *x.GBPerS
	}
	return time.Duration(min(seconds, maxMoveS) * float64(time.Second))
}

// maxMoveS bounds the time of a move: more is for ever.
const maxMoveS = 1e9

// warnFreeMoves says that moves cost nothing, where there are several regions or clouds.
func (m *Markets) warnFreeMoves(places []charges.Place) {
	if distant(places) {
		m.warn("moves between regions are free and take no time (market.moves says what they cost)")
	}
}

// distant reports whether places are in several regions or clouds.
func distant(places []charges.Place) bool {
	return slices.ContainsFunc(places, func(a charges.Place) bool {
		scope := charges.ScopeOf(places[0], a)
		return scope == charges.OtherRegion || scope == charges.Internet
	})
}
