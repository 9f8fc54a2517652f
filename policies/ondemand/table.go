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
	forModel   sim.Model
	forServers int32
	limits     []int     // by pool: instances that the job may hold
	atPrices   []float64 // by pool

	store
	fastest []float64 // by number of instances: the highest rate, progress per second
	hull    []int     // clusters of the lower convex hull of (rate, price), ascending
	quick   int       // number of instances of the fastest cluster
	slowest bool      // the model is a policyutil.SlowestModel

	asked bool // of loss
	loss  sim.Pause

	whole whole

	scratch
}

// whole is what the whole job costs on demand (Planner.Whole).
type whole struct {
	known     bool
	objective sim.Objective
	now       wholeCost
	after     wholeCost // if it begins two boots later
	options   []*Cluster
}

// wholeCost is what a job costs that is in time, USD, +Inf if it cannot be, when it is done, s, and what it holds first,
// USD/h.
type wholeCost struct{ usd, end, first float64 }

// scratch is memory of a table that is being filled.
type scratch struct {
	groups  []group // count of them are in use
	count   int
	workers []sim.Worker // by pool
	sorted  []int        // pools
	order   []ranked
	kept    []Cluster
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
	return policyutil.SameModel(x.model, t.forModel) && t.forServers == x.servers && slices.Equal(caps, t.limits) &&
		slices.Equal(x.prices, t.atPrices)
}

// reserve makes the memory of a table as large as that of another.
func (t *table) reserve(o *table) {
	t.clusters = growTo(t.clusters, cap(o.clusters))
	t.counts = growTo(t.counts, cap(o.counts))
	t.fastest = growTo(t.fastest, cap(o.fastest))
	t.hull = growTo(t.hull, cap(o.hull))
}

// growTo returns a slice with memory for at least so many elements.
func growTo[T any](memory []T, most int) []T {
	return slices.Grow(memory, max(most-len(memory), 0))
}

// fill works the clusters out.
func (t *table) fill(x *layouts, v sim.View, caps []int) {
	t.forModel = x.model
	t.forServers = x.servers
	t.slowest = policyutil.WaitsForSlowest(x.model)
	t.limits = append(t.limits[:0], caps...)
	t.atPrices = append(t.atPrices[:0], x.prices...)
	t.reset(len(caps))
	t.fastest = append(t.fastest[:0], 0)
	total := 0
	for _, n := range caps {
		total += n
	}
	if x.piped != nil {
		total = min(total, x.piped.MaxUseful())
	}
	t.quick = 0
	fastest := 0.0
	tried := 0
	for n := 1; n <= total && (t.quick == 0 || n <= t.quick+tries+2*(stepOf(n)-1) || x.piped != nil); n++ {
		t.fastest = append(t.fastest, 0)
		if n-tried < stepOf(tried) && n < total && !slices.Contains(caps, n) || !x.isSize(n) {
			continue
		}
		t.addSize(x, v, n)
		if t.fastest[n] > 0 {
			tried = n
		}
		if t.fastest[n] > fastest {
			fastest = t.fastest[n]
			t.quick = n
		}
	}
	t.addFastest(x, v)
	t.trim()
	t.whole.known = false
	t.asked = false
	t.loss = sim.Pause{}
}

// isSize reports whether so many instances are faster than fewer, where the policy lays them out.
func (x *layouts) isSize(n int) bool {
	if !x.placed {
		return true
	}
	pipelines, stages := x.piped.Best(n)
	return pipelines*stages == n
}

// Up to allSizes instances each number of them is tried, of more those that are a share of 1/finest apart: a mixture of
// two in time comes close to what is between them.
const (
	allSizes = 128
	finest   = 32
)

// stepOf returns how many instances more than n are tried next.
func stepOf(n int) int {
	if n <= allSizes {
		return 1
	}
	return n / finest
}

// addFastest adds the fastest of the numbers of instances that were passed over, which are next to the fastest that was
// tried: the rate has one maximum.
func (t *table) addFastest(x *layouts, v sim.View) {
	for step := stepOf(t.quick) / 2; step > 0; step /= 2 {
		quick := t.quick
		for _, n := range []int{quick - step, quick + step} {
			if n >= len(t.fastest) || t.fastest[n] > 0 || !x.isSize(n) {
				continue
			}
			t.addSize(x, v, n)
			if t.fastest[n] > t.fastest[t.quick] {
				t.quick = n
			}
		}
	}
}

// addSize adds the clusters of n instances: windows over the instances in the order of their speed, as in spotDNN's
// search. Instances of one group are alike, so that they are counted and never listed: there may be many thousands.
func (t *table) addSize(x *layouts, v sim.View, n int) {
	t.groupPools(x, n)
	step := stepOf(n)
	total := 0
	for g := range t.groups[:t.count] {
		total += min(t.groups[g].caps, n)
		t.groups[g].end = total
	}
	first := 0 // group of the first instance of a window
	last := 0  // of the last
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
		i += t.countUseless(v, i, n, step, &t.groups[first], &t.groups[last], c)
		if c.Rate <= 0 || !withinLimits(v, c.Counts) {
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

// countUseless returns how many windows after the i-th, which is c from group a to group b, have no place among the
// clusters: those of the same instances and, of a policyutil.SlowestModel, those of the same pools, which are as fast,
// but for the cheapest. Of many instances it is those that differ by less than step, but for the last of the same
// groups.
func (t *table) countUseless(v sim.View, i, n, step int, a, b *group, c *Cluster) int {
	rest := min(a.end-1, b.end-n) - i
	if a == b {
		return rest
	}
	near := max(min(step, rest)-1, 0)
	if !t.slowest || len(a.pools)+len(b.pools) > 2 || len(v.Limits()) > 0 {
		return near
	}
	return max(policyutil.NotCheapest(rest, b.usd-a.usd, c.USD), near)
}

// withinLimits reports whether the quotas over several pools allow a cluster.
func withinLimits(v sim.View, counts []int32) bool {
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

// groupPools sorts the pools by what an instance does as one of n, the slowest first, of equal ones the cheapest. Those
// that do the same at one price are one group.
func (t *table) groupPools(x *layouts, n int) {
	t.workers = policyutil.Resize(t.workers, len(t.limits))
	if m, ok := x.model.(sim.WorkerModel); ok {
		m.Workers(n, 0, t.workers)
	} else {
		for p := range t.workers {
			t.workers[p] = sim.Worker{Rate: 1, Speed: 1} // a stage is as fast anywhere
		}
	}
	t.sorted = t.sorted[:0]
	for p, limit := range t.limits {
		if limit > 0 && t.workers[p].Rate > 0 {
			t.sorted = append(t.sorted, p)
		}
	}
	slices.SortStableFunc(t.sorted, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.workers[a].Rate, t.workers[b].Rate), cmp.Compare(t.atPrices[a], t.atPrices[b]))
	})
	t.count = 0
	for _, p := range t.sorted {
		if t.count == 0 || !t.groups[t.count-1].isOf(t.workers[p], t.atPrices[p]) {
			t.startGroup(t.workers[p], t.atPrices[p])
		}
		last := &t.groups[t.count-1]
		last.pools = append(last.pools, p)
		last.caps += t.limits[p]
	}
}

// isOf reports whether the instances of a group do this at this price.
func (g *group) isOf(worker sim.Worker, usd float64) bool { return g.worker == worker && g.usd == usd }

// startGroup adds a group without pools.
func (t *table) startGroup(worker sim.Worker, usd float64) {
	if t.count == len(t.groups) {
		t.groups = append(t.groups, group{})
	}
	g := &t.groups[t.count]
	g.worker = worker
	g.usd = usd
	g.pools = g.pools[:0]
	g.caps = 0
	t.count++
}

// ranked is what a cluster is ordered by.
type ranked struct {
	usd, rate float64
	at        int // in the list
}

// trim keeps the clusters than which none is faster and no more expensive, ascending, and finds their hull.
func (t *table) trim() {
	size := cap(t.clusters) // so that in time none of them grows
	t.order = slices.Grow(t.order[:0], size)
	t.kept = slices.Grow(t.kept[:0], size)
	for i := range t.clusters {
		t.order = append(t.order, ranked{t.clusters[i].USD, t.clusters[i].Rate, i})
	}
	slices.SortFunc(t.order, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.usd, b.usd), cmp.Compare(b.rate, a.rate), cmp.Compare(a.at, b.at))
	})
	fastest := 0.0
	for _, x := range t.order {
		if x.rate > fastest {
			t.kept = append(t.kept, t.clusters[x.at])
			fastest = x.rate
		}
	}
	t.clusters = append(t.clusters[:0], t.kept...)
	t.findHull()
}

// findHull marks the corners of the lower convex hull of (rate, price).
func (t *table) findHull() {
	t.hull = t.hull[:0]
	for i := range t.clusters {
		for len(t.hull) > 1 {
			last := &t.clusters[t.hull[len(t.hull)-1]]
			before := &t.clusters[t.hull[len(t.hull)-2]]
			if slope(before, last) < slope(last, &t.clusters[i]) {
				break
			}
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
