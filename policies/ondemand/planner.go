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
	Until       float64  // seconds until something has to be done for Then, or the end
	End         float64  // seconds until the job is done
	USD         float64  // from now on
	InTime      bool
}

// patience is how long a pool on demand may keep a request waiting before others are asked.
const patience = time.Minute

// Update takes in what job j has and may have. keep, unless nil, is the spot instances by pool that are counted on
// until the end. With planned the job keeps no more than the plan holds.
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
	p.noteAges()
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

// quotas notes how many instances of each pool on demand the job has and may have: pools that keep requests waiting
// give no more.
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
	seen := sim.Instance{Pool: -1}
	for _, x := range p.all {
		if x.Ready || x.Pool == seen.Pool && x.Granted == seen.Granted {
			continue // those that start together are as long away: of thousands only one is worked out
		}
		seen = x
		if pool := p.v.Pool(x.Pool); pool.OnDemand {
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

// maxBooted is the largest number of instances whose boot times have a place of their own. It is as many as a model may
// have: where two numbers share a place, each is worked out again in each decision.
const maxBooted = 1 << 16

// readyAfter returns how long it takes until n instances are ready.
func (p *Planner) readyAfter(b *sim.Boot, n int) lag {
	if n >= len(p.booted) && n <= maxBooted {
		p.booted = make([]booted, max(32, 1<<bits.Len(uint(n)))) // what was there is worked out again, to the same
	}
	x := &p.booted[n%len(p.booted)]
	if x.n != n || x.boot != *b || x.share != p.Share {
		*x = booted{*b, n, p.Share, lag{policyutil.ReadyAfter(*b, n, p.Share), policyutil.ReadyAfter(*b, n, even)}}
	}
	return x.lag
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

// Sized returns the smallest number of instances with which the whole job is done within seconds, of a job that has
// none the fastest.
func (p *Planner) Sized(seconds float64) int {
	if len(p.clusters) == 0 {
		return 1
	}
	return p.sized(p.work(&Start{Loss: never}, &p.clusters[len(p.clusters)-1]), seconds)
}

// Seconds returns how long training from a loss takes on the fastest cluster of n instances, or of as many as there
// are.
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

// lost asks a model what it costs that all instances go at once, the chief among them.
// It holds scratch memory.
type lost struct {
	change sim.Change
	places []sim.Place
}
