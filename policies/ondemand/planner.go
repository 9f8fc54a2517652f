package ondemand

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Planner plans clusters on demand for a job. It holds scratch memory and what it worked out before; what it returns is a
// function of the View.
type Planner struct {
	// Share is the probability with which the missing instances of a cluster are ready within the boot time that is
	// planned with, above 0 and below 1. Of boots that are always the same it is without effect.
	Share float64

	layouts
	*table
	tables [4]table // of the last models, quotas and prices
	next   int
	v      sim.View
	j      int
	caps   []int
	have   []int32   // by pool: on demand, starting or ready
	held   Cluster   // the same as a cluster
	up     Cluster   // those that are ready
	rest   []lag     // by pool: of what starts
	move   []float64 // by pool: seconds to carry the job's state there
	more   store     // clusters made of what is held
	list   []*Cluster
	all    []sim.Instance
	none   []int32
	both   []int32

	booted [2][]booted // with the probability even, and with Share; by number of instances, modulo the length

	start Start
	lost  lost
	union Cluster
}

// Start is where a schedule begins.
type Start struct {
	Loss  float64 // from which training goes on; +Inf before it has begun
	Pause float64 // seconds until it can go on, if instances are ready
	Stall float64 // seconds that it stops once, at the latest when instances are ready: spot instances that are lost
	Left  float64 // seconds until it has to end
}

// Schedule is clusters on demand until the job is done. Its pointers are valid until the planner's next call.
type Schedule struct {
	First, Then *Cluster // Then is nil where First stays until the end; First is nil where there is nothing on demand
	Boots       float64  // seconds until all of First is ready, at most
	Until       float64  // seconds until something has to be done for Then, or the end
	End         float64  // seconds until the job is done
	USD         float64  // from now on
	InTime      bool
}

// patience is how long a pool on demand may keep a request waiting before others are asked.
const patience = time.Minute

// Update takes in what job j has and may have. keep, unless nil, is the spot instances by pool that are counted on until the
// end. With planned the job keeps no more than the plan holds.
func (p *Planner) Update(v sim.View, j int, keep []int32, planned bool, plan *sim.Plan) {
	job := v.Job(j)
	p.v, p.j = v, j
	p.model, p.servers = job.Model(), int32(plan.Jobs[j].Servers)
	m, side := p.model.(sim.WorkerModel)
	if side && m.NeedsServers() {
		p.servers = max(p.servers, 1)
	}
	p.piped, _ = p.model.(sim.PipelineModel)
	p.quotas(planned, plan)
	p.placed = !side
	_, p.elastic = p.model.(sim.ElasticModel)
	p.keep, p.keepN, p.keepUSD = nil, 0, 0
	p.pick()
	if keep != nil {
		p.keep = keep
		for k, n := range keep {
			p.keepN += int(n)
			p.keepUSD += float64(float64(n) * v.Price(k))
		}
	}
	p.boots(plan)
	p.candidates()
}

// pick takes the table of what the job may hold.
func (p *Planner) pick() {
	for i := range p.tables {
		if p.table = &p.tables[i]; p.fits(&p.layouts, p.caps) {
			return
		}
	}
	p.table = &p.tables[p.next]
	p.next = (p.next + 1) % len(p.tables)
	p.fill(&p.layouts, p.v, p.caps)
	for i := range p.tables { // they take turns: each has the memory of the largest, so that none grows later
		p.tables[i].reserve(p.table)
	}
}

// quotas notes how many instances of each pool on demand the job has and may have: pools that keep requests waiting give no
// more.
func (p *Planner) quotas(planned bool, plan *sim.Plan) {
	n := p.v.Pools()
	p.caps, p.prices, p.have, p.up.Counts, p.none = p.caps[:0], p.prices[:0], p.have[:0], p.up.Counts[:0], p.none[:0]
	for k := range n {
		slots, have, ready, price := 0, 0, 0, 0.0
		if p.v.Pool(k).OnDemand {
			price = p.v.Price(k)
			h := p.v.Held(p.j, k)
			have, ready, slots = h.Active(), h.Ready, h.Active()
			if !policyutil.Overdue(p.v, p.j, k, patience) {
				slots += policyutil.Headroom(p.v, plan, p.j, k)
			}
			if hold := plan.Jobs[p.j].Hold[k]; planned && hold < have {
				have, ready = hold, min(ready, hold)
			}
		}
		p.caps, p.prices = append(p.caps, slots), append(p.prices, price)
		p.have, p.up.Counts, p.none = append(p.have, int32(have)), append(p.up.Counts, int32(ready)), append(p.none, 0)
	}
}

// boots works out how long what starts and what is requested now may take to be ready.
func (p *Planner) boots(plan *sim.Plan) {
	n := p.v.Pools()
	p.rest, p.move = slices.Grow(p.rest[:0], n)[:n], slices.Grow(p.move[:0], n)[:n]
	clear(p.rest)
	clear(p.move)
	starting := false
	job := p.v.Job(p.j)
	for k := range n {
		if p.caps[k] == 0 {
			continue
		}
		starting = starting || p.have[k] > p.up.Counts[k]
		for from := range n {
			if job.StateIn(from) || plan.Jobs[p.j].Hold[from] > 0 && p.v.Held(p.j, from).Want > 0 {
				p.move[k] = max(p.move[k], job.Move(from, k).Time.Seconds())
			}
		}
	}
	if !starting {
		return
	}
	p.all = job.Instances(p.all[:0])
	for _, x := range p.all {
		if pool := p.v.Pool(x.Pool); pool.OnDemand && !x.Ready {
			since := p.v.Now().Sub(x.Granted).Seconds()
			n := int(p.have[x.Pool])
			p.rest[x.Pool].include(policyutil.ReadyIn(pool.Boot, since, n, p.Share), policyutil.ReadyIn(pool.Boot, since, n, even), p.move[x.Pool])
		}
	}
}

// candidates lists the clusters that are weighed up.
func (p *Planner) candidates() {
	p.list = p.list[:0]
	p.more.reset(len(p.caps))
	p.held.Counts = p.have
	p.measure(&p.held)
	p.measure(&p.up)
	p.more.clusters = slices.Grow(p.more.clusters[:0], 3*len(p.clusters)+2) // addresses stay
	if p.keepN == 0 {
		p.fresh()
	} else {
		p.addCluster(p.none, p.none)
		for _, i := range p.hull {
			p.addCluster(p.clusters[i].Counts, p.none)
		}
	}
	if p.held.N == 0 {
		return
	}
	p.addCluster(p.have, p.none)
	p.addCluster(p.up.Counts, p.none)
	for _, i := range p.hull {
		c := &p.clusters[i]
		p.both = p.both[:0]
		for k, n := range c.Counts {
			p.both = append(p.both, min(n, p.have[k]))
		}
		p.addCluster(p.both, p.none)
		p.addCluster(c.Counts, p.have)
	}
}

// fresh lists the clusters of the table: those that are no corner matter only where a change stops training.
func (p *Planner) fresh() {
	for i := range p.clusters {
		if c := &p.clusters[i]; c.corner || !p.elastic {
			p.list = append(p.list, c)
		}
	}
}

// addCluster adds the cluster of the larger of two numbers of each pool, unless it is there or cannot train.
func (p *Planner) addCluster(counts, atLeast []int32) {
	c := p.more.add()
	for k := range c.Counts {
		c.Counts[k] = max(counts[k], atLeast[k])
	}
	for _, o := range p.list {
		if slices.Equal(o.Counts, c.Counts) {
			p.more.drop()
			return
		}
	}
	p.measure(c)
	if c.Rate <= 0 || !allowed(p.v, c.Counts) {
		p.more.drop()
		return
	}
	c.corner = true
	p.list = append(p.list, c)
}

// work returns the progress that is left if the rest is trained on a cluster.
func (p *Planner) work(s *Start, c *Cluster) float64 {
	goal := p.model.Goal(p.v.Job(p.j).Objective().Loss)
	if math.IsInf(s.Loss, 1) {
		return max(goal-c.begin, 0)
	}
	return max(goal-p.model.Goal(s.Loss), 0)
}

// lag is how long it takes until instances are ready, s: the bound that is planned with, and what is as likely as not.
type lag struct{ bound, likely float64 }

// even is the probability of what is as likely as not.
const even = 0.5

// include takes in instances that are ready after others.
func (x *lag) include(bound, likely, move float64) {
	x.bound = max(x.bound, bound+move)
	x.likely = max(x.likely, likely+move)
}

// wait returns how long it takes until all instances of a cluster are ready.
func (p *Planner) wait(c *Cluster, have, up []int32) lag {
	longest, missing := lag{}, 0
	for k, n := range c.Counts {
		missing += int(max(n-have[k], 0))
		if n > up[k] && have[k] > up[k] {
			longest.include(p.rest[k].bound, p.rest[k].likely, 0)
		}
	}
	if missing == 0 {
		return longest
	}
	for k, n := range c.Counts {
		if n > have[k] {
			boot := p.readyAfter(&p.v.Pool(k).Boot, missing)
			longest.include(boot.bound, boot.likely, p.move[k])
		}
	}
	return longest
}

// booted is the bound of a boot time: a memory of what was worked out.
type booted struct {
	boot  sim.Boot
	n     int
	share float64
	lag   lag
}

// maxBooted is the largest number of instances whose boot times have a place of their own.
const maxBooted = 4095

// readyAfter returns how long it takes until n instances are ready.
func (p *Planner) readyAfter(b *sim.Boot, n int) lag {
	which := 1
	if p.Share == even {
		which = 0
	}
	if n >= len(p.booted[which]) && n <= maxBooted {
		p.booted[which] = make([]booted, max(32, 1<<bits.Len(uint(n)))) // what was there is worked out again, to the same
	}
	x := &p.booted[which][n%len(p.booted[which])]
	if x.n != n || x.boot != *b || x.share != p.Share {
		*x = booted{*b, n, p.Share, lag{policyutil.ReadyAfter(*b, n, p.Share), policyutil.ReadyAfter(*b, n, even)}}
	}
	return x.lag
}

// leg is the way to a cluster: what is ready trains until all of it is. Money goes by likely boots, deadlines by their bound.
type leg struct {
	boots lag
	work  float64 // progress that is left now
	usd   float64 // USD/h until the cluster is ready
	rate  float64 // progress per second until then
	pause float64
	stall float64 // of the change
	stops float64 // of instances that come before the last
}

// leg works out how a cluster is reached.
func (p *Planner) leg(s *Start, c *Cluster) leg {
	x := leg{boots: p.wait(c, p.have, p.up.Counts), work: p.work(s, c), usd: p.keepUSD, pause: s.Pause}
	for k, n := range c.Counts {
		x.usd += float64(float64(max(n, p.have[k])) * p.prices[k])
	}
	if p.up.Rate > 0 && !math.IsInf(s.Loss, 1) {
		x.rate = p.up.Rate
		if !p.elastic && x.boots.bound > 0 { // what comes first may slow the others down
			x.rate, x.stops = min(x.rate, p.with(c)), c.arrives*float64(max(c.N-p.up.N-1, 0))
		}
		if !slices.Equal(c.Counts, p.up.Counts) {
			x.stall = p.stall(&p.up, c)
		}
	}
	if x.boots.bound > 0 || s.Stall > 0 {
		x.stall = max(x.stall, c.arrives)
	}
	x.stall += s.Stall
	return x
}

// with returns the rate on what is ready and a cluster together.
func (p *Planner) with(c *Cluster) float64 {
	p.union.Counts = append(p.union.Counts[:0], c.Counts...)
	for k, n := range p.up.Counts {
		p.union.Counts[k] = max(p.union.Counts[k], n)
	}
	p.measure(&p.union)
	return p.union.Rate
}

// at returns when the cluster trains if it is ready after some seconds, and the progress that is left then; early is when
// the job is done before that, +Inf if it is not.
func (x *leg) at(boots float64) (begins, left, early float64) {
	done := x.rate * max(boots-x.pause-x.stops, 0)
	if x.rate > 0 && boots > 0 && done >= x.work {
		return boots, 0, x.pause + x.stops + x.work/x.rate
	}
	return max(boots, x.pause) + x.stall, x.work - done, never
}

// Plan returns the cheapest schedule that ends in time if boots take as long as their bound, else the one that is likely to end
// first; and how many seconds the soonest end with boots at their bound is away, +Inf if there is none. Of equal
// ones it takes the first listed, which holds the fewest.
func (p *Planner) Plan(s *Start) (best Schedule, soonest float64) {
	best.USD, soonest = never, never
	likely := Schedule{End: never}
	for _, a := range p.list {
		x := p.leg(s, a)
		one, ends := p.alone(&x, a)
		if one.First == nil {
			continue
		}
		soonest = min(soonest, ends)
		if one.End < likely.End {
			likely = one
		}
		if ends > s.Left+rounding && !(one.End <= s.Left && p.helped(s, &x, a)) {
			continue
		}
		one.InTime = true
		if one.USD < best.USD*(1-rounding) {
			best = one
		}
		if a.corner {
			p.pairs(s, &x, a, &best)
		}
	}
	if !best.InTime {
		best = likely
	}
	return best, soonest
}

// Likely returns the cheapest schedule that ends in time if boots take what is as likely as not: for money, not for deadlines.
func (p *Planner) Likely(s *Start) Schedule {
	defer func(share float64) { p.Share = share }(p.Share)
	p.Share = even
	best, _ := p.Plan(s)
	return best
}

// helped reports whether a cluster that is late if it boots as long as the bound can still be helped then: by a faster one
// that is requested at that instant, and boots as long as its bound.
func (p *Planner) helped(s *Start, x *leg, a *Cluster) bool {
	if !p.elastic {
		return false
	}
	begins, left, _ := x.at(x.boots.bound)
	for _, c := range p.list {
		if c.Rate <= a.Rate {
			continue
		}
		boots := p.wait(c, a.Counts, a.Counts).bound
		if left > a.Rate*boots && begins+boots+(left-a.Rate*boots)/c.Rate <= s.Left {
			return true
		}
	}
	return false
}

// rounding is the seconds, and the share of a cost, below which differences do not count.
const rounding = 1e-7

// alone is the schedule of one cluster with likely boots, and its end with boots at their bound. There is none for a cluster
// that is not ready and no faster than what is: that is left for it once it is (pair).
func (p *Planner) alone(x *leg, a *Cluster) (out Schedule, bound float64) {
	if x.boots.bound > 0 && x.rate > 0 && a.Rate <= p.up.Rate {
		return out, never
	}
	begins, left, early := x.at(x.boots.bound)
	bound = min(begins+left/a.Rate, early)
	boots := x.boots.likely
	begins, left, early = x.at(boots)
	out = Schedule{First: a, Boots: x.boots.bound, End: begins + left/a.Rate}
	out.USD = (x.usd*boots + a.USD*(out.End-boots)) / 3600
	if early < out.End {
		out.End, out.USD = early, x.usd*early/3600
	}
	out.Until = out.End
	return out, bound
}

// spare is kept of the time where a cluster is left for a slower one, s.
const spare = 0.1

// pairs looks for a cheaper schedule than the cheapest so far: cluster a, with which alone the job would be in time, and
// then another one, which ends just in time.
func (p *Planner) pairs(s *Start, x *leg, a *Cluster, cheapest *Schedule) {
	begins, work, _ := x.at(x.boots.likely)
	left := s.Left - spare - begins
	before := x.usd*x.boots.likely + a.USD*(begins-x.boots.likely)
	for _, b := range p.list {
		if !b.corner || b.USD >= a.USD || b.Rate >= a.Rate || left <= 0 {
			continue
		}
		first, then := split(work, a.Rate, b.Rate, left)
		if before+a.USD*first+b.USD*then < 3600*cheapest.USD*(1-rounding) { // what comes now only adds
			p.pair(s, x, a, b, begins, work, before, cheapest)
		}
	}
}

// split returns for how long work is done at two rates, the higher first, so that it ends when no time is left; at the lower
// alone where that is soon enough.
func split(work, high, low, left float64) (first, then float64) {
	if low*left >= work {
		return 0, work / low
	}
	first = (work - low*left) / (high - low)
	return first, left - first
}

// pair is the schedule of cluster a, which trains from begins on, and then b, if it is the cheapest so far. Before is what
// is paid until a trains, USD/h times seconds.
func (p *Planner) pair(s *Start, x *leg, a, b *Cluster, begins, work, before float64, cheapest *Schedule) {
	stall := p.stall(a, b)
	left := s.Left - spare - begins - stall
	first, then := split(work, a.Rate, b.Rate, left)
	if !(left > 0 && then > 0) {
		return
	}
	usd, until := before+a.USD*first+b.USD*(stall+then), begins+first
	if !b.within(a.Counts) { // b boots while a trains
		boots := p.wait(b, a.Counts, a.Counts)
		if boots.bound > first {
			return
		}
		until -= boots.bound
		for k, n := range b.Counts {
			usd += float64(float64(max(n-a.Counts[k], 0)) * p.prices[k] * boots.likely)
		}
	}
	if usd /= 3600; usd < cheapest.USD*(1-rounding) {
		*cheapest = Schedule{First: a, Then: b, Boots: x.boots.bound, Until: until, End: begins + first + stall + then, USD: usd, InTime: true}
	}
}

// Whole returns what the whole job costs from its submission on, as if nothing was held, USD; +Inf if it cannot be done in
// time, and where there is nothing on demand. After is the same if it begins
// two boots later.
func (p *Planner) Whole() (usd, after float64) {
	objective, t := p.v.Job(p.j).Objective(), p.table
	if t.known && t.objective == objective {
		return t.usd, t.after
	}
	have, up, list := p.have, p.up, p.list
	p.have, p.up, p.list = p.none, Cluster{Counts: p.none}, t.whole[:0]
	p.fresh()
	p.start = Start{Loss: never, Left: objective.Within.Seconds()}
	usd = p.inTime()
	boot := 0.0
	for k, largest := range p.caps {
		if largest > 0 {
			boot = max(boot, p.v.Pool(k).Boot.Mean().Seconds())
		}
	}
	p.start.Left -= 2 * boot
	after = p.inTime()
	t.known, t.objective, t.usd, t.after, t.whole = true, objective, usd, after, p.list
	p.have, p.up, p.list = have, up, list
	return usd, after
}

// inTime returns what the cheapest schedule that is likely to end in time costs from start on, USD; +Inf if there is none.
func (p *Planner) inTime() float64 {
	if out := p.Likely(&p.start); out.InTime {
		return out.USD
	}
	return never
}

// Hold writes a schedule into the plan of the job: what it needs now of the pools on demand. What is held stays until all
// of a cluster is ready. Other pools are left alone. It reports whether all is ready.
func (p *Planner) Hold(s *Schedule, plan *sim.Plan) (ready bool) {
	ready = s.First.within(p.up.Counts)
	hold, asks := plan.Jobs[p.j].Hold, false
	for k, n := range s.First.Counts {
		if !p.v.Pool(k).OnDemand {
			continue
		}
		hold[k] = int(n)
		if !ready {
			hold[k] = int(max(n, p.have[k]))
		}
		asks = asks || hold[k] > int(p.have[k])+p.v.Held(p.j, k).Waiting
	}
	if !ready && s.Boots == 0 && asks {
		plan.AskAgain() // what is granted is ready at once
	}
	return ready
}

// Lay lays the job out on a schedule's cluster, where its instances have places: once all are ready.
func (p *Planner) Lay(s *Schedule, ready bool, plan *sim.Plan) {
	x := &plan.Jobs[p.j]
	switch {
	case !p.placed:
		x.Pipelines, x.Stages = 0, 0
	case ready || !p.v.Job(p.j).Training():
		x.Pipelines, x.Stages = s.First.Pipelines, s.First.Stages
		x.Refill = x.Refill || p.v.Job(p.j).Layout().Holes > 0
	}
}

// Possible reports whether there is anything on demand that can train the job.
func (p *Planner) Possible() bool { return len(p.clusters) > 0 }

// Placed reports whether the job's instances have places, so that giving one back is a loss of its place.
func (p *Planner) Placed() bool { return p.placed }

// Arrives returns the seconds for which an instance that comes to the largest cluster stops its training.
func (p *Planner) Arrives() float64 {
	if len(p.clusters) == 0 {
		return 0
	}
	return p.clusters[len(p.clusters)-1].arrives
}

// Together returns the rate on what is held on demand and the spot instances that are counted on, progress per second.
func (p *Planner) Together(hold []int) float64 {
	p.more.reset(len(p.caps))
	c := p.more.add()
	for k := range c.Counts {
		if p.v.Pool(k).OnDemand {
			c.Counts[k] = int32(hold[k])
		}
	}
	p.measure(c)
	return c.Rate
}

// Sized returns the smallest number of instances with which the whole job is done within seconds, of a job that has none
// the fastest.
func (p *Planner) Sized(seconds float64) int {
	if len(p.clusters) == 0 {
		return 1
	}
	return p.sized(p.work(&Start{Loss: never}, &p.clusters[len(p.clusters)-1]), seconds)
}

// Seconds returns how long training from a loss takes on the fastest cluster of n instances, or of as many as there are.
func (p *Planner) Seconds(loss float64, n int) float64 {
	if len(p.clusters) == 0 {
		return never
	}
	return p.work(&Start{Loss: loss}, &p.clusters[len(p.clusters)-1]) / p.rate(n)
}

// Boot returns the mean seconds until instances that are requested now train, of the slowest pool on demand.
func (p *Planner) Boot() float64 {
	longest := 0.0
	for k, largest := range p.caps {
		if largest > 0 {
			longest = max(longest, p.v.Pool(k).Boot.Mean().Seconds()+p.move[k])
		}
	}
	return longest
}

// Wake has the policy asked when the schedule says something else.
func (p *Planner) Wake(s *Schedule, plan *sim.Plan) {
	next := min(s.Until, longest.Seconds())
	if s.Boots > 0 {
		next = min(next, s.Boots) // what is not ready then takes longer than planned
	}
	plan.WakeIn(time.Duration(math.Ceil(max(next, 1e-3) * 1e9)))
}

// longest is the time after which the policy looks again.
const longest = 10 * time.Minute

// lost asks a model what it costs that all instances go at once, the chief among them.
// It holds scratch memory.
type lost struct {
	change sim.Change
	places []sim.Place
}
