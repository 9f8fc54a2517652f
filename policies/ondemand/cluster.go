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

func (s *store) reset(pools int) { s.clusters, s.counts, s.pools = s.clusters[:0], s.counts[:0], pools }

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

// measure fills in what a cluster does and costs, of its Counts.
func (x *layouts) measure(c *Cluster) {
	of, usd, name := 0, x.keepUSD, uint32(2166136261)
	for p, n := range c.Counts {
		if n != 0 {
			of += int(n)
			usd += float64(float64(n) * x.prices[p])
			name = (name ^ uint32(p)<<16 ^ uint32(n)) * 16777619
		}
	}
	c.N, c.USD, c.Pipelines, c.Stages = of, usd, 0, 0
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
	l := &x.to // here: what a model is given would be made on the heap
	*l = sim.Layout{Workers: x.together, Pipelines: int32(c.Pipelines), Stages: int32(c.Stages), Servers: x.servers}
	c.Rate, c.begin, c.working, x.traffic = 0, 0, 0, 0
	if c.N+x.keepN > 0 {
		rate := x.model.Rate(l)
		c.Rate, c.working, c.begin, x.traffic = rate.Progress, rate.Working, x.model.Begin(l), 3600*rate.Traffic
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
	of      Cluster
	traffic float64 // USD per hour
}

// slot returns the place of a cluster in that memory, by a name for its numbers.
func (x *layouts) slot(h uint32) *measured {
	if n := len(x.prices); x.known == nil {
		x.known = make([]measured, 256)
		counts := make([]int32, n*len(x.known)) // of all at once: a place that is first taken late allocates nothing
		for i := range x.known {
			x.known[i].counts = counts[i*n : i*n : (i+1)*n]
		}
	}
	return &x.known[(h^h>>15)%uint32(len(x.known))]
}

// recall fills in what a cluster does, if that is known.
func (x *layouts) recall(c *Cluster, name uint32) bool {
	m := x.slot(name)
	if m.servers != x.servers || !slices.Equal(m.counts, c.Counts) || !policyutil.SameModel(x.model, m.model) {
		return false
	}
	c.Rate, c.begin, c.working, c.arrives, c.Pipelines, c.Stages = m.of.Rate, m.of.begin, m.of.working, m.of.arrives, m.of.Pipelines, m.of.Stages
	c.USD += m.traffic
	return true
}

func (x *layouts) note(c *Cluster, name uint32) {
	m := x.slot(name)
	m.model, m.servers, m.counts, m.of, m.traffic = x.model, x.servers, append(m.counts[:0], c.Counts...), *c, x.traffic
}

// stall returns the seconds for which a change from one cluster to another stops training; +Inf if it sets training
// back, as giving back an instance that has a place does.
func (x *layouts) stall(a, b *Cluster) float64 {
	switch {
	case x.elastic || a.N == 0 || b.N == 0 || x.keepN > 0: // with spot instances that are counted on, no change stops training
		return 0
	case x.placed && !a.within(b.Counts):
		return never
	}
	x.from = sim.Layout{Workers: a.Counts, Pipelines: int32(a.Pipelines), Stages: int32(a.Stages), Servers: x.servers}
	x.to = sim.Layout{Workers: b.Counts, Pipelines: int32(b.Pipelines), Stages: int32(b.Stages), Servers: x.servers}
	x.change = sim.Change{From: &x.from, To: &x.to, Worked: a.working,
		Grid: sim.Place{Pipeline: x.from.Pipelines, Stage: x.from.Stages}}
	return x.model.Change(&x.change).Stall.Seconds()
}

// arrival returns the seconds for which the last instance of a cluster to be ready stops training, where the others
// train.
func (x *layouts) arrival(c *Cluster) float64 {
	if x.placed || x.elastic || c.N < 2 || x.keepN > 0 {
		return 0
	}
	x.fewer.Counts = append(x.fewer.Counts[:0], c.Counts...)
	for k := range x.fewer.Counts {
		if x.fewer.Counts[k] > 0 {
			x.fewer.Counts[k]--
			break
		}
	}
	x.fewer.N, x.fewer.working = c.N-1, c.working-1
	return x.stall(&x.fewer, c)
}

var never = math.Inf(1)
