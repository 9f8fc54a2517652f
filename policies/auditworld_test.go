package policies_test

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// auditedWorld is what a run is billed by, and what it shares.
type auditedWorld struct {
	market    *sim.Market
	jobs      int
	billing   sim.Billing
	moves     sim.Mover
	committed []int // instances by pool, at half of the price on demand
}

// crossing is what it costs to carry the state of a job to another zone.
type crossing struct{}

const crossingUSD = 3

func (crossing) Move(_ *sim.Job, from, to *sim.Pool) sim.Move {
	if from.Zone == to.Zone {
		return sim.Move{}
	}
	return sim.Move{USD: crossingUSD, Time: 40 * time.Second}
}

// worldOf is one of many worlds: one job or two, every rule of billing, moves that cost,
// commitments, pools that are queued or end, quotas over several pools.
func worldOf(seed uint64) *auditedWorld {
	const hours = 8
	r := sim.Rand{Seed: seed}
	chance := func(k uint64, p float64) bool { return r.Uniform(sim.PurposeUser, 9, k) < p }
	w := &auditedWorld{market: simtest.Market(seed, hours*time.Hour, sim.Never), jobs: 1, billing: sim.PerSecond()}
	w.committed = make([]int, w.market.Pools())
	if chance(0, 0.5) {
		return w
	}
	if chance(1, 0.5) {
		w.jobs = 2
	}
	if chance(2, 0.6) {
		w.billing = []sim.Billing{{Increment: time.Hour}, {Minimum: 20 * time.Minute, DiskUSDPerHour: 0.05, Tax: 0.2}, {}}[seed%3]
	}
	if chance(3, 0.5) {
		w.moves = crossing{}
	}
	hs, limits := simtest.Traces(seed, hours*time.Hour), []sim.Limit(nil)
	for p := range hs {
		h, k := &hs[p], uint64(10*p)
		switch {
		case h.OnDemand && chance(k+10, 0.4):
			w.committed[p] = 1 + p%2
			h.Commitments = []sim.Commitment{{Instances: w.committed[p], USDPerHour: h.OnDemandPrice / 2, Until: sim.Never}}
		case !h.OnDemand && len(h.Nodes) == 0 && chance(k+11, 0.2):
			h.Wait, h.Length = 10*time.Minute, time.Hour
		}
		if chance(k+12, 0.2) {
			h.Granularity = &sim.Granularity{Increment: time.Minute, Minimum: 5 * time.Minute}
		}
	}
	if chance(4, 0.3) {
		limits = []sim.Limit{{Name: "small", Pools: []int{0, 1, 2}, Instances: 5}}
	}
	m, err := sim.NewMarket(sim.Time(0).Add(hours*time.Hour), hs, limits...)
	if err != nil {
		panic(err)
	}
	w.market = m
	return w
}

// check follows the bill of a run from what was held: the least that it can have cost.
func (w *auditedWorld) check(a *audit, x *audited, t *sim.Totals) error {
	usd, hours := 0.0, 0.0
	plans := a.plans
	servers := make([]int, w.jobs)
	for j := range servers {
		servers[j] = x.job.ParameterServers
	}
	for _, s := range a.spans {
		for ; len(plans) > 0 && plans[0].at <= s.From; plans = plans[1:] {
			for j := range servers {
				servers[j] = plans[0].jobs[j].Servers
			}
		}
		span := s.To.Sub(s.From).Hours()
		for j, n := range servers {
			if begins := sim.Time(0).Add(secondJob * time.Duration(j)); s.From >= begins && s.To <= begins.Add(t.Jobs[j].Elapsed) {
				usd += span * float64(n) * x.job.ParameterServerPrice
			}
		}
		for p, y := range s.Pools {
			n := y.Starting + y.Ready + y.Noticed
			hours += span * float64(n)
			usd += span * (float64(max(n-w.committed[p], 0))*y.Price + float64(w.committed[p])*y.Price/2)
		}
		if smallest := usd + hours*w.billing.DiskUSDPerHour; !(s.USD >= smallest*(1-1e-9)-1e-9) {
			return fmt.Errorf("after %v: %v USD, what is held costs %v", s.To.Sub(0), s.USD, smallest)
		}
	}
	rounded, err := w.rounded(a)
	if err != nil {
		return err
	}
	smallest := (usd + rounded + float64(w.crossings(a, x))*crossingUSD + hours*w.billing.DiskUSDPerHour) * (1 + w.billing.Tax)
	if billed := t.Bill.Total(); !(billed >= smallest*(1-1e-9)-1e-9) {
		return fmt.Errorf("the bill is %v USD, what was held costs %v", billed, smallest)
	}
	return nil
}

// secondJob is when the second job of a world is submitted.
const secondJob = 20 * time.Minute

// rounded returns what instances that ended are charged beyond their time, at the least price
// of their pools, without those that commitments may pay for. It is an error if one outlives
// the length of its pool.
func (w *auditedWorld) rounded(a *audit) (usd float64, err error) {
	granted := map[[2]int]sim.Time{}
	for _, e := range a.events {
		key, pool := [2]int{e.p, e.n}, w.market.Pool(e.p)
		switch e.what {
		case sim.InstanceGranted:
			granted[key] = e.at
		case sim.InstanceRevoked, sim.InstanceReleased:
			span, smallest := e.at.Sub(granted[key]), a.spans[0].Pools[e.p].Price
			if pool.Length > 0 && span > pool.Length {
				return 0, fmt.Errorf("an instance of %s has lived for %v, expected at most %v", pool.Name, span, pool.Length)
			}
			for i := range a.spans {
				smallest = min(smallest, a.spans[i].Pools[e.p].Price)
			}
			rule := sim.Granularity{Increment: w.billing.Increment, Minimum: w.billing.Minimum}
			if pool.Granularity != nil {
				rule = *pool.Granularity
			}
			paid := max(span, rule.Minimum)
			if rule.Increment > 0 {
				paid = (paid + rule.Increment - 1) / rule.Increment * rule.Increment
			}
			if w.committed[e.p] == 0 {
				usd += (paid - span).Hours() * smallest
			}
		}
	}
	return usd, nil
}

// crossings counts the zones in which jobs began to train from another one, where all that is
// held trains.
func (w *auditedWorld) crossings(a *audit, x *audited) (n int) {
	if _, piped := x.job.Model.(sim.PipelineModel); piped || w.moves == nil {
		return 0
	}
	for j := range w.jobs {
		held, was := newHoldings(a.events, j, w.market.Pools()), map[string]bool(nil)
		for _, s := range a.spans {
			held.until(s.From)
			if s.Jobs[j].Rate <= 0 {
				continue
			}
			now := map[string]bool{}
			for p := range held.ready {
				zone := w.market.Pool(p).Zone
				if held.ready[p] > 0 && was != nil && !was[zone] && !now[zone] {
					n++
				}
				now[zone] = now[zone] || held.ready[p]+held.noticed[p] > 0
			}
			was = now
		}
	}
	return n
}
