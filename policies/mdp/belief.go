package mdp

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// pool is what is known and believed of a pool.
type pool struct {
	belief
	share   float64 // of the time in which it has room
	refused bool    // it has room for no more than is held, or than is known
	room    int     // for how many instances it is known to have room; 0: that is not known, or it has none
	leaving bool    // instances are under notice
	useless bool    // these are too few to train on
	seen    evidence
	past    evidence // of the day before the run
	prices  *prices  // that were seen
}

// belief is what a table takes into account of a pool.
type belief struct {
	spot        bool
	lossRate    float64 // times an hour that it loses its room, where it has some
	arrivalRate float64 // times an hour that it gets some, where it has none
	boot        float64 // mean, seconds
	levels              // of its price
	states      uint8   // in which it has room, where states are drawn
}

// evidence is how often pools were seen to lose their room and to get some, and the hours in which they could have.
type evidence struct {
	removals, arrivals float64
	held, waited       float64
}

// add adds what was seen of another pool.
func (e *evidence) add(other *evidence) {
	e.removals += other.removals
	e.arrivals += other.arrivals
	e.held += other.held
	e.waited += other.waited
}

// retry is how long a pool that had no more room, and keeps no request waiting, is not asked again.
const retry = 5 * time.Minute

// believe works out what is believed of all pools, and what is free there.
func (p *planner) believe(plan *sim.Plan) {
	n := p.view.Pools()
	p.pools = policyutil.Resize(p.pools, n)
	p.prices = policyutil.Resize(p.prices, n)
	p.allowed = policyutil.Resize(p.allowed, n)
	p.free = policyutil.Resize(p.free, n)
	p.full = policyutil.Resize(p.full, n)
	var all evidence
	spots := 0
	now := p.view.Now()
	seen := &p.seen
	if memory, has := p.view.State().(*policyutil.Memory[rooms, *rooms]); has {
		seen = memory.Job(p.index, n)
	} else if seen.Pools() != n {
		seen.Restart(n)
	}
	for k := range p.pools {
		of := p.view.Pool(k)
		held := p.view.Held(p.index, k)
		limit := held.Active() + policyutil.Headroom(p.view, plan, p.index, k)
		pool := &p.pools[k]
		pool.belief = belief{spot: !of.OnDemand, boot: of.Boot.Mean().Seconds()}
		pool.share = 0
		pool.room = 0
		pool.useless = false
		pool.leaving = held.Noticed > 0
		pool.seen = evidence{}
		pool.refused = p.refuses(k, &held)
		p.prices[k] = p.view.Price(k)
		p.allowed[k] = limit
		p.free[k] = limit
		if pool.refused {
			p.free[k] = held.Active()
		}
		if pool.spot {
			spots++
			room := &seen.list[k]
			room.see(&held, limit, now)
			if room.isRecent(now) {
				p.free[k] = min(max(held.Active(), room.n), limit)
				pool.refused = true
			}
			p.full[k] = room.expected(limit + held.Noticed)
			if room.known {
				pool.room = room.n
			}
			pool.seen = evidenceOf(p.view.Seen(k))
			pool.prices = &seen.prices[k]
			pool.prices.see(p.prices[k], now)
			all.add(&pool.seen)
		} else {
			p.full[k] = p.free[k]
		}
	}
	for k := range p.pools {
		if p.pools[k].spot {
			p.recall(k, spots == 1)
			p.pools[k].learn(&p.set.Law, &all)
		}
	}
	p.useRooms()
}

// leaveOutPools leaves the tables of a job that stops at changes the maxListed spot pools that matter most, if all are
// of one instance type: where what is held is no part of the state, restarts are not planned for. These are the pools
// that it holds most of, then those with free instances, then the cheapest.
func (p *planner) leaveOutPools() {
	p.ranked = p.ranked[:0]
	alike := true
	for k := range p.pools {
		if p.pools[k].spot && p.full[k] > 0 {
			p.ranked = append(p.ranked, k)
			alike = alike && p.view.Pool(k).InstanceType == p.view.Pool(p.ranked[0]).InstanceType
		}
	}
	if len(p.ranked) <= maxListed || p.frontier.Elastic() || !alike || p.moves.any {
		return
	}
	slices.SortStableFunc(p.ranked, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.view.Active(p.index, b), p.view.Active(p.index, a)),
			cmp.Compare(min(p.free[b], 1), min(p.free[a], 1)), cmp.Compare(p.prices[a], p.prices[b]))
	})
	for _, k := range p.ranked[maxListed:] {
		p.full[k] = 0
	}
}

// useRooms has what is known of rooms count: what is free now of pools without room for all is what they have room for
// when they have some, unless it is too little to train on with what is free in the other pools.
func (p *planner) useRooms() {
	p.partial = false
	p.rooms = append(p.rooms[:0], p.free...)
	for k := range p.pools {
		pool := &p.pools[k]
		if !pool.spot {
			p.rooms[k] = 0
			continue
		}
		if pool.room > 0 {
			p.partial = true
			p.rooms[k] = min(pool.room, p.full[k])
		}
	}
	if !p.partial {
		return
	}
	clusters, _ := p.frontier.Clusters(p.view, p.rooms, p.prices)
	useful := len(clusters) > 0
	for k := range p.pools {
		pool := &p.pools[k]
		pool.useless = pool.room > 0 && !useful
		if pool.room > 0 && useful {
			p.full[k] = pool.room
		}
	}
}

// evidenceOf returns what was seen of a pool.
func evidenceOf(seen sim.Seen) evidence {
	return evidence{
		removals: float64(seen.Removals),
		arrivals: float64(seen.Arrivals),
		held:     seen.Occupied.Hours(),
		waited:   seen.Waited.Hours(),
	}
}

// learn brings together what is believed at first, what the other pools have shown, what was recorded of this one
// before the run and what it has shown since: means of Gamma distributions of the rates. Of all pools, all has what was
// seen.
func (p *pool) learn(law *Law, all *evidence) {
	seen := &p.seen
	known := p.past
	known.add(seen)
	lossRate := law.prior(law.On, seen.removals, seen.held, all.removals, all.held)
	arrivalRate := law.prior(law.Off, seen.arrivals, seen.waited, all.arrivals, all.waited)
	p.lossRate = law.rate(lossRate, known.removals, known.held)
	p.arrivalRate = law.rate(arrivalRate, known.arrivals, known.waited)
	p.share = p.arrivalRate / (p.lossRate + p.arrivalRate)
}

// prior returns how often something is believed to happen to a pool by what the others have shown, times an hour: it
// happened so often in so many hours, and in those of all pools, this one included.
func (l *Law) prior(mean time.Duration, events, hours, allEvents, allHours float64) float64 {
	return (l.Weight + allEvents - events) / (l.Weight*mean.Hours() + allHours - hours)
}

// rate returns how often something happens to a pool, times an hour, by what is believed and by how often it happened
// in so many hours.
func (l *Law) rate(prior, events, hours float64) float64 {
	return rounded((l.Weight + events) / (l.Weight/prior + hours))
}

// rounded rounds a rate, or a span, to half a power of two, so that laws that are nearly the same have one table: with
// quarters runs cost the same, and fill twice as many tables.
func rounded(rate float64) float64 { return math.Exp2(math.Round(2*math.Log2(rate)) / 2) }

// refuses reports whether a pool is known to have room for no more than is held.
func (p *planner) refuses(k int, held *sim.Held) bool {
	if p.view.Pool(k).OnDemand {
		return policyutil.Overdue(p.view, p.index, k, retry)
	}
	if held.Waiting > 0 || held.Noticed > 0 {
		return true
	}
	seen := p.view.Seen(k)
	return isRecent(p.view.Now(), seen.RefusedAt) || isRecent(p.view.Now(), seen.TakenAt)
}

func isRecent(now, at sim.Time) bool { return at != sim.Never && now.Sub(at) < retry }
