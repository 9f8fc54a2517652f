package ondemand

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// table is the clusters on demand that a job may hold: no other is both faster and cheaper an hour. It is a memory of
// what was worked out for the same model, quotas and prices.
type table struct {
	of     sim.Model
	limits []int // by pool: instances that the job may hold
	paid   []float64
	server int32

	store
	fastest []float64 // by number of instances: the highest rate, progress per second
	hull    []int     // clusters of the lower convex hull of (rate, price), ascending
	quick   int       // number of instances of the fastest cluster
	slowest bool      // the model is a policyutil.SlowestModel

	asked bool // of loss
	loss  sim.Pause

	known     bool // of Whole
	objective sim.Objective
	usd       float64 // of the whole job
	end       float64 // when it is done then, s
	after     float64
	afterEnd  float64
	whole     []*Cluster

	scratch
}

// scratch is memory of a table that is being filled.
type scratch struct {
	groups []group // count of them are in use
	count  int
	work   []sim.Worker
	points []int
	order  []ranked
	kept   []Cluster
}

// group is pools whose instances are alike.
type group struct {
	worker sim.Worker
	usd    float64
	pools  []int
	caps   int
	end    int // how many instances this group and those before it have
}

// tries is how many more instances than those of the fastest cluster are tried: the rate has one maximum over the
// number of workers, but for pools that are used up.
const tries = 16

// fits reports whether the table is of these clusters.
func (t *table) fits(x *layouts, caps []int) bool {
	return policyutil.SameModel(x.model, t.of) && t.server == x.servers && slices.Equal(caps, t.limits) && slices.Equal(x.prices, t.paid)
}

// reserve makes the memory of a table as large as that of another.
func (t *table) reserve(o *table) {
	t.clusters, t.counts = slices.Grow(t.clusters, max(cap(o.clusters)-len(t.clusters), 0)), slices.Grow(t.counts, max(cap(o.counts)-len(t.counts), 0))
	t.fastest, t.hull = slices.Grow(t.fastest, max(cap(o.fastest)-len(t.fastest), 0)), slices.Grow(t.hull, max(cap(o.hull)-len(t.hull), 0))
}

// fill works the clusters out.
func (t *table) fill(x *layouts, v sim.View, caps []int) {
	t.of, t.server, t.slowest = x.model, x.servers, policyutil.WaitsForSlowest(x.model)
	t.limits, t.paid = append(t.limits[:0], caps...), append(t.paid[:0], x.prices...)
	t.reset(len(caps))
	t.fastest = append(t.fastest[:0], 0)
	total, quick := 0, 0.0
	for _, n := range caps {
		total += n
	}
	if x.piped != nil {
		total = min(total, x.piped.MaxUseful())
	}
	t.quick = 0
	for n := 1; n <= total && (t.quick == 0 || n <= t.quick+tries || x.piped != nil); n++ {
		t.fastest = append(t.fastest, 0)
		if x.placed {
			if d, s := x.piped.Best(n); d*s != n {
				continue // no faster than fewer
			}
		}
		t.ofSize(x, v, n)
		if t.fastest[n] > quick {
			quick, t.quick = t.fastest[n], n
		}
	}
	t.trim()
	t.known, t.asked, t.loss = false, false, sim.Pause{}
}

// ofSize adds the clusters of n instances: windows over the instances in the order of their speed, as in spotDNN's
// search. Instances of one group are alike, so that they are counted and never listed: there may be many thousands.
func (t *table) ofSize(x *layouts, v sim.View, n int) {
	t.group(x, v, n)
	total := 0
	for g := range t.groups[:t.count] {
		total += min(t.groups[g].caps, n)
		t.groups[g].end = total
	}
	first, last := 0, 0 // groups of the first and the last instance of a window
	for i := 0; i+n <= total; i++ {
		for t.groups[first].end <= i {
			first++
		}
		for t.groups[last].end < i+n {
			last++
		}
		c := t.add()
		from := i
		for g := first; g <= last; g++ {
			to := min(t.groups[g].end, i+n)
			t.take(c, &t.groups[g], to-from)
			from = to
		}
		x.measure(c)
		i += t.useless(v, i, n, &t.groups[first], &t.groups[last], c)
		if c.Rate <= 0 || !allowed(v, c.Counts) {
			t.drop()
			continue
		}
		t.fastest[n] = max(t.fastest[n], c.Rate)
	}
}

// take adds n instances of a group to a cluster, from its pools in their order.
func (t *table) take(c *Cluster, g *group, n int) {
	for _, p := range g.pools {
		some := min(n, t.limits[p])
		c.Counts[p] = int32(some)
		n -= some
	}
}

// useless returns how many windows after the i-th, which is c from group a to group b, have no place among the
// clusters: those of the same instances and, of a policyutil.SlowestModel, those of the same pools, which are as fast,
// but for the cheapest.
func (t *table) useless(v sim.View, i, n int, a, b *group, c *Cluster) int {
	rest := min(a.end-1, b.end-n) - i
	switch {
	case a == b:
		return rest
	case !t.slowest || len(a.pools)+len(b.pools) > 2 || len(v.Limits()) > 0:
		return 0
	}
	return policyutil.NotCheapest(rest, b.usd-a.usd, c.USD)
}

// allowed reports whether the quotas over several pools allow a cluster.
func allowed(v sim.View, counts []int32) bool {
	limits := v.Limits()
	for i := range limits {
		sum := 0
		for _, p := range limits[i].Pools {
			sum += int(counts[p])
		}
		if sum > limits[i].Instances {
			return false
		}
	}
	return true
}

// group sorts the pools by what an instance does as one of n, the slowest first, of equal ones the cheapest. Those that
// do the same at one price are one group.
func (t *table) group(x *layouts, v sim.View, n int) {
	t.work = slices.Grow(t.work[:0], len(t.limits))[:len(t.limits)]
	if m, ok := x.model.(sim.WorkerModel); ok {
		m.Workers(n, 0, t.work)
	} else {
		for p := range t.work {
			t.work[p] = sim.Worker{Rate: 1, Speed: 1} // a stage is as fast anywhere
		}
	}
	t.points = t.points[:0]
	for p, limit := range t.limits {
		if limit > 0 && t.work[p].Rate > 0 {
			t.points = append(t.points, p)
		}
	}
	slices.SortStableFunc(t.points, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.work[a].Rate, t.work[b].Rate), cmp.Compare(t.paid[a], t.paid[b]))
	})
	k := 0
	for _, p := range t.points {
		if k > 0 {
			g := &t.groups[k-1]
			if g.worker == t.work[p] && g.usd == t.paid[p] {
				g.pools, g.caps = append(g.pools, p), g.caps+t.limits[p]
				continue
			}
		}
		if k == len(t.groups) {
			t.groups = append(t.groups, group{})
		}
		g := &t.groups[k]
		g.worker, g.usd, g.pools, g.caps = t.work[p], t.paid[p], append(g.pools[:0], p), t.limits[p]
		k++
	}
	t.count = k
}

// ranked is what a cluster is ordered by.
type ranked struct {
	usd, rate float64
	at        int // in the list
}

// trim keeps the clusters than which none is faster and no more expensive, ascending, and finds their hull.
func (t *table) trim() {
	size := cap(t.clusters) // so that in time none of them grows
	t.order, t.kept = slices.Grow(t.order[:0], size), slices.Grow(t.kept[:0], size)
	for i := range t.clusters {
		t.order = append(t.order, ranked{t.clusters[i].USD, t.clusters[i].Rate, i})
	}
	slices.SortFunc(t.order, func(a, b ranked) int {
		switch {
		case a.usd != b.usd:
			return cmp.Compare(a.usd, b.usd)
		case a.rate != b.rate:
			return cmp.Compare(b.rate, a.rate)
		}
		return cmp.Compare(a.at, b.at)
	})
	best := 0.0
	for _, x := range t.order {
		if x.rate > best {
			t.kept, best = append(t.kept, t.clusters[x.at]), x.rate
		}
	}
	t.clusters = append(t.clusters[:0], t.kept...)
	t.hull = t.hull[:0]
	for i := range t.clusters {
		for len(t.hull) > 1 && slope(&t.clusters[t.hull[len(t.hull)-2]], &t.clusters[t.hull[len(t.hull)-1]]) >=
			slope(&t.clusters[t.hull[len(t.hull)-1]], &t.clusters[i]) {
			t.hull = t.hull[:len(t.hull)-1]
		}
		t.hull = append(t.hull, i)
	}
	for _, i := range t.hull {
		t.clusters[i].corner = true
	}
}

// slope is what the next unit of progress costs, USD, between two clusters.
func slope(a, b *Cluster) float64 { return (b.USD - a.USD) / (b.Rate - a.Rate) }

// rate returns the rate of the fastest cluster of n instances, or of as many as there are up to n.
func (t *table) rate(n int) float64 {
	best := 0.0
	for k := min(n, len(t.fastest)-1); k > 0 && best == 0; k-- {
		best = t.fastest[k]
	}
	return best
}

// sized returns the smallest number of instances with which work is done within seconds, the fastest number if none is.
func (t *table) sized(work, seconds float64) int {
	for n, rate := range t.fastest {
		if rate > 0 && work/rate <= seconds {
			return n
		}
	}
	return max(t.quick, 1)
}
