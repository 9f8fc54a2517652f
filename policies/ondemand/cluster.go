package ondemand

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Cluster is a set of instances on demand.
type Cluster struct {
	Counts            []int32 // by pool
	N                 int     // instances
	Pipelines, Stages int     // to lay out; 0: all train side by side
	Rate              float64 // progress per second, with the spot instances that are kept
	USD               float64 // per hour, with theirs
	begin             float64 // progress at which training begins on it
	working           int32   // instances that take part
	arrives           float64 // seconds for which the last instance to be ready stops training
	corner            bool    // a schedule of two clusters may have it
}

// within reports whether a cluster has no more of each pool than another.
func (c *Cluster) within(counts []int32) bool {
	for p, n := range c.Counts {
		if n > counts[p] {
			return false
		}
	}
	return true
}

// store keeps clusters in memory that is used again.
type store struct {
	clusters []Cluster
	counts   []int32
	pools    int
}

func (s *store) reset(pools int) {
	s.clusters = s.clusters[:0]
	s.counts = s.counts[:0]
	s.pools = pools
}

// add returns a new cluster without instances. Earlier ones stay where they are in the list; their addresses may not.
func (s *store) add() *Cluster {
	from := len(s.counts)
	s.counts = slices.Grow(s.counts, s.pools)[:from+s.pools]
	clear(s.counts[from:])
	s.clusters = append(s.clusters, Cluster{Counts: s.counts[from:len(s.counts):len(s.counts)]})
	return &s.clusters[len(s.clusters)-1]
}

// drop takes the last cluster back.
func (s *store) drop() {
	s.clusters = s.clusters[:len(s.clusters)-1]
	s.counts = s.counts[:len(s.counts)-s.pools]
}

// layouts is how a job trains on clusters, by its model.
type layouts struct {
	model    sim.Model
	piped    sim.PipelineModel // nil: workers side by side
	placed   bool              // instances have places, which the policy lays out
	elastic  bool              // workers come and go while the others go on
	servers  int32
	prices   []float64 // by pool, USD/h; 0 of spot
	keep     []int32   // spot instances that are counted on; nil: none
	keepN    int
	keepUSD  float64
	traffic  float64 // of the cluster that was measured last, USD per hour
	together []int32 // scratch
	change   sim.Change
	from, to sim.Layout
	fewer    Cluster
	known    []measured // a power of two of them
}

// setModel takes the model of a job and the number of its parameter servers. No spot instances are counted on.
func (x *layouts) setModel(model sim.Model, servers int) {
	x.model = model
	x.servers = int32(servers)
	workers, sideBySide := model.(sim.WorkerModel)
	if sideBySide && workers.NeedsServers() {
		x.servers = max(x.servers, 1)
	}
	x.piped, _ = model.(sim.PipelineModel)
	x.placed = !sideBySide
	_, x.elastic = model.(sim.ElasticModel)
	x.keep = nil
	x.keepN = 0
	x.keepUSD = 0
}

// layoutOf returns how the job is laid out on a cluster.
func (x *layouts) layoutOf(c *Cluster) sim.Layout {
	return sim.Layout{Workers: c.Counts, Pipelines: int32(c.Pipelines), Stages: int32(c.Stages), Servers: x.servers}
}

// measure fills in what a cluster does and costs, of its Counts.
func (x *layouts) measure(c *Cluster) {
	instances := 0
	usd := x.keepUSD
	name := uint32(2166136261)
	for p, n := range c.Counts {
		if n != 0 {
			instances += int(n)
			usd += float64(float64(n) * x.prices[p])
			name = (name ^ uint32(p)<<16 ^ uint32(n)) * 16777619
		}
	}
	c.N = instances
	c.USD = usd
	c.Pipelines = 0
	c.Stages = 0
	if x.placed {
		c.Pipelines, c.Stages = x.piped.Best(c.N + x.keepN)
	}
	if x.keepN == 0 && x.recall(c, name) {
		return
	}
	x.together = append(x.together[:0], c.Counts...)
	for p, n := range x.keep {
		x.together[p] += n
	}
	layout := &x.to // here: what a model is given would be made on the heap
	*layout = x.layoutOf(c)
	layout.Workers = x.together
	c.Rate = 0
	c.begin = 0
	c.working = 0
	x.traffic = 0
	if c.N+x.keepN > 0 {
		rate := x.model.Rate(layout)
		c.Rate = rate.Progress
		c.working = rate.Working
		c.begin = x.model.Begin(layout)
		x.traffic = 3600 * rate.Traffic
	}
	c.USD += x.traffic
	c.arrives = x.arrival(c)
	if x.keepN == 0 {
		x.note(c, name)
	}
}

// measured is what a cluster was found to do: a memory, since order statistics of several types take long.
type measured struct {
	model   sim.Model
	servers int32
	counts  []int32
	cluster Cluster
	traffic float64 // USD per hour
}

// slot returns the place of a cluster in that memory, by a name for its numbers.
func (x *layouts) slot(name uint32) *measured {
	if pools := len(x.prices); x.known == nil {
		x.known = make([]measured, 256)
		// The counts of all at once: a place that is first taken late allocates nothing.
		counts := make([]int32, pools*len(x.known))
		for i := range x.known {
			x.known[i].counts = counts[i*pools : i*pools : (i+1)*pools]
		}
	}
	return &x.known[(name^name>>15)%uint32(len(x.known))]
}

// recall fills in what a cluster does, if that is known.
func (x *layouts) recall(c *Cluster, name uint32) bool {
	m := x.slot(name)
	if m.servers != x.servers || !slices.Equal(m.counts, c.Counts) || !policyutil.SameModel(x.model, m.model) {
		return false
	}
	c.Rate = m.cluster.Rate
	c.begin = m.cluster.begin
	c.working = m.cluster.working
	c.arrives = m.cluster.arrives
	c.Pipelines = m.cluster.Pipelines
	c.Stages = m.cluster.Stages
	c.USD += m.traffic
	return true
}

// note remembers what a cluster does.
func (x *layouts) note(c *Cluster, name uint32) {
	m := x.slot(name)
	m.model = x.model
	m.servers = x.servers
	m.counts = append(m.counts[:0], c.Counts...)
	m.cluster = *c
	m.traffic = x.traffic
}

// stall returns the seconds for which a change from one cluster to another stops training; +Inf if it sets training
// back, as giving back an instance that has a place does.
func (x *layouts) stall(from, to *Cluster) float64 {
	if x.elastic || from.N == 0 || to.N == 0 {
		return 0
	}
	if x.keepN > 0 { // spot instances that are counted on train on
		return 0
	}
	if x.placed && !from.within(to.Counts) {
		return never
	}
	x.from = x.layoutOf(from)
	x.to = x.layoutOf(to)
	x.change = sim.Change{
		From:   &x.from,
		To:     &x.to,
		Worked: from.working,
		Grid:   sim.Place{Pipeline: x.from.Pipelines, Stage: x.from.Stages},
	}
	return x.model.Change(&x.change).Stall.Seconds()
}

// arrival returns the seconds for which the last instance of a cluster to be ready stops training, where the others
// train.
func (x *layouts) arrival(c *Cluster) float64 {
	if x.placed || x.elastic || c.N < 2 || x.keepN > 0 {
		return 0
	}
	fewer := &x.fewer
	fewer.Counts = append(fewer.Counts[:0], c.Counts...)
	for k := range fewer.Counts {
		if fewer.Counts[k] > 0 {
			fewer.Counts[k]--
			break
		}
	}
	fewer.N = c.N - 1
	fewer.working = c.working - 1
	return x.stall(fewer, c)
}

var never = math.Inf(1)
