package sim

import "math/bits"

const (
	unlimited = -1 // capacity is not limited by the history
	nodeGone  = -2
	nodeFree  = -1
)

// poolState is the changing part of a pool.
type poolState struct {
	capacity    int32 // unlimited, or what can be held
	counted     int32 // index of a capacity at or before now, -1 before the first
	price       int32 // index of a price at or before now
	alive       int32 // instances held by all jobs
	firm        int32 // of them those that are not doomed
	waiting     int32 // requests of all jobs that wait
	grants      int32 // so far
	victims     int32 // picked so far
	boots       Draws
	picks       Draws
	first       int32 // where the pool's instances are in World.members, alive of them
	node, nodes int32 // where the pool's nodes are in World.nodes
}

// poolSet is a set of pools, a bit each.
type poolSet []uint64

func (s poolSet) add(p int)    { s[p>>6] |= 1 << (p & 63) }
func (s poolSet) remove(p int) { s[p>>6] &^= 1 << (p & 63) }

// holding is what one job has in one pool.
type holding struct {
	want         int32
	waiting      int32
	starting     int32 // not under notice
	ready        int32 // not under notice
	noticed      int32
	noticedReady int32
	left         int32 // of these, those that are taken out of the layout
	waitingSince Time
	paid         Time // the bill is made out until here
	usd          float64
}

func (h *holding) alive() int32 { return h.starting + h.ready + h.noticed }

type instanceState uint8

const (
	instanceUnused instanceState = iota
	instanceStarting
	instanceReady
)

// instance is one held machine.
type instance struct {
	state     instanceState
	announced bool
	left      bool // the layout, before it goes
	kept      bool // what it held of the layout that it left is with others
	job, pool int32
	node      int32 // in the pool; -1 where the history counts
	place     int32 // in the job's pipelines, row by row; unplaced if none
	turn      int32 // scratch of World.crewOf
	ordinal   int32 // of its grant in the pool
	granted   Time
	ready     Time
	gone      Time // when the cloud takes it, Never while that is not decided
}

// ask sets what job j wants of pool p and drops what it wants no longer.
func (w *World) ask(j, p int, want int32) {
	h := &w.held[j*len(w.pools)+p]
	if want == h.want {
		return
	}
	w.jobs[j].want += want - h.want
	h.want = want
	for h.starting+h.ready > want {
		w.release(w.newest(j, p))
	}
	w.recount(j, p)
	w.supply = true
}

// recount brings the number of waiting requests up to date.
func (w *World) recount(j, p int) {
	h, s, pool := &w.held[j*len(w.pools)+p], &w.jobs[j], &w.pools[p]
	before := h.waiting
	h.waiting = max(h.want-h.starting-h.ready, 0)
	more := h.waiting - before
	if more == 0 {
		return
	}
	pool.waiting += more
	s.waiting += more
	if more > 0 {
		w.offers.add(p)
		w.totals.Requests += int64(more)
	}
	switch {
	case before == 0:
		h.waitingSince = w.now
		s.waitingSince = min(s.waitingSince, w.now)
	case h.waiting == 0:
		h.waitingSince = Never
		s.waitingSince = w.longestWait(j)
	}
}

// longestWait returns since when the first of job j's requests waits.
func (w *World) longestWait(j int) Time {
	since := Never
	for p := range w.pools {
		since = min(since, w.held[j*len(w.pools)+p].waitingSince)
	}
	return since
}

// grantWaiting grants what waits, in the order of pools and jobs, each request
// once: one whose instance is under notice from its grant waits again, for the
// next change of capacity.
func (w *World) grantWaiting() {
	for k, pools := range w.offers {
		for ; pools != 0; pools &= pools - 1 {
			p := k<<6 + bits.TrailingZeros64(pools)
			for j := range w.jobs {
				for n := w.held[j*len(w.pools)+p].waiting; n > 0 && w.room(p); n-- {
					w.grant(j, p)
				}
			}
			if w.pools[p].waiting == 0 || !w.room(p) {
				w.offers.remove(p)
			}
		}
	}
	w.supply = false
}

// room reports whether one more instance of pool p can be granted.
func (w *World) room(p int) bool {
	s := &w.pools[p]
	switch {
	case int(s.alive) >= w.market.pools[p].Quota:
		return false
	case s.nodes > 0:
		return w.freeNode(p) >= 0
	}
	return s.capacity == unlimited || s.alive < s.capacity
}

// freeNode returns the lowest node of pool p that is up and not held, -1 if
// there is none.
func (w *World) freeNode(p int) int32 {
	s := &w.pools[p]
	for n, holder := range w.nodes[s.node : s.node+s.nodes] {
		if holder == nodeFree {
			return int32(n)
		}
	}
	return -1
}

func (w *World) grant(j, p int) {
	w.bookJob(j)
	w.pay(j, p)
	pool, facts := &w.pools[p], &w.market.pools[p]
	i := w.slot()
	x := &w.inst[i] // empty: cleared when it was given back
	x.state, x.job, x.pool, x.node, x.place, x.ordinal = instanceStarting, int32(j), int32(p), -1, unplaced, pool.grants
	x.granted, x.ready, x.gone = w.now, w.now.Add(facts.Boot.draw(pool.boots, int(pool.grants))), Never
	h := &w.held[j*len(w.pools)+p]
	h.starting++
	w.jobs[j].starting++
	w.join(pool, i)
	pool.grants++
	pool.firm++
	w.totals.Grants++
	w.totals.Pools[p].Grants++
	w.recount(j, p)
	w.trigger |= TriggerGrant
	if pool.nodes > 0 {
		x.node = w.freeNode(p)
		w.nodes[pool.node+x.node] = i
	}
	w.happens(x, InstanceGranted)
	if x.ready == w.now {
		w.ready(i)
	}
	w.foresee(i)
	w.setInstanceTimer(i)
}

// membersOf returns the slots of the pool's instances, in ascending order.
func (w *World) membersOf(pool *poolState) []int32 {
	return w.members[pool.first : pool.first+pool.alive]
}

// join puts instance i among those of its pool.
func (w *World) join(pool *poolState, i int32) {
	pool.alive++
	at := w.membersOf(pool)
	k := len(at) - 1
	for ; k > 0 && at[k-1] > i; k-- {
		at[k] = at[k-1]
	}
	at[k] = i
}

// leave takes instance i from those of its pool.
func (w *World) leave(pool *poolState, i int32) {
	at := w.membersOf(pool)
	k := 0
	for at[k] != i {
		k++
	}
	copy(at[k:], at[k+1:])
	pool.alive--
}

// slot takes an unused instance slot: the one released last, else a new one.
func (w *World) slot() int32 {
	if n := len(w.free); n > 0 {
		i := w.free[n-1]
		w.free = w.free[:n-1]
		return i
	}
	w.live++
	return w.live - 1
}

func (w *World) setInstanceTimer(i int32) {
	x := &w.inst[i]
	at := x.gone
	if x.state == instanceStarting {
		at = min(at, x.ready)
	}
	w.timers.Set(int(i), at)
}

func (w *World) fromInstance(i int32) {
	w.changed()
	x := &w.inst[i]
	if x.gone <= w.now {
		w.take(i)
		return
	}
	w.ready(i)
	w.setInstanceTimer(i)
}

// ready makes a starting instance a worker.
func (w *World) ready(i int32) {
	x := &w.inst[i]
	j := int(x.job)
	w.bookJob(j)
	h := &w.held[j*len(w.pools)+int(x.pool)]
	x.state = instanceReady
	w.happens(x, InstanceReady)
	if x.announced {
		h.noticedReady++
	} else {
		h.starting--
		h.ready++
	}
	w.jobs[j].starting--
	w.jobs[j].ready++
	w.jobs[j].crewed = false
	w.trigger |= TriggerReady
	w.supply = true
}

// release gives an instance back.
func (w *World) release(i int32) { w.retire(i, false) }

// retire ends one instance and its bill.
func (w *World) retire(i int32, revoked bool) {
	x := &w.inst[i]
	j, p := int(x.job), int(x.pool)
	w.bookJob(j)
	w.pay(j, p)
	w.adjust(x, revoked)
	h, pool, s := &w.held[j*len(w.pools)+p], &w.pools[p], &w.jobs[j]
	isReady := x.state == instanceReady
	switch {
	case x.announced && isReady:
		h.noticed--
		h.noticedReady--
	case x.announced:
		h.noticed--
	case isReady:
		h.ready--
	default:
		h.starting--
	}
	if x.left {
		h.left--
	}
	if isReady {
		s.ready--
		s.crewed = false
	} else {
		s.starting--
	}
	if x.gone == Never {
		pool.firm--
	}
	w.leave(pool, i)
	w.offers.add(p)
	if x.node >= 0 {
		w.nodes[pool.node+x.node] = nodeFree
	}
	if s.chief == i {
		s.chief = noChief
		s.headless = s.headless || revoked
	}
	w.vacate(x)
	if revoked {
		w.happens(x, InstanceRevoked)
	} else {
		w.happens(x, InstanceReleased)
	}
	*x = instance{}
	w.timers.Set(int(i), Never)
	w.free = append(w.free, i)
	w.recount(j, p)
	w.supply = true
}

// newest returns the instance of job j in pool p that is released first: one
// that still starts before a ready one, then the one granted last.
func (w *World) newest(j, p int) int32 {
	best := int32(-1)
	for _, i := range w.membersOf(&w.pools[p]) {
		x := &w.inst[i]
		if int(x.job) != j || x.announced {
			continue
		}
		if best < 0 || x.state < w.inst[best].state ||
			x.state == w.inst[best].state && x.ordinal > w.inst[best].ordinal {
			best = i
		}
	}
	return best
}
