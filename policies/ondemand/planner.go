package ondemand

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Planner plans clusters on demand for a job. It holds scratch memory and what it worked out before; what it returns is
// a function of the View.
type Planner struct {
	// Share is the probability with which the missing instances of a cluster are ready within the boot time that is
	// planned with, above 0 and below 1. Of boots that are always the same it is without effect.
	Share float64

	layouts
	*table
	tables    [4]table // of the last models, quotas and prices
	nextTable int      // that is filled next

	view   sim.View
	job    sim.JobView
	index  int       // of the job
	caps   []int     // by pool: on demand, that the job may hold
	have   []int32   // by pool: on demand, starting or ready, with what is asked for
	asked  []int32   // by pool: on demand, that the plan asks for
	held   Cluster   // the same as a cluster
	ready  Cluster   // those that are ready
	bootIn []lag     // by pool: until what starts is ready
	moveIn []float64 // by pool: seconds to carry the job's state there

	options   []*Cluster // that are weighed up
	extra     store      // those of them that are made of what is held
	instances []sim.Instance
	nothing   []int32
	common    []int32

	units
	booted []booted // by number of instances, modulo the length

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
	Later float64 // seconds for which what is held now was held longer, for billing: the schedule of a later instant
}

// Schedule is clusters on demand until the job is done. Its pointers are valid until the planner's next call.
type Schedule struct {
	First, Then *Cluster // Then is nil where First stays until the end; First is nil where there is nothing on demand
	Boots       float64  // seconds until all of First is ready, at most
	Likely      float64  // seconds until it is as likely as not
	Until       float64  // seconds until something has to be done for Then, or the end
	End         float64  // seconds until the job is done
	USD         float64  // from now on
	InTime      bool
}

// patience is how long a pool on demand may keep a request waiting before others are asked.
const patience = time.Minute

// Update takes in what job j has and may have. keep, unless nil, is the spot instances by pool that are counted on
// until the end. With planned the job keeps no more than the plan holds, and where whole units are billed it has what
// the plan asks for.
func (p *Planner) Update(v sim.View, j int, keep []int32, planned bool, plan *sim.Plan) {
	p.view = v
	p.index = j
	p.job = v.Job(j)
	p.setModel(p.job.Model(), plan.Jobs[j].Servers)
	p.countInstances(planned, plan)
	p.pickTable()
	if keep != nil {
		p.keep = keep
		for k, n := range keep {
			p.keepN += int(n)
			p.keepUSD += float64(float64(n) * v.Price(k))
		}
	}
	p.estimateBoots(plan)
	p.noteAges()
	p.listOptions()
}

// pickTable takes the table of what the job may hold, and fills one in if there is none.
func (p *Planner) pickTable() {
	for i := range p.tables {
		if p.table = &p.tables[i]; p.fits(&p.layouts, p.caps) {
			return
		}
	}
	p.table = &p.tables[p.nextTable]
	p.nextTable = (p.nextTable + 1) % len(p.tables)
	p.fill(&p.layouts, p.view, p.caps)
	for i := range p.tables { // they take turns: each has the memory of the largest, so that none grows later
		p.tables[i].reserve(p.table)
	}
}

// countInstances notes how many instances of each pool on demand the job has and may have: pools that keep requests
// waiting give no more.
func (p *Planner) countInstances(planned bool, plan *sim.Plan) {
	p.caps = p.caps[:0]
	p.prices = p.prices[:0]
	p.have = p.have[:0]
	p.asked = p.asked[:0]
	p.ready.Counts = p.ready.Counts[:0]
	p.nothing = p.nothing[:0]
	for k := range p.view.Pools() {
		most := 0
		active := 0
		ready := 0
		asked := 0
		price := 0.0
		if p.view.Pool(k).OnDemand {
			held := p.view.Held(p.index, k)
			price = p.view.Price(k)
			active = held.Active()
			ready = held.Ready
			most = active
			if !policyutil.Overdue(p.view, p.index, k, patience) {
				most += policyutil.Headroom(p.view, plan, p.index, k)
			}
			hold := plan.Jobs[p.index].Hold[k]
			if planned && hold < active {
				active = hold
				ready = min(ready, hold)
			}
			if planned && hold > active && policyutil.CoarselyBilled(p.view, k) {
				asked = min(hold, most) - active
				active += asked
			}
		}
		p.caps = append(p.caps, most)
		p.prices = append(p.prices, price)
		p.have = append(p.have, int32(active))
		p.asked = append(p.asked, int32(asked))
		p.ready.Counts = append(p.ready.Counts, int32(ready))
		p.nothing = append(p.nothing, 0)
	}
}

// estimateBoots works out how long what starts may take to be ready, and how long the job's state takes to each pool.
func (p *Planner) estimateBoots(plan *sim.Plan) {
	pools := p.view.Pools()
	p.bootIn = policyutil.Resize(p.bootIn, pools)
	p.moveIn = policyutil.Resize(p.moveIn, pools)
	clear(p.bootIn)
	clear(p.moveIn)
	starting := false
	for k := range pools {
		if p.caps[k] == 0 {
			continue
		}
		starting = starting || p.have[k] > p.ready.Counts[k]
		for from := range pools {
			if p.job.StateIn(from) || plan.Jobs[p.index].Hold[from] > 0 && p.view.Held(p.index, from).Want > 0 {
				p.moveIn[k] = max(p.moveIn[k], p.job.Move(from, k).Time.Seconds())
			}
		}
		if p.asked[k] > 0 {
			p.bootIn[k].include(p.bootsOf(&p.view.Pool(k).Boot, int(p.have[k])), p.moveIn[k])
		}
	}
	if !starting {
		return
	}
	p.instances = p.job.Instances(p.instances[:0])
	seen := sim.Instance{Pool: -1}
	for _, x := range p.instances {
		if x.Ready || x.Pool == seen.Pool && x.Granted == seen.Granted {
			continue // those that start together are as long away: of thousands only one is worked out
		}
		seen = x
		if pool := p.view.Pool(x.Pool); pool.OnDemand {
			age := p.view.Now().Sub(x.Granted).Seconds()
			n := int(p.have[x.Pool])
			left := lag{
				bound:  policyutil.ReadyIn(pool.Boot, age, n, p.Share),
				likely: policyutil.ReadyIn(pool.Boot, age, n, even),
			}
			p.bootIn[x.Pool].include(left, p.moveIn[x.Pool])
		}
	}
}

// listOptions lists the clusters that are weighed up.
func (p *Planner) listOptions() {
	p.options = p.options[:0]
	p.extra.reset(len(p.caps))
	p.held.Counts = p.have
	p.measure(&p.held)
	p.measure(&p.ready)
	p.extra.clusters = slices.Grow(p.extra.clusters[:0], 3*len(p.clusters)+2) // addresses stay
	if p.keepN == 0 {
		p.listTable()
	} else {
		p.addOption(p.nothing, p.nothing)
		for _, i := range p.hull {
			p.addOption(p.clusters[i].Counts, p.nothing)
		}
	}
	if p.held.N == 0 {
		return
	}
	p.addOption(p.have, p.nothing)
	p.addOption(p.ready.Counts, p.nothing)
	for _, i := range p.hull {
		c := &p.clusters[i]
		p.common = p.common[:0]
		for k, n := range c.Counts {
			p.common = append(p.common, min(n, p.have[k]))
		}
		p.addOption(p.common, p.nothing)
		p.addOption(c.Counts, p.have)
	}
}

// listTable lists the clusters of the table: those that are no corner matter only where a change stops training.
func (p *Planner) listTable() {
	for i := range p.clusters {
		if c := &p.clusters[i]; c.corner || !p.elastic {
			p.options = append(p.options, c)
		}
	}
}

// addOption adds the cluster of the larger of two numbers of each pool, unless it is there or cannot train.
func (p *Planner) addOption(counts, atLeast []int32) {
	c := p.extra.add()
	for k := range c.Counts {
		c.Counts[k] = max(counts[k], atLeast[k])
	}
	for _, other := range p.options {
		if slices.Equal(other.Counts, c.Counts) {
			p.extra.drop()
			return
		}
	}
	p.measure(c)
	if c.Rate <= 0 || !withinLimits(p.view, c.Counts) {
		p.extra.drop()
		return
	}
	c.corner = true
	p.options = append(p.options, c)
}

// workLeft returns the progress that is left if the rest is trained on a cluster.
func (p *Planner) workLeft(loss float64, c *Cluster) float64 {
	goal := p.model.Goal(p.job.Objective().Loss)
	if math.IsInf(loss, 1) {
		return max(goal-c.begin, 0)
	}
	return max(goal-p.model.Goal(loss), 0)
}

// lag is how long it takes until instances are ready, s: the bound that is planned with, and what is as likely as not.
type lag struct{ bound, likely float64 }

// even is the probability of what is as likely as not.
const even = 0.5

// include takes in instances that are ready after others, and then wait for the job's state.
func (x *lag) include(other lag, move float64) {
	x.bound = max(x.bound, other.bound+move)
	x.likely = max(x.likely, other.likely+move)
}

// untilReady returns how long it takes until all instances of a cluster are ready, where some start or are ready.
func (p *Planner) untilReady(c *Cluster, have, ready []int32) lag {
	longest := lag{}
	missing := 0
	for k, n := range c.Counts {
		missing += int(max(n-have[k], 0))
		if n > ready[k] && have[k] > ready[k] {
			longest.include(p.bootIn[k], 0)
		}
	}
	if missing == 0 {
		return longest
	}
	for k, n := range c.Counts {
		if n > have[k] {
			// As many as are waited for then: with fewer the end would be later once they are requested.
			longest.include(p.bootsOf(&p.view.Pool(k).Boot, max(missing, int(n))), p.moveIn[k])
		}
	}
	return longest
}

// booted is how long boots take: a memory of what was worked out.
type booted struct {
	boot  sim.Boot
	n     int
	share float64
	lag   lag
}

// maxBooted is the largest number of instances whose boot times have a place of their own. It is as many as a model may
// have: where two numbers share a place, each is worked out again in each decision.
const maxBooted = 1 << 16

// bootsOf returns how long it takes until n instances that are requested now are ready.
func (p *Planner) bootsOf(b *sim.Boot, n int) lag {
	if n >= len(p.booted) && n <= maxBooted {
		p.booted = make([]booted, max(32, 1<<bits.Len(uint(n)))) // what was there is worked out again, to the same
	}
	known := &p.booted[n%len(p.booted)]
	if known.n != n || known.boot != *b || known.share != p.Share {
		known.boot = *b
		known.n = n
		known.share = p.Share
		known.lag.bound = policyutil.ReadyAfter(*b, n, p.Share)
		known.lag.likely = policyutil.ReadyAfter(*b, n, even)
	}
	return known.lag
}

// Possible reports whether there is anything on demand that can train the job.
func (p *Planner) Possible() bool { return len(p.clusters) > 0 }

// BillsCoarsely reports whether billing rules of what is on demand round up to more than a minute.
func (p *Planner) BillsCoarsely() bool { return p.coarse }

// Placed reports whether the job's instances have places, so that giving one back is a loss of its place.
func (p *Planner) Placed() bool { return p.placed }

// Arrives returns the seconds for which an instance that comes to the largest cluster stops its training.
func (p *Planner) Arrives() float64 {
	if len(p.clusters) == 0 {
		return 0
	}
	return p.largest().arrives
}

// largest returns the fastest cluster of the table, which is its most expensive.
func (p *Planner) largest() *Cluster { return &p.clusters[len(p.clusters)-1] }

// Together returns the rate on what is held on demand and the spot instances that are counted on, progress per second.
func (p *Planner) Together(hold []int) float64 {
	p.extra.reset(len(p.caps))
	c := p.extra.add()
	for k := range c.Counts {
		if p.view.Pool(k).OnDemand {
			c.Counts[k] = int32(hold[k])
		}
	}
	p.measure(c)
	return c.Rate
}

// Sized returns the smallest number of instances with which the whole job is done within seconds, of a job that has
// none the fastest.
func (p *Planner) Sized(seconds float64) int {
	if len(p.clusters) == 0 {
		return 1
	}
	return p.sized(p.workLeft(never, p.largest()), seconds)
}

// Seconds returns how long training from a loss takes on the fastest cluster of n instances, or of as many as there
// are.
func (p *Planner) Seconds(loss float64, n int) float64 {
	if len(p.clusters) == 0 {
		return never
	}
	return p.workLeft(loss, p.largest()) / p.rate(n)
}

// Boot returns the mean seconds until instances that are requested now train, of the slowest pool on demand.
func (p *Planner) Boot() float64 {
	longest := 0.0
	for k, most := range p.caps {
		if most > 0 {
			longest = max(longest, p.view.Pool(k).Boot.Mean().Seconds()+p.moveIn[k])
		}
	}
	return longest
}
