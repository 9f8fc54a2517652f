package ondemand

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// Frontier lists the clusters worth holding on any pools, on spot too: no other is both faster and cheaper an hour. It
// keeps what it worked out for the last rooms and prices; what it returns is a function of the View.
type Frontier struct {
	layouts
	tables    [48]table
	nextTable int // that is filled next
	scratch       // of the table that is being filled
	clusters  int // the most of one table
	counts    int
	fastest   int
}

// Of takes the job whose clusters are listed.
func (f *Frontier) Of(v sim.View, j, servers int) {
	if f.known == nil {
		f.known = make([]measured, 8192)
	}
	f.setModel(v.Job(j).Model(), servers)
}

// Clusters returns the clusters within the free instances by pool, ascending by rate and by price, where an instance of
// each pool costs usd an hour; they are valid until the frontier is asked for as many others as it keeps, and must not
// be changed. Corners are those of the lower convex hull of (rate, price), of very many some of them.
func (f *Frontier) Clusters(v sim.View, free []int, usd []float64) (clusters []Cluster, corners []int) {
	f.prices = append(f.prices[:0], usd...)
	for i := range f.tables {
		if t := &f.tables[i]; t.fits(&f.layouts, free) {
			return t.clusters, t.hull
		}
	}
	t := &f.tables[f.nextTable]
	f.nextTable = (f.nextTable + 1) % len(f.tables)
	t.scratch = f.scratch
	t.store.clusters = slices.Grow(t.store.clusters[:0], f.clusters)
	t.store.counts = slices.Grow(t.store.counts[:0], f.counts)
	t.limits = slices.Grow(t.limits[:0], len(free))
	t.hull = slices.Grow(t.hull[:0], f.clusters)
	t.fastest = slices.Grow(t.fastest[:0], f.fastest)
	t.fill(&f.layouts, v, free)
	t.thinHull()
	f.scratch = t.scratch
	f.clusters = max(f.clusters, len(t.counts)/max(len(free), 1)+1)
	f.counts = max(f.counts, len(t.counts)+len(free))
	f.fastest = max(f.fastest, len(t.fastest))
	return t.clusters, t.hull
}

// Of a hull of more than maxCorners those stay that are a share of 1/farther apart in their rate, and the fastest.
const (
	maxCorners = 128
	farther    = 8
)

// thinHull leaves out corners of a hull that has very many: each is compared with each other one in decisions.
func (t *table) thinHull() {
	if len(t.hull) <= maxCorners {
		return
	}
	kept := t.hull[:0]
	last := 0.0
	for n, i := range t.hull {
		if rate := t.clusters[i].Rate; n == len(t.hull)-1 || rate >= last*(1+1.0/farther) {
			kept = append(kept, i)
			last = rate
		}
	}
	t.hull = kept
}

// Measure fills in what a cluster does and costs at the prices that were asked for last, of its Counts.
func (f *Frontier) Measure(c *Cluster) { f.measure(c) }

// Elastic reports whether instances come and go while the others train on.
func (f *Frontier) Elastic() bool { return f.elastic }

// Stall returns the seconds for which a change from one cluster to another stops training; +Inf if it sets training
// back.
func (f *Frontier) Stall(from, to *Cluster) float64 {
	if slices.Equal(from.Counts, to.Counts) {
		return 0
	}
	return f.stall(from, to)
}

// Begin returns the progress at which training set up for a cluster begins.
func (c *Cluster) Begin() float64 { return c.begin }

// Arrives returns the seconds for which the last of a cluster's instances to be ready stops those that train.
func (c *Cluster) Arrives() float64 { return c.arrives }
