package sim

import (
	"slices"
	"time"
)

const (
	unlimited = -1 // capacity is not limited by the trace
	nodeGone  = -2
	nodeFree  = -1
)

// poolState is the changing part of a pool.
type poolState struct {
	facts       *Pool   // shared, read only
	series      *series // the same
	id          int32
	capacity    int32 // unlimited, or what can be held
	counted     int32 // index of a capacity record at or before now, -1 before the first
	price       int32 // index of a price record at or before now
	quota       int32
	max         int32  // that can be held: the quota, and the capacity if it is less
	special     bool   // that is not all that counts for room
	atOnce      bool   // what is granted is ready at once, and the cloud says no more of it then
	priceUntil  Time   // the price of that record holds
	alive       int32  // instances held by all jobs
	unmarked    int32  // of these, those that the cloud has not decided to take
	waiting     int32  // waiting requests of all jobs
	asked       int32  // instances that plans want, within the quota
	noticed     int32  // instances under notice
	grants      int32  // so far
	victims     int32  // picked so far
	bootTimes   Stream // by grant
	picks       Stream // by victim
	first       int32  // index of the pool's first instance in fleet.members; there are alive of them
	node, nodes int32  // index and number of the pool's nodes in fleet.nodes
	queue       int32  // its place in fleet.queues, from 1; plainPool or specialPool: requests do not queue
	queued      int32  // waits drawn so far
	allowed     int32  // grants until now of a past that is known (Market.Granting)
}

type instanceState uint8

const (
	instanceUnused instanceState = iota
	instanceStarting
	instanceReady
)

// unplaced is the place of an instance that is a spare, or not in a pipeline.
const unplaced = -1

// instance is one held machine.
type instance struct {
	state      instanceState
	announced  bool
	drained    bool // taken out of the layout, before it goes
	handedOver bool // drained, and others have its state by now
	first      bool // the plan gives it back before others
	job, pool  int32
	node       int32 // in the pool; -1 where the trace has counts only
	place      int32 // in the job's pipelines, row by row; unplaced if none
	next       int32 // the one of the same job and pool that was granted before it
	ordinal    int32 // of its grant in the pool
	granted    Time
	ready      Time
	gone       Time // when the cloud takes it; Never while it is unmarked
	marked     Time // when its fixed length puts it under notice, Never if it has none
}

// poolSet is a set of pools, one bit each.
type poolSet struct {
	bits []uint64
	n    int // of them that are set
}

func (s *poolSet) add(p int) {
	if at, bit := &s.bits[p>>6], uint64(1)<<(p&63); *at&bit == 0 {
		*at |= bit
		s.n++
	}
}

func (s *poolSet) remove(p int) {
	if at, bit := &s.bits[p>>6], uint64(1)<<(p&63); *at&bit != 0 {
		*at &^= bit
		s.n--
	}
}

func (s *poolSet) empty() bool { return s.n == 0 }

// reset makes an empty set for a number of pools.
func (s *poolSet) reset(pools int) {
	s.bits = resize(s.bits, (pools+63)/64)
	s.n = 0
	clear(s.bits)
}

// Seen is what the jobs of a run have seen of a pool so far: for policies that learn.
type Seen struct {
	// RefusedAt is the last instant at which a request had been waiting, within the
	// quota: there was room for no more than was held. TakenAt is that of the last removal
	// of an instance. Never: there was none.
	RefusedAt, TakenAt Time
	// Removals and Arrivals count instants: at which instances were taken, and at which
	// a request was granted that had been waiting.
	Removals, Arrivals int
	// Grants counts instances.
	Grants int
	Held   MachineTime // of all instances that were held
	// Occupied is the time in which there was an instance at least, so in which a removal could be seen.
	Occupied time.Duration
	Waited   time.Duration // in which requests waited although the quota had headroom
}

// seen is what Seen tells of a pool; times in microseconds.
type seen struct {
	since           Time // until here waits are counted, or there was no headroom within the quota
	refused, taken  Time
	rose            Time // the last of the arrivals
	occupiedSince   Time // the last instant at which the first instance came
	held            MachineTime
	occupied        int64 // until the last instant at which the last instance went
	waited          int64
	removals, comes int32
}

// wait notes that a request has waited until now.
func (x *seen) wait(since, now Time) {
	if since = max(since, x.since); since < now {
		x.waited += int64(now - since)
		x.refused = now
		x.since = now
	}
}

// fleet is the pools, and the instances of them that jobs hold.
type fleet struct {
	market  *Market // shared, read only
	pools   []poolState
	offers  poolSet // pools that may have headroom for a waiting request
	nodes   []int32 // by pool and node: the instance on it, nodeFree or nodeGone
	inst    []instance
	members []int32   // by pool: slots of its instances, ascending; room for the quota
	free    []int32   // instance slots, a stack
	waiters [][]int32 // by pool: jobs whose requests wait, in the order in which they are granted
	asking  int       // of all pools
	live    int32     // slots at or above it were never used
	queues  []int32   // pools whose requests queue (Pool.Wait)
	covers  []cover   // by pool: what commitments cover; empty without commitments
	seen    []seen    // by pool
	failures
}

// cover is the time of a pool's instances that commitments have paid.
type cover struct {
	since Time        // used is complete until here
	used  MachineTime // of the instances that are covered
}

// What poolState.queue is of pools without a queue. Most pools are plain: what others have is
// asked for apart, so that it costs plain ones one comparison.
const (
	plainPool   = 0
	specialPool = -1 // it has commitments, a length, a granularity of its own, or shares a quota
)

// isSpecial reports whether pool p has anything that plain pools do not have, but for a queue.
func (m *Market) isSpecial(p int) bool {
	pool := &m.pools[p]
	return pool.Length > 0 || pool.Granularity != nil || m.committed || m.limitsOf != nil && m.limitsOf[p] != nil
}

// coverUntil counts what commitments cover of pool p until now. It is called before the number
// of its instances changes.
func (f *fleet) coverUntil(p int, now Time) {
	if len(f.covers) == 0 {
		return
	}
	cover := &f.covers[p]
	cover.used = f.coveredBy(p, now)
	cover.since = now
}

// coveredBy returns what commitments have covered of pool p by now.
func (f *fleet) coveredBy(p int, now Time) MachineTime {
	cover := &f.covers[p]
	return cover.used + f.market.series[p].covered(f.pools[p].alive, cover.since, now)
}

// coveredUSD returns what commitments have saved of what pool p costs on demand, USD.
func (f *fleet) coveredUSD(p int, now Time) float64 {
	if len(f.covers) == 0 || !f.market.pools[p].OnDemand {
		return 0
	}
	return f.market.series[p].usd[0] * float64(f.coveredBy(p, now)) / microsecondsPerHour
}

// reset makes a fleet in which nothing is held, at start.
func (f *fleet) reset(market *Market, start Time, rand Rand) {
	f.market = market
	f.pools = resize(f.pools, len(market.pools))
	f.offers.reset(len(market.pools))
	f.nodes = f.nodes[:0]
	f.queues = f.queues[:0]
	f.covers = f.covers[:0]
	quota := 0
	f.seen = resize(f.seen, len(market.pools))
	for p := range f.pools {
		f.pools[p] = poolState{id: int32(p), first: int32(quota)}
		f.seen[p] = seen{since: start, refused: Never, taken: Never, rose: Never}
		quota += market.pools[p].Quota
		f.openPool(p, start, rand)
		if market.isSpecial(p) {
			f.pools[p].queue = specialPool
		}
		if market.pools[p].Wait > 0 {
			f.queues = append(f.queues, int32(p))
			f.pools[p].queue = int32(len(f.queues))
		}
		if market.committed {
			f.covers = append(f.covers, cover{since: start})
		}
	}
	f.inst = resize(f.inst, quota)
	f.members = resize(f.members, quota)
	clear(f.inst)
	f.free = f.free[:0]
	f.live = 0
	f.asking = 0
	f.waiters = extend(f.waiters, len(market.pools))
	for p := range f.waiters {
		f.waiters[p] = f.waiters[p][:0]
	}
}

// openPool takes over what the trace of pool p says of an instant, and its draws. Its
// nodes, none of them held, come after those of the pools before.
func (f *fleet) openPool(p int, at Time, rand Rand) {
	series := &f.market.series[p]
	facts := &f.market.pools[p]
	pool := &f.pools[p]
	pool.series = series
	pool.facts = facts
	pool.bootTimes = rand.Stream(PurposeBoot, series.entity)
	pool.picks = rand.Stream(PurposeVictim, series.entity)
	pool.price = int32(series.find(at))
	pool.priceUntil = 0
	pool.counted = 0
	pool.capacity = unlimited
	if len(series.cap) > 0 {
		pool.counted = int32(series.after(at) - 1)
		pool.capacity = series.capacityOf(int(pool.counted))
	}
	pool.quota = int32(facts.Quota)
	pool.fit()
	pool.node = int32(len(f.nodes))
	for node := range series.nodes {
		holder := int32(nodeGone)
		if series.nodeUp(node, at) {
			holder = nodeFree
		}
		f.nodes = append(f.nodes, holder)
	}
	law := facts.Failures
	if law != nil && !law.Whole && f.market.drawsFailures() {
		for range law.machines(facts.Quota) {
			f.nodes = append(f.nodes, nodeFree)
		}
	}
	pool.nodes = int32(len(f.nodes)) - pool.node
	pool.special = pool.nodes > 0 || f.market.limitsOf != nil || series.lifetimes != nil
	pool.allowed = series.grantedBy(at)
	unannounced := facts.Notice == 0 || facts.OnDemand || len(series.cap) == 0
	pool.atOnce = !pool.special && facts.Failures == nil && facts.Boot.Median == 0 && facts.Length == 0 && unannounced
}

// updateCapacity brings the capacity of pool p up to date: records of it may have been passed over.
func (f *fleet) updateCapacity(p int, now Time) {
	pool := &f.pools[p]
	series := pool.series
	last := int(pool.counted)
	for last+1 < len(series.capAt) && series.capAt[last+1] <= now {
		last++
	}
	if last > int(pool.counted) {
		pool.counted = int32(last)
		pool.capacity = series.cap[last]
		pool.fit()
	}
}

// fit says how many instances of the pool can be held.
func (s *poolState) fit() {
	s.max = s.quota
	if s.capacity != unlimited {
		s.max = min(s.max, s.capacity)
	}
}

// copyFrom makes f equal to src, reusing f's memory.
func (f *fleet) copyFrom(src *fleet) {
	old := *f
	*f = *src
	f.pools = append(old.pools[:0], src.pools...)
	f.offers.bits = append(old.offers.bits[:0], src.offers.bits...)
	f.nodes = append(old.nodes[:0], src.nodes...)
	f.inst = append(old.inst[:0], src.inst...)
	f.members = append(old.members[:0], src.members...)
	f.free = append(old.free[:0], src.free...)
	f.queues = append(old.queues[:0], src.queues...)
	f.covers = append(old.covers[:0], src.covers...)
	f.waiters = extend(old.waiters, len(src.waiters))
	for p := range src.waiters {
		f.waiters[p] = append(f.waiters[p][:0], src.waiters[p]...)
	}
	f.seen = append(old.seen[:0], src.seen...)
	if f.failures = old.failures; len(src.failing)+len(old.failing) > 0 {
		f.failures.copyFrom(&src.failures)
	}
}

// slot takes an unused instance slot: the one released last, else a new one.
func (f *fleet) slot() int32 {
	if n := len(f.free); n > 0 {
		i := f.free[n-1]
		f.free = f.free[:n-1]
		return i
	}
	f.live++
	return f.live - 1
}

// membersOf returns the slots of the pool's instances, ascending.
func (f *fleet) membersOf(pool *poolState) []int32 {
	return f.members[pool.first : pool.first+pool.alive]
}

// join adds instance i to its pool's members.
func (f *fleet) join(pool *poolState, i int32) {
	at := f.members
	k := pool.first + pool.alive
	pool.alive++
	for ; k > pool.first && at[k-1] > i; k-- {
		at[k] = at[k-1]
	}
	at[k] = i
}

// leave removes instance i from its pool's members.
func (f *fleet) leave(pool *poolState, i int32) {
	at := f.membersOf(pool)
	k := 0
	if len(at) > 64 {
		k, _ = slices.BinarySearch(at, i)
	}
	for at[k] != i {
		k++
	}
	copy(at[k:], at[k+1:])
	pool.alive--
}

// beforeRelease reports whether x is released before y.
func (x *instance) beforeRelease(other *instance) bool {
	switch {
	case x.first != other.first:
		return x.first
	case x.state != other.state:
		return x.state < other.state
	}
	return x.ordinal > other.ordinal
}

// Instance is one instance of a job. Pool and Ordinal name it: the grants of a pool are
// counted from 0.
type Instance struct {
	Pool, Ordinal  int
	Granted        Time
	Ready, Noticed bool // it can train; it is under notice
}

// nameFirst says of instances of job j whether the plan gives them back before others.
func (f *fleet) nameFirst(j int, list []Instance, first bool) {
	for _, n := range list {
		for _, i := range f.membersOf(&f.pools[n.Pool]) {
			inst := &f.inst[i]
			if int(inst.job) == j && int(inst.ordinal) == n.Ordinal {
				inst.first = first
			}
		}
	}
}

// headroom reports whether one more instance of a pool can be granted.
func (f *fleet) headroom(pool *poolState) bool {
	return pool.alive < pool.max && (!pool.special || f.headroomWithin(pool))
}

// headroomWithin reports what headroom does of a pool of nodes, within a quota over several pools, and where it is
// known what was granted.
func (f *fleet) headroomWithin(pool *poolState) bool {
	if pool.series.lifetimes != nil && pool.grants >= pool.allowed {
		return false
	}
	return !f.limited(int(pool.id)) && (pool.nodes == 0 || f.freeNode(pool) >= 0)
}

// limited reports whether a quota over several pools leaves no headroom in pool p.
func (f *fleet) limited(p int) bool {
	if f.market.limitsOf == nil {
		return false
	}
	for _, number := range f.market.limitsOf[p] {
		limit := &f.market.limits[number]
		held := 0
		for _, other := range limit.Pools {
			held += int(f.pools[other].alive)
		}
		if held >= limit.Instances {
			return true
		}
	}
	return false
}

// offerRest marks the pools that share a quota with pool p as having headroom.
func (f *fleet) offerRest(p int) {
	if f.market.limitsOf == nil {
		return
	}
	for _, number := range f.market.limitsOf[p] {
		for _, other := range f.market.limits[number].Pools {
			if f.pools[other].waiting > 0 {
				f.offers.add(other)
			}
		}
	}
}

// freeNode returns the lowest node of a pool that is up and not held, -1 if
// there is none.
func (f *fleet) freeNode(pool *poolState) int32 {
	for n, holder := range f.nodes[pool.node : pool.node+pool.nodes] {
		if holder == nodeFree {
			return int32(n)
		}
	}
	return -1
}

// older reports whether x was granted before y.
func (x *instance) older(other *instance) bool {
	switch {
	case x.granted != other.granted:
		return x.granted < other.granted
	case x.pool != other.pool:
		return x.pool < other.pool
	}
	return x.ordinal < other.ordinal
}

// noChief is the chief of a job that has none, noInstance the end of a list of instances.
const (
	noChief    = -1
	noInstance = -1
)

// boots keeps the boot times of the latest seeds that came back: runs under one seed that begin at other instants draw
// the same ones.
type boots struct {
	seen [seedsKept]uint64 // the latest seeds plus 1, by seed modulo their number
	rows []bootRow         // by seed, modulo how many are kept, and pool; nil: nothing is kept
	now  []bootRow         // those of the run's seed; empty where it is new
}

// reset begins a run in pools.
func (b *boots) reset(seed uint64, pools []poolState) {
	b.now = nil
	if last := &b.seen[seed%seedsKept]; *last != seed+1 {
		*last = seed + 1
		return
	}
	n := len(pools)
	seeds := max(min(seedsKept, bootRows/n), 1)
	if len(b.rows) < seeds*n {
		b.rows = make([]bootRow, seeds*n)
	}
	first := int(seed%uint64(seeds)) * n
	b.now = b.rows[first : first+n]
	for p := range pools {
		row := &b.now[p]
		draws := pools[p].bootTimes
		of := pools[p].facts.Boot
		if row.stream != draws || row.of != of {
			*row = bootRow{stream: draws, of: of}
		}
	}
}

// draw returns the boot time of the n-th instance of a pool.
func (b *boots) draw(pool *poolState, n int) time.Duration {
	p := int(pool.id)
	if p >= len(b.now) || n >= bootsKept {
		return pool.facts.Boot.draw(pool.bootTimes, n)
	}
	span := &b.now[p].spans[n]
	if *span == 0 {
		*span = pool.facts.Boot.draw(pool.bootTimes, n)
	}
	return *span
}
