package market

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/replay"
)

// warnDoubts warns of what a recorded market hardly means: of its traces, of each
// pool, and of pools that share a record.
func (m *Markets) warnDoubts(sources map[string]source) {
	m.warnTraces()
	for i := range m.recorded {
		p, name := &m.spec.Market.Pools[i], m.recorded[i].trace.Name
		if *p.Quota == 0 {
			continue // on demand only
		}
		m.warnOrigin(p, name, sources)
		if prices := m.recorded[i].trace.Prices; !m.warnList(p, name, prices) {
			m.warnPrices(p, name, prices)
		}
		m.warnCapacity(i)
		m.warnNotice(i)
	}
	m.warnShared()
}

// warnTraces warns of one trace under two names.
func (m *Markets) warnTraces() {
	traces := m.spec.Market.Traces
	for i := range traces {
		h := &traces[i]
		for k := range i {
			o := &traces[k]
			sameFile := filepath.Clean(o.Path) == filepath.Clean(h.Path)
			if sameFile && o.From == h.From && o.FromS == h.FromS {
				m.warn("traces %s and %s are the same: both are %s", o.Name, h.Name, h.Path)
			}
		}
	}
}

// warnOrigin warns of prices of another type, zone or cloud than the pool's.
func (m *Markets) warnOrigin(p *spec.Pool, name string, sources map[string]source) {
	src := sources[p.Prices.Trace]
	k, err := src.pool(p.Prices.Pool)
	if err != nil || p.Prices.USDPerH > 0 {
		return // an assumed price is of no pool
	}
	of := &src.trace.Pools()[k]
	for _, q := range []struct{ what, pool, prices string }{
		{"instance type", p.Type, of.InstanceType}, {"cloud", p.Cloud, of.Cloud},
	} {
		if q.pool != "" && q.prices != "" && q.pool != q.prices {
			m.warn("%s: its prices are of another %s: %s, not %s", name, q.what, q.prices, q.pool)
		}
	}
	if z := of.Zone; p.Zone != "" && z != "" && p.Zone != z && !(of.Region != "" && p.Zone == of.Region) {
		m.warn("%s: its prices are of another zone: %s, not %s", name, z, p.Zone)
	}
}

// Prices on spot are a part of those on demand; beyond these, the unit is another.
const (
	muchHigher = 10
	muchLower  = 1. / 50
)

// warnPrices warns of spot prices that are all 0 or all above the price on demand, or so far from it that they are in
// another unit.
func (m *Markets) warnPrices(p *spec.Pool, name string, prices []sim.Price) {
	smallest, largest := priceRange(prices)
	if largest == 0 {
		m.warn("%s: its spot price in the trace %s is 0 USD per hour throughout: spot instances cost nothing, "+
			"expected what was paid (prices: {usd_per_h: ...} assumes a price where a trace has none)",
			name, p.Prices.Trace)
		return
	}
	onDemand := p.OnDemandUSDPerH
	for i := range m.spec.Market.Pools { // the first of a type has it
		if q := &m.spec.Market.Pools[i]; onDemand == 0 && q.Type == p.Type {
			onDemand = q.OnDemandUSDPerH
		}
	}
	if onDemand == 0 {
		return
	}
	span := span(smallest, largest)
	switch {
	case smallest >= muchHigher*onDemand:
		times := strconv.FormatFloat(smallest/onDemand, 'g', 3, 64)
		m.warn("%s: spot prices (%s USD per hour) are %s times on_demand_usd_per_h (%v): "+
			"are they in cents, or per month (730 hours)?", name, span, times, onDemand)
	case smallest > onDemand:
		m.warn("%s: all spot prices (%s USD per hour) are above on_demand_usd_per_h (%v): spot never saves money",
			name, span, onDemand)
	case largest > 0 && largest < muchLower*onDemand:
		m.warn("%s: spot prices (%s USD per hour) are below a fiftieth of on_demand_usd_per_h (%v): "+
			"is one of them in another unit?", name, span, onDemand)
	}
}

// warnCapacity warns of a pool that never has an instance to grant, and of one whose
// recorded machines stand for more than its quota.
func (m *Markets) warnCapacity(i int) {
	p := &m.spec.Market.Pools[i]
	h := &m.recorded[i].trace
	r := &m.replays[i]
	if r.Copies > *p.Quota {
		m.warn("%s: copies is %d, but the quota is %d: only a part of the copies of a machine is ever held",
			h.Name, r.Copies, *p.Quota)
	}
	grants := func(c sim.Capacity) bool { return c.N > 0 && c.At < m.end }
	if h.Capacity == nil || len(h.Nodes) > 0 || slices.ContainsFunc(h.Capacity, grants) {
		return
	}
	if r.Adapter == replay.Bid {
		m.warn("%s: its price is never at or below the bid of %v USD per hour (%s): no instance is ever granted",
			h.Name, r.Bid, span(priceRange(h.Prices)))
		return
	}
	m.warn("%s: its capacity is 0 throughout: no instance is ever granted", h.Name)
}

// warnNotice warns of a notice that never comes, and of one that is longer than what
// lies between two losses: then instances are granted that are under notice already.
func (m *Markets) warnNotice(i int) {
	h := &m.recorded[i].trace
	r := &m.replays[i]
	if m.spec.ReplayOf(&m.spec.Market.Pools[i]).NoticeS != nil && r.NoticeMissing == 1 && r.Notice > 0 {
		m.warn("%s: notice_s is %v, but notice_missing is 1: no notice ever comes", h.Name, r.Notice.Seconds())
	}
	if typical := betweenFalls(h.Capacity, m.end); typical > 0 && r.Notice > typical {
		m.warn("%s: the notice of %v is longer than the time between two falls of the capacity (median %v): "+
			"most instances are granted under notice", h.Name, r.Notice, typical.Round(time.Second))
	}
}

// betweenFalls returns the median time between two falls of a capacity, 0 if it falls
// less than twice.
func betweenFalls(capacity []sim.Capacity, end sim.Time) time.Duration {
	var between []time.Duration
	last, fell := sim.Time(0), false
	for k := 1; k < len(capacity) && capacity[k].At < end; k++ {
		if capacity[k].N >= capacity[k-1].N {
			continue
		}
		if fell {
			between = append(between, capacity[k].At.Sub(last))
		}
		last, fell = capacity[k].At, true
	}
	if between == nil {
		return 0
	}
	slices.Sort(between)
	return between[len(between)/2]
}

// warnShared warns of one record of capacity that several pools replay: its machines
// are there once, and would be held in each.
func (m *Markets) warnShared() {
	type record struct{ trace, pool string }
	var order []record
	names := map[record][]string{}
	for i := range m.recorded {
		c := m.spec.Market.Pools[i].Capacity
		if c == nil || c.Typical != "" {
			continue
		}
		at := record{c.Trace, c.Pool}
		if names[at] == nil {
			order = append(order, at)
		}
		names[at] = append(names[at], m.recorded[i].trace.Name)
	}
	for _, at := range order {
		if of := names[at]; len(of) > 1 {
			m.warn("%s replay the same capacity (trace %s): "+
				"its machines are counted %d times, and are lost at the same instants",
				strings.Join(of, ", "), at.trace, len(of))
		}
	}
}
