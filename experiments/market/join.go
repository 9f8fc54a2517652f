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
			m.end, shortest = until, pool.trace.Name
		}
		m.recorded = append(m.recorded, pool)
	}
	if shortest != "" && !m.whole {
		m.warn("the trace of %s ends %v into the run, before the horizon: runs are cut there, on demand too", shortest, m.end.Sub(0).Round(time.Second))
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
	for _, r := range m.recorded {
		if r.drawn != nil {
			drawn = append(drawn, r.trace.Name)
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
	p, h := &m.spec.Market.Pools[i], &pool.trace
	if *p.Quota == 0 { // on demand only
		applySpec(m.spec, &h.Pool, p, cmp.Or(p.Cloud, "aws"))
		h.Prices, h.Capacity = []sim.Price{{USD: p.OnDemandUSDPerH}}, []sim.Capacity{{}}
		return pool, math.MaxInt64, nil
	}
	assumption := m.replays[i]
	assumption.Adapter, assumption.Copies, assumption.Scale = replay.Unlimited, 0, 0
	assumption.FlatPrice = p.Prices.USDPerH
	prices, err := m.track(p.Prices, sources, assumption)
	if err != nil {
		return pool, 0, fmt.Errorf("prices: %w", err)
	}
	said := prices.String()
	if x := p.Prices.USDPerH; x > 0 {
		if len(prices.trace.PriceHistory(prices.pool, replay.Window{})) > 0 {
			return pool, 0, fmt.Errorf("prices: usd_per_h is %v, but the trace has prices: expected one of them", x)
		}
		said = fmt.Sprintf("assumed, %v USD/h", x)
	}
	if *h, end, err = prices.replayed(); err != nil {
		return pool, 0, fmt.Errorf("prices: %w", err)
	}
	h.Capacity = nil
	applySpec(m.spec, &h.Pool, p, "")
	if first := h.Prices[0].At; first > 0 {
		of := "run"
		if m.whole {
			of = "trace"
		}
		m.warnDuring([]interval{{0, first}}, "%s: no price is known for the first %v of the %s: the first known price is used", h.Name,
			first.Sub(0).Round(time.Second), of)
	}
	m.warnGaps(h.Name+", prices", &prices)
	capacity, until, err := m.hold(i, &pool, sources)
	if err != nil {
		return pool, 0, fmt.Errorf("capacity: %w", err)
	}
	m.Replay = strings.TrimPrefix(fmt.Sprintf("%s; %s: prices %s, %s", m.Replay, h.Name, said, capacity), "; ")
	return pool, min(end, until), nil
}

// hold gives a pool its capacity, and says by what assumption and until when.
func (m *Markets) hold(i int, pool *recordedPool, sources map[string]source) (said string, until sim.Time, err error) {
	p, h, assumption := &m.spec.Market.Pools[i], &pool.trace, m.replays[i]
	adapter, series := assumption.String(), m.spec.Capacity(p)
	drawnAlone := series == nil && assumption.Adapter == replay.LifetimeResample
	if drawnAlone {
		series = p.Prices // for its span only
	}
	if p.Typical() == spec.TypicalHigh {
		m.levels = append(m.levels, i)
		return m.assumed(i), math.MaxInt64, nil
	}
	if series == nil {
		m.warn("%s has no record of capacity: its instances are never preempted (capacity: {typical: band} assumes how often they are)", h.Name)
		return results.NeverRevoked, math.MaxInt64, nil
	}
	assumption.FlatPrice = 1 // of a price that is not used
	assumption.StreamName, assumption.Seed = h.Name, uint64(m.spec.Seed)
	held, err := m.track(series, sources, assumption)
	if err != nil {
		return "", 0, err
	}
	chosen, err := m.chooseAdapter(i, h.Name, &held)
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
	h.Capacity, h.Nodes = counted.Capacity, counted.Nodes
	if assumption.DrawsLifetimes() {
		pool.drawn = &held
	}
	if p.Typical() != "" {
		return m.assumed(i), until, nil
	}
	if drawnAlone {
		return "capacity assumed: " + adapter, until, nil
	}
	m.warnGaps(h.Name+", capacity", &held)
	return fmt.Sprintf("capacity %s by %s", &held, adapter), until, nil
}

// track finds the pool of a series.
func (m *Markets) track(x *spec.Series, sources map[string]source, replay replay.Replay) (t track, err error) {
	t = track{source: sources[x.Trace], name: x.Trace, replay: replay}
	t.pool, err = t.source.pool(x.Pool)
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
	for _, g := range t.set.Gaps {
		from, to := max(g.TStart, t.from), min(g.TEnd, until)
		if int(g.PoolID) == t.pool && to > from {
			gaps = append(gaps, interval{sim.Time(from - t.from), sim.Time(to - t.from)})
			unknown += time.Duration(to-from) * time.Microsecond
		}
	}
	of := "up to the horizon"
	if m.whole {
		of = "of the trace"
	}
	if gaps != nil {
		m.warnDuring(gaps, "%s: nothing is known for %v %s: the last known value is used", what, unknown.Round(time.Second),
			of)
	}
}
