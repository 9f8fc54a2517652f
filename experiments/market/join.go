package market

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/replay"
)

func (m *Markets) record() error {
	sources, err := m.sources()
	if err != nil {
		return err
	}
	if err := m.readReplays(sources); err != nil {
		return err
	}
	m.end = sim.Time(m.reach())
	shortest := ""
	for i := range m.spec.Market.Pools {
		pool, until, err := m.join(i, sources)
		if err != nil {
			return m.spec.ErrorAt(fmt.Sprintf("$.market.pools[%d]", i), "%v", err)
		}
		if until < m.end {
			m.end = until
			shortest = pool.trace.Name
		}
		m.recorded = append(m.recorded, pool)
	}
	if shortest != "" && !m.whole {
		m.warn("the trace of %s ends %v into the run, before the horizon: runs are cut there, on demand too", shortest,
			m.end.Sub(0).Round(time.Second))
	}
	m.warnAlignment(sources)
	m.warnZones(sources)
	m.warnAlike()
	m.warnDoubts(sources)
	return nil
}

// warnAlike says in what seeds differ.
func (m *Markets) warnAlike() {
	if m.spec.Seeds == 1 {
		return
	}
	var drawn []string
	for _, pool := range m.recorded {
		if pool.drawn != nil {
			drawn = append(drawn, pool.trace.Name)
		}
	}
	in := "boot times, victims and missing notices"
	if len(drawn) > 0 {
		in = "boot times, victims, missing notices and the lifetimes of the machines of " + strings.Join(drawn, ", ")
	}
	if len(m.levels) > 0 {
		in += " and the levels of capacity that are assumed"
	}
	of := "all seeds"
	if m.whole {
		of = "the seeds of one start"
	}
	m.warn("%s replay the same part of the traces: they differ only in %s", of, in)
}

// join makes the trace of one pool: prices of one source, capacity of another
// perhaps, each on the run's own clock. That they belong together is an
// assumption, which the results say.
func (m *Markets) join(i int, sources map[string]source) (pool recordedPool, end sim.Time, err error) {
	asked := &m.spec.Market.Pools[i]
	joined := &pool.trace
	if *asked.Quota == 0 { // on demand only
		applySpec(m.spec, &joined.Pool, asked, cmp.Or(asked.Cloud, "aws"))
		joined.Prices = []sim.Price{{USD: asked.OnDemandUSDPerH}}
		joined.Capacity = []sim.Capacity{{}}
		return pool, math.MaxInt64, nil
	}
	priced, end, prices, err := m.replayPrices(i, sources)
	if err != nil {
		return pool, 0, fmt.Errorf("prices: %w", err)
	}
	*joined = priced
	capacity, until, err := m.hold(i, &pool, sources)
	if err != nil {
		return pool, 0, fmt.Errorf("capacity: %w", err)
	}
	m.Replay = strings.TrimPrefix(fmt.Sprintf("%s; %s: prices %s, %s", m.Replay, joined.Name, prices, capacity), "; ")
	return pool, min(end, until), nil
}

// replayPrices returns a pool with its prices, until when they are known, and where they are from in words.
func (m *Markets) replayPrices(i int, sources map[string]source) (
	priced sim.Trace, end sim.Time, from string, err error,
) {
	asked := &m.spec.Market.Pools[i]
	assumption := m.replays[i]
	assumption.Adapter = replay.Unlimited
	assumption.Copies = 0
	assumption.Scale = 0
	assumption.FlatPrice = asked.Prices.USDPerH
	prices, err := m.track(asked.Prices, sources, assumption)
	if err != nil {
		return priced, 0, "", err
	}
	from = prices.String()
	if usd := asked.Prices.USDPerH; usd > 0 {
		if len(prices.trace.PriceHistory(prices.pool, replay.Window{})) > 0 {
			return priced, 0, "", fmt.Errorf("usd_per_h is %v, but the trace has prices: expected one of them", usd)
		}
		from = fmt.Sprintf("assumed, %v USD/h", usd)
	}
	if priced, end, err = prices.replayed(); err != nil {
		return priced, 0, "", err
	}
	priced.Capacity = nil
	applySpec(m.spec, &priced.Pool, asked, "")
	if first := priced.Prices[0].At; first > 0 {
		of := "run"
		if m.whole {
			of = "trace"
		}
		m.warnDuring([]interval{{0, first}}, "%s: no price is known for the first %v of the %s: "+
			"the first known price is used", priced.Name, first.Sub(0).Round(time.Second), of)
	}
	if asked.Prices.USDPerH == 0 { // else the trace is one of capacity, and the gaps are its
		m.warnGaps(priced.Name+", prices", &prices)
	}
	return priced, end, from, nil
}

// hold gives a pool its capacity, and says by what assumption and until when.
func (m *Markets) hold(i int, pool *recordedPool, sources map[string]source) (said string, until sim.Time, err error) {
	asked := &m.spec.Market.Pools[i]
	name := pool.trace.Name
	assumption := m.replays[i]
	adapter := assumption.String()
	series := m.spec.Capacity(asked)
	drawnAlone := series == nil && assumption.Adapter == replay.LifetimeResample
	if drawnAlone {
		series = asked.Prices // for its span only
	}
	if asked.Typical() == spec.TypicalHigh {
		m.levels = append(m.levels, i)
		return m.assumed(i), math.MaxInt64, nil
	}
	if series == nil {
		m.warn("%s has no record of capacity: its instances are never preempted "+
			"(capacity: {typical: band} assumes how often they are)", name)
		return results.NeverRevoked, math.MaxInt64, nil
	}
	assumption.FlatPrice = 1 // of a price that is not used
	assumption.StreamName = name
	assumption.Seed = uint64(m.spec.Seed)
	held, err := m.track(series, sources, assumption)
	if err != nil {
		return "", 0, err
	}
	chosen, err := m.chooseAdapter(i, name, &held)
	if err != nil {
		return "", 0, err
	}
	if chosen != "" {
		m.replays[i].Adapter = held.replay.Adapter
		adapter = m.replays[i].String() + chosen
	}
	counted, until, err := held.replayed()
	if err != nil {
		return "", 0, err
	}
	pool.trace.Capacity = counted.Capacity
	pool.trace.Nodes = counted.Nodes
	if assumption.DrawsLifetimes() {
		pool.drawn = &held
	}
	pool.trace.Recorded = pool.drawn == nil && asked.Typical() == ""
	if asked.Typical() != "" {
		return m.assumed(i), until, nil
	}
	if drawnAlone {
		return "capacity assumed: " + adapter, until, nil
	}
	m.warnGaps(name+", capacity", &held)
	return fmt.Sprintf("capacity %s by %s", &held, adapter), until, nil
}

// track finds the pool of a series.
func (m *Markets) track(series *spec.Series, sources map[string]source, replay replay.Replay) (t track, err error) {
	t = track{source: sources[series.Trace], name: series.Trace, replay: replay}
	t.pool, err = t.source.pool(series.Pool)
	t.window.From = t.from
	if replay.DrawsLifetimes() { // no longer than it takes
		t.window.Until = min(t.from+m.reach(), t.trace.PoolEnd(t.pool))
	}
	return t, err
}

// warnGaps warns of what is not known of a track, to the horizon or, where runs
// begin all over it, to its end.
func (m *Markets) warnGaps(what string, t *track) {
	var gaps []interval
	unknown := time.Duration(0)
	until := t.from + m.reach()
	for _, gap := range t.set.Gaps {
		from := max(gap.TStart, t.from)
		to := min(gap.TEnd, until)
		if int(gap.PoolID) == t.pool && to > from {
			gaps = append(gaps, interval{sim.Time(from - t.from), sim.Time(to - t.from)})
			unknown += time.Duration(to-from) * time.Microsecond
		}
	}
	of := "up to the horizon"
	if m.whole {
		of = "of the trace"
	}
	if gaps != nil {
		m.warnDuring(gaps, "%s: nothing is known for %v %s: the last known value is used",
			what, unknown.Round(time.Second), of)
	}
}
