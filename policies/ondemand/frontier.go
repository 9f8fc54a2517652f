package ondemand

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// Frontier lists the clusters worth holding on any pools, on spot too: no other is both faster and cheaper an hour. It
// keeps what it worked out for the last rooms and prices; what it returns is a function of the View.
type Frontier struct {
	layouts
	tables   [48]table
	next     int
	scratch      // of the table that is being filled
	clusters int // the most of one table
	counts   int
	fastest  int
}

// Of takes the job whose clusters are listed.
func (f *Frontier) Of(v sim.View, j, servers int) {
	if f.known == nil {
		f.known = make([]measured, 8192)
	}
	f.model, f.servers = v.Job(j).Model(), int32(servers)
	m, side := f.model.(sim.WorkerModel)
	if side && m.NeedsServers() {
		f.servers = max(f.servers, 1)
	}
	f.piped, _ = f.model.(sim.PipelineModel)
	f.placed = !side
	_, f.elastic = f.model.(sim.ElasticModel)
	f.keep, f.keepN, f.keepUSD = nil, 0, 0
}

// Clusters returns the clusters within the free instances by pool, ascending by rate and by price, where an instance of
// each pool costs usd an hour; they are valid until the frontier is asked for as many others as it keeps, and must not
// be changed. Corners are those of the lower convex hull of (rate, price).
func (f *Frontier) Clusters(v sim.View, free []int, usd []float64) (clusters []Cluster, corners []int) {
	f.prices = append(f.prices[:0], usd...)
	for i := range f.tables {
		if t := &f.tables[i]; t.fits(&f.layouts, free) {
			return t.clusters, t.hull
		}
	}
	t := &f.tables[f.next]
	f.next = (f.next + 1) % len(f.tables)
	t.scratch = f.scratch
	t.store.clusters, t.store.counts = slices.Grow(t.store.clusters[:0], f.clusters), slices.Grow(t.store.counts[:0], f.counts)
	t.limits, t.hull, t.fastest = slices.Grow(t.limits[:0], len(free)), slices.Grow(t.hull[:0], f.clusters), slices.Grow(t.fastest[:0], f.fastest)
	t.fill(&f.layouts, v, free)
	f.scratch = t.scratch
	f.clusters, f.counts, f.fastest = max(f.clusters, len(t.counts)/max(len(free), 1)+1), max(f.counts, len(t.counts)+len(free)), max(f.fastest, len(t.fastest))
	return t.clusters, t.hull
}

// Measure fills in what a cluster does and costs at the prices that were asked for last, of its Counts.
func (f *Frontier) Measure(c *Cluster) { f.measure(c) }

// Elastic reports whether instances come and go while the others train on.
func (f *Frontier) Elastic() bool { return f.elastic }

// Stall returns the seconds for which a change from one cluster to another stops training; +Inf if it sets training
// back.
func (f *Frontier) Stall(a, b *Cluster) float64 {
	if slices.Equal(a.Counts, b.Counts) {
		return 0
	}
	return f.stall(a, b)
}

// Begin returns the progress at which training set up for a cluster begins.
func (c *Cluster) Begin() float64 { return c.begin }
