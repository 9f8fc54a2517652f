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
		event := &r.Events[i]
		switch event.Kind {
		case Charge:
			d.Charges++
			d.BilledUSD += event.Value
		case Price:
			pool := Pool{Type: event.Type, Zone: event.Zone, OnDemand: event.OnDemand}
			book[pool] = append(book[pool], *event)
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
	var usd, priced float64
	for i := range prices {
		from := max(prices[i].T, h.Seen)
		to := h.Gone
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
	pool := &d.ByPool[i]
	pool.Hours += priced + unpriced
	pool.USD += usd
	pool.UnpricedH += unpriced
	d.PricedUSD += usd
	d.PricedH += priced
	d.UnpricedH += unpriced
}
