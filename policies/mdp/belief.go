package mdp

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// pool is what is believed of a pool.
type pool struct {
	spot          bool
	goes, comes   float64 // times an hour that it loses its room where it has some, and gets some where it has none
	share         float64 // of the time in which it has room
	refused       bool    // it has room for no more than is held
	boot          float64 // mean, seconds
	states        uint8   // in which it has room, where states are drawn
	events, hours [2]float64
}

// retry is how long a pool that had no more room, and keeps no request waiting, is not asked again.
const retry = 5 * time.Minute

// believe works out what is believed of all pools, and what is free there.
func (p *planner) believe(plan *sim.Plan) {
	n := p.v.Pools()
	p.pools, p.usd = slices.Grow(p.pools[:0], n)[:n], slices.Grow(p.usd[:0], n)[:n]
	p.may = slices.Grow(p.may[:0], n)[:n]
	p.free, p.full = slices.Grow(p.free[:0], n)[:n], slices.Grow(p.full[:0], n)[:n]
	var events, hours [2]float64
	for k := range p.pools {
		x, of := &p.pools[k], p.v.Pool(k)
		*x = pool{spot: !of.OnDemand, boot: of.Boot.Mean().Seconds()}
		p.usd[k] = p.v.Price(k)
		h := p.v.Held(p.j, k)
		limit := h.Active() + policyutil.Headroom(p.v, plan, p.j, k)
		p.full[k] = limit + h.Noticed
		p.may[k] = limit
		if x.refused = p.refuses(k, &h); x.refused {
			limit = h.Active()
		}
		p.free[k] = limit
		if !x.spot {
			p.full[k] = limit
			continue
		}
		x.see(p.v.Seen(k))
		for i := range events {
			events[i] += x.events[i]
			hours[i] += x.hours[i]
		}
	}
	for k := range p.pools {
		if x := &p.pools[k]; x.spot {
			x.learn(&p.set.Law, &events, &hours)
		}
	}
}

// see takes in how often a pool lost its room and got some, and the hours in which it could have.
func (x *pool) see(s sim.Seen) {
	atOnce := max(float64(s.Grants)/float64(1+s.Removals), 1)
	x.events = [2]float64{float64(s.Removals), float64(s.Arrivals)}
	x.hours = [2]float64{s.Held.Hours() / atOnce, s.Waited.Hours()}
}

// learn brings together what is believed at first, what the other pools have shown and what this one has: means of Gamma
// distributions of the rates.
func (x *pool) learn(law *Law, events, hours *[2]float64) {
	rate := func(i int, mean time.Duration) float64 {
		first := (law.Weight + events[i] - x.events[i]) / (law.Weight*mean.Hours() + hours[i] - x.hours[i])
		return (law.Weight + x.events[i]) / (law.Weight/first + x.hours[i])
	}
	x.goes, x.comes = rounded(rate(0, law.On)), rounded(rate(1, law.Off))
	x.share = x.comes / (x.goes + x.comes)
}

// rounded rounds a rate to a quarter of a power of two, so that laws that are nearly the same have one table.
func rounded(x float64) float64 { return math.Exp2(math.Round(4*math.Log2(x)) / 4) }

// refuses reports whether a pool is known to have room for no more than is held.
func (p *planner) refuses(k int, h *sim.Held) bool {
	if p.v.Pool(k).OnDemand {
		return policyutil.Overdue(p.v, p.j, k, retry)
	}
	if h.Waiting > 0 || h.Noticed > 0 {
		return true
	}
	s := p.v.Seen(k)
	return recent(p.v.Now(), s.RefusedAt) || recent(p.v.Now(), s.TakenAt)
}

func recent(now, at sim.Time) bool { return at != sim.Never && now.Sub(at) < retry }
