package mdp

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// present is the state of the job at the decision.
type present struct {
	table   *table
	spent   float64          // seconds of the job's time
	quality []float64        // by place: of the clusters that there is room for
	work    float64          // that is left; not of a job that has not begun
	have    ondemand.Cluster // starts or is ready
	ready   ondemand.Cluster // is ready, those under notice left out
	trains  ondemand.Cluster // is ready, those under notice included
	rest    []float64        // by pool: seconds until what starts is ready, in the mean
	paused  float64          // seconds until training goes on
	redo    float64          // work that a loss takes back
	alone   bool             // the safe form lets nothing on demand go before something else is ready
}

// option is a cluster that may be held.
type option struct {
	counts []int32
	both   bool // what is held is kept until the cluster is ready
	usd    float64
	boots  float64 // seconds until the cluster is ready
}

// options are what was weighed up, in memory that is used again.
type options struct {
	list       []option
	a, b, c    ondemand.Cluster
	best, hold []int32
	names      []int
	combined   []int32
}

// observe takes in the state of the job.
func (p *planner) observe() {
	x := &p.now
	n := p.v.Pools()
	x.have.Counts, x.ready.Counts, x.trains.Counts, x.rest = x.have.Counts[:0], x.ready.Counts[:0], x.trains.Counts[:0], slices.Grow(x.rest[:0], n)[:n]
	starting, held := false, 0
	for k := range n {
		h := p.v.Held(p.j, k)
		x.have.Counts, x.ready.Counts = append(x.have.Counts, int32(h.Active())), append(x.ready.Counts, int32(h.Ready))
		x.trains.Counts = append(x.trains.Counts, int32(h.Ready+h.Noticed))
		held += h.Active() + h.Noticed
		x.rest[k], starting = p.pools[k].boot, starting || h.Starting > 0
	}
	if starting {
		p.all = p.job.Instances(p.all[:0])
		for _, i := range p.all {
			if !i.Ready {
				boot := p.v.Pool(i.Pool).Boot
				x.rest[i.Pool] = min(x.rest[i.Pool], policyutil.ReadyIn(boot, p.v.Now().Sub(i.Granted).Seconds(), 1, 0.5))
			}
		}
	}
	x.alone = p.keepsOnDemand()
	x.spent = p.v.Now().Sub(p.job.Submitted()).Seconds()
	x.work = p.goal - p.job.Model().Goal(p.job.Loss())
	x.paused, x.redo = 0, 0
	if end := p.job.Paused(); end != sim.Never {
		x.paused = end.Sub(p.v.Now()).Seconds()
	}
	if p.loss.Rollback && p.job.Begun() {
		x.redo = max(p.job.Model().Goal(p.job.Loss())-p.job.Model().Goal(p.job.SavedLoss()), 0)
		if held == 0 { // it went with the last instances
			x.work, x.redo = x.work+x.redo, 0
		}
	}
}

// keepsOnDemand reports whether the safe form lets nothing on demand go before something else trains: where a stop takes something, and no spot instance is
// held. It is asked only where moves take something: elsewhere on demand is held for so long that waiting for spot next to it costs more (docs/policies.md).
func (p *planner) keepsOnDemand() bool {
	if !p.moves.any || !p.loss.Rollback && !p.loss.Fatal && p.loss.Stall == 0 {
		return false
	}
	for k := range p.pools {
		if h := p.v.Held(p.j, k); p.pools[k].spot && h.Active()+h.Noticed > 0 {
			return false
		}
	}
	return true
}

// refused reports whether the safe form refuses that a cluster is held instead of what is.
func (p *planner) refused(counts []int32, both bool) bool {
	if both || !p.now.alone {
		return false
	}
	for k, n := range p.now.have.Counts {
		if !p.pools[k].spot && counts[k] < n {
			return true
		}
	}
	return false
}

// left returns the work that is left if training goes on on a cluster.
func (p *planner) left(c *ondemand.Cluster) float64 {
	if !p.job.Begun() {
		return max(p.goal-c.Begin(), 0)
	}
	return max(p.now.work, 0)
}

// weigh returns what is expected to be paid if a cluster is held, USD, and the seconds until it is ready.
func (p *planner) weigh(counts []int32, both bool) (usd, boots float64) {
	x, o := &p.now, &p.options
	c := &o.a
	c.Counts = append(c.Counts[:0], counts...)
	p.front.Measure(c)
	n, missing := 0, false
	o.combined = o.combined[:0]
	for k, want := range c.Counts {
		n += int(want)
		if want > x.ready.Counts[k] {
			missing = true
			if want > x.have.Counts[k] {
				boots = max(boots, p.pools[k].boot)
			} else {
				boots = max(boots, x.rest[k])
			}
		}
		common := min(want, x.ready.Counts[k]) + x.trains.Counts[k] - x.ready.Counts[k]
		if both {
			common = x.trains.Counts[k]
		}
		o.combined = append(o.combined, common)
	}
	t := x.table
	p.onDemand(&o.c, c.Counts)
	there := p.there(c, t.dt)
	usd = (o.c.USD + there*(c.USD-o.c.USD)) * t.dt / 3600
	gained := (o.c.Rate + there*(c.Rate-o.c.Rate)) * t.dt
	lost := x.paused * c.Rate
	if missing {
		b := &o.b
		b.Counts = append(b.Counts[:0], o.combined...)
		p.front.Measure(b)
		lost = max(lost, (c.Rate-b.Rate)*boots)
	}
	if both {
		for k, have := range x.have.Counts {
			usd += float64(max(have-c.Counts[k], 0)) * p.usd[k] * boots / 3600
		}
	}
	lost += p.stalls(c, missing) * c.Rate
	moved, stopped := p.moves.carry(p.moves.state, c.Counts)
	lost += stopped * c.Rate
	work := p.left(c)
	if n > 0 && lost == 0 && c.Rate*t.dt >= work { // it is done before the next decision
		return c.USD*work/c.Rate/3600 + moved, boots
	}
	usd += p.ahead(work-gained+lost, x.spent+t.dt, c.Rate)
	if o.c.Rate > 0 && work+lost <= o.c.Rate*(t.span-t.reserve-x.spent) { // in time whatever spot does
		usd = min(usd, c.USD/3600*(work+lost)/c.Rate)
	}
	if left, rest := p.set.net.Limit(p.j); moved > 0 && 2*moved >= left { // after it and a way back on demand decides
		usd = max(usd, rest)
	}
	return usd + moved, boots
}

// ahead returns what is expected to be paid from a step after now on, USD, where the state is in one of the sites that were reached.
func (p *planner) ahead(work, seconds, held float64) float64 {
	x, t, usd := &p.now, p.now.table, math.Inf(1)
	for z := range x.quality {
		if !p.moves.there(z) {
			continue
		}
		usd = min(usd, t.value(work, seconds, x.quality[z], held, z))
	}
	return usd
}

// there returns the mean part of some seconds for which the spot instances of a cluster are there, by what they cost.
func (p *planner) there(c *ondemand.Cluster, seconds float64) float64 {
	all, some := 0.0, 0.0
	for k, n := range c.Counts {
		if x := &p.pools[k]; n > 0 && x.spot {
			usd := float64(n) * p.usd[k]
			all += usd
			some += usd * lasts(x.goes*seconds/3600)
		}
	}
	if all == 0 {
		return 1
	}
	return some / all
}

// stalls returns the seconds that a change to a cluster stops training or takes back.
func (p *planner) stalls(c *ondemand.Cluster, missing bool) float64 {
	x := &p.now
	if p.front.Elastic() || !p.job.Begun() || c.Rate <= 0 {
		return 0
	}
	stall := p.front.Stall(&x.have, c)
	if math.IsInf(stall, 1) {
		return p.loss.Stall.Seconds() + x.redo/c.Rate
	}
	if missing && x.ready.N == 0 {
		stall = max(stall, p.loss.Stall.Seconds())
	}
	return stall
}

// search finds the best of the clusters within the free instances, and leaves it in options.best.
func (p *planner) search(explain bool) (usd float64, both bool) {
	o, x := &p.options, &p.now
	x.quality = x.quality[:0]
	for z := range p.moves.places {
		x.quality = append(x.quality, p.moves.quality(p, z, x.table.price, x.table.lasts))
	}
	usd = math.Inf(1)
	o.best = append(o.best[:0], x.have.Counts...)
	try := func(counts []int32, kept bool) {
		if p.refused(counts, kept) {
			return
		}
		cost, boots := p.weigh(counts, kept)
		if explain {
			o.list = append(o.list, option{counts: slices.Clone(counts), both: kept, usd: cost, boots: boots})
		}
		if cost < usd*(1-tie) {
			usd, both = cost, kept
			o.best = append(o.best[:0], counts...)
		}
	}
	try(x.have.Counts, false)
	o.hold = o.hold[:0]
	for range x.have.Counts {
		o.hold = append(o.hold, 0)
	}
	try(o.hold, false)
	for i, n := range x.have.Counts {
		if o.hold[i] = n; !p.pools[i].spot {
			o.hold[i] = 0
		}
	}
	try(o.hold, false)
	around := func(c []int32) {
		try(c, false)
		if x.have.N == 0 {
			return
		}
		if !within(x.have.Counts, c) {
			if !within(c, x.ready.Counts) {
				try(c, true)
			}
			for k, n := range c {
				o.hold[k] = max(n, x.have.Counts[k])
			}
			try(o.hold, false)
		}
		for k, n := range c {
			o.hold[k] = min(n, x.have.Counts[k])
		}
		try(o.hold, false)
	}
	corners := func(free []int) {
		all, hull := p.front.Clusters(p.v, free, p.usd)
		for _, h := range hull {
			around(all[h].Counts)
		}
	}
	corners(p.free)
	p.moves.without(p.free, corners)
	return usd, both
}

// tie is the share of a cost below which the first option stays.
const tie = 1e-9

func within(a, b []int32) bool {
	for k, n := range a {
		if n > b[k] {
			return false
		}
	}
	return true
}

// choose writes what to hold into the plan.
func (p *planner) choose(plan *sim.Plan) {
	p.observe()
	x, o := &p.now, &p.options
	for _, c := range []*ondemand.Cluster{&x.have, &x.ready, &x.trains} {
		p.front.Clusters(p.v, p.free, p.usd) // the prices by which clusters are measured
		p.front.Measure(c)
	}
	o.list = o.list[:0]
	_, both := p.search(plan.Recorded())
	hold, jp := plan.Jobs[p.j].Hold, &plan.Jobs[p.j]
	p.explain(plan)
	jp.Workers = 0
	for k, n := range o.best {
		hold[k] = int(n)
		jp.Workers += int(n)
	}
	_, boots := p.weigh(o.best, both)
	if both {
		for k := range hold {
			hold[k] = max(hold[k], int(x.have.Counts[k]))
		}
		plan.WakeIn(time.Duration(max(boots, 1) * 1e9))
	}
	p.wish(hold)
	for k := range hold {
		if h := p.v.Held(p.j, k); hold[k] > h.Active()+h.Waiting && p.pools[k].spot {
			plan.AskAgain() // to see whether it is granted
		}
	}
	plan.SetReason("least expected cost")
}

// wish has pools that have no room keep requests for what would be held if they had.
func (p *planner) wish(hold []int) {
	o := &p.options
	for k := range p.pools {
		if p.pools[k].spot && p.pools[k].refused {
			p.free[k] = p.may[k]
		}
	}
	for range rounds {
		p.search(false)
		any := false
		for k, n := range o.best {
			if x := &p.pools[k]; x.refused && x.spot && p.free[k] > 0 && int(n) > int(p.now.have.Counts[k]) {
				hold[k] = max(hold[k], int(n))
				p.free[k], any = int(p.now.have.Counts[k]), true
			}
		}
		if !any {
			return
		}
	}
}
