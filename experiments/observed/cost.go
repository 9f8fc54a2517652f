package observed

import (
	"sort"

	"github.com/marigram/marigram/traces/ownruns"
)

// priceLine is the price of a pool over time, with its integral.
type priceLine struct {
	from []int64   // us
	usd  []float64 // per hour, from each of them on
	paid []float64 // by one machine until then, since the first
}

// place is the last price at or before an instant, -1 before the first.
func (p *priceLine) place(at int64) int {
	return sort.Search(len(p.from), func(i int) bool { return p.from[i] > at }) - 1
}

// at is the price at an instant, 0 where it is not known.
func (p *priceLine) at(us int64) float64 {
	if i := p.place(us); i >= 0 {
		return p.usd[i]
	}
	return 0
}

// until is what one machine pays until an instant.
func (p *priceLine) until(us int64) float64 {
	i := p.place(us)
	if i < 0 {
		return 0
	}
	return p.paid[i] + p.usd[i]*float64(us-p.from[i])/3600e6
}

func (p *priceLine) add(at int64, usd float64) {
	p.paid = append(p.paid, p.until(at))
	p.from, p.usd = append(p.from, at), append(p.usd, usd)
}

// cost is what the run has cost over time: by its bill, or by prices where there is none.
type cost struct {
	prices  []priceLine // by pool
	charges []ownruns.Event
	billed  bool
	usd     float64
}

func costOf(run *ownruns.Run, pools []ownruns.Pool) *cost {
	c := &cost{prices: make([]priceLine, len(pools))}
	own := map[ownruns.Pool]bool{} // prices of a zone
	key := func(e *ownruns.Event) ownruns.Pool {
		return ownruns.Pool{Type: e.Type, Zone: e.Zone, OnDemand: e.OnDemand}
	}
	for i := range run.Events {
		switch e := &run.Events[i]; e.Kind {
		case ownruns.Price:
			own[key(e)] = true
		case ownruns.Charge:
			c.charges, c.billed = append(c.charges, *e), true
		}
	}
	for i, p := range pools {
		p.Name = ""
		if !own[p] {
			p.Zone = ""
		}
		for k := range run.Events {
			if e := &run.Events[k]; e.Kind == ownruns.Price && key(e) == p {
				c.prices[i].add(e.T, e.Value)
			}
		}
	}
	return c
}

// until is what the run has cost until the end of a stretch. Stretches come in order.
func (c *cost) until(s *ownruns.Stretch) float64 {
	if c.billed {
		for len(c.charges) > 0 && c.charges[0].T < s.To {
			c.usd += c.charges[0].Value
			c.charges = c.charges[1:]
		}
		return c.usd
	}
	for i, n := range s.Counts {
		c.usd += float64(n.Held()) * (c.prices[i].until(s.To) - c.prices[i].until(s.From))
	}
	return c.usd
}
