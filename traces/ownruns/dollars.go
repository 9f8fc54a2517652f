package ownruns

import (
	"cmp"
	"slices"
)

// Dollars is what the run cost, by its bill and by prices.
type Dollars struct {
	Charges   int     // lines of the bill
	BilledUSD float64 // their sum
	PricedUSD float64 // the hours of the machines at their prices
	PricedH   float64 // instance-hours whose price is known
	UnpricedH float64 // instance-hours whose price is not
	ByPool    []PoolDollars
}

// PoolDollars is the part of PricedUSD of one pool.
type PoolDollars struct {
	Pool
	Hours, USD, UnpricedH float64
}

// Dollars adds up the charges, and prices the time of each machine from when it was launched
// until it went. A price holds from its instant to the next of the same type, zone and
// market, and one without a zone in all zones that have none of their own; what was held
// before the first price has none.
func (r *Run) Dollars() Dollars {
	var d Dollars
	book := map[Pool][]Event{}
	for i := range r.Events {
		switch e := &r.Events[i]; e.Kind {
		case Charge:
			d.Charges++
			d.BilledUSD += e.Value
		case Price:
			k := Pool{Type: e.Type, Zone: e.Zone, OnDemand: e.OnDemand}
			book[k] = append(book[k], *e)
		}
	}
	for _, h := range r.Holdings() {
		prices := book[Pool{Type: h.Type, Zone: h.Zone, OnDemand: h.OnDemand}]
		if len(prices) == 0 {
			prices = book[Pool{Type: h.Type, OnDemand: h.OnDemand}]
		}
		d.add(&h, prices)
	}
	slices.SortFunc(d.ByPool, func(a, b PoolDollars) int { return cmp.Compare(a.Name, b.Name) })
	return d
}

// add adds a machine, with the prices of its pool in order of time.
func (d *Dollars) add(h *Holding, prices []Event) {
	usd, priced := 0.0, 0.0
	for i := range prices {
		from, to := max(prices[i].T, h.Seen), h.Gone
		if i+1 < len(prices) {
			to = min(to, prices[i+1].T)
		}
		if to > from {
			hours := float64(to-from) / 3600e6
			priced += hours
			usd += hours * prices[i].Value
		}
	}
	unpriced := max(0, float64(h.Gone-h.Seen)/3600e6-priced)
	i := slices.IndexFunc(d.ByPool, func(p PoolDollars) bool { return p.Name == h.Pool() })
	if i < 0 {
		i = len(d.ByPool)
		d.ByPool = append(d.ByPool, PoolDollars{Pool: Pool{h.Pool(), h.Type, h.Zone, h.OnDemand}})
	}
	p := &d.ByPool[i]
	p.Hours, p.USD, p.UnpricedH = p.Hours+priced+unpriced, p.USD+usd, p.UnpricedH+unpriced
	d.PricedUSD, d.PricedH, d.UnpricedH = d.PricedUSD+usd, d.PricedH+priced, d.UnpricedH+unpriced
}
