package sim

const (
	unlimited = -1 // capacity is not limited by the history
	nodeGone  = -2
	nodeFree  = -1
)

// poolState is the changing part of a pool.
type poolState struct {
	capacity    int32  // unlimited, or what can be held
	counted     int32  // index of a capacity at or before now, -1 before the first
	price       int32  // index of a price at or before now
	alive       int32  // instances held by all jobs
	unmarked    int32  // of them those that the cloud has not decided to take
	waiting     int32  // requests of all jobs that wait
	grants      int32  // so far
	victims     int32  // picked so far
	bootTimes   Stream // by grant: how long the instance starts
	picks       Stream // by victim: who it is
	first       int32  // where the pool's instances are in World.members, alive of them
	node, nodes int32  // where the pool's nodes are in World.nodes
}

// holding is what one job has in one pool.
type holding struct {
	want         int32
	waiting      int32
	starting     int32 // not under notice
	ready        int32 // not under notice
	noticed      int32
	noticedReady int32
	drained      int32 // of these, those that are taken out of the layout
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
	state      instanceState
	announced  bool
	drained    bool // the layout, before it goes
	handedOver bool // what it held of the layout that it left is with others
	job, pool  int32
	node       int32 // in the pool; -1 where the history counts
	place      int32 // in the job's pipelines, row by row; unplaced if none
	turn       int32 // scratch of World.listUnplaced
	ordinal    int32 // of its grant in the pool
	granted    Time
	ready      Time
	gone       Time // when the cloud takes it, Never while that is not decided
}

func (w *World) grant(j, p int) {
	w.bookJob(j)
	w.pay(j, p)
	pool, facts := &w.pools[p], &w.market.pools[p]
	i := w.slot()
	x := &w.inst[i] // empty: cleared when it was given back
	x.state, x.job, x.pool, x.node, x.place, x.ordinal = instanceStarting, int32(j), int32(p), -1, unplaced, pool.grants
	x.granted, x.ready, x.gone = w.now, w.now.Add(facts.Boot.draw(pool.bootTimes, int(pool.grants))), Never
	h := &w.held[j*len(w.pools)+p]
	h.starting++
	w.jobs[j].starting++
	w.join(pool, i)
	pool.grants++
	pool.unmarked++
	w.totals.Grants++
	w.totals.Pools[p].Grants++
	w.recount(j, p)
	w.trigger |= TriggerGrant
	if pool.nodes > 0 {
		x.node = w.freeNode(p)
		w.nodes[pool.node+x.node] = i
	}
	w.instanceEvent(x, InstanceGranted)
	if x.ready == w.now {
		w.ready(i)
	}
	w.markAtGrant(i)
	w.setInstanceTimer(i)
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
		w.revoke(i)
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
	w.instanceEvent(x, InstanceReady)
	if x.announced {
		h.noticedReady++
	} else {
		h.starting--
		h.ready++
	}
	w.jobs[j].starting--
	w.jobs[j].ready++
	w.jobs[j].laidOut = false
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
	if x.drained {
		h.drained--
	}
	if isReady {
		s.ready--
		s.laidOut = false
	} else {
		s.starting--
	}
	if x.gone == Never {
		pool.unmarked--
	}
	w.leave(pool, i)
	w.offers.add(p)
	if x.node >= 0 {
		w.nodes[pool.node+x.node] = nodeFree
	}
	if s.chief == i {
		s.chief = noChief
		s.chiefLost = s.chiefLost || revoked
	}
	w.vacate(x)
	if revoked {
		w.instanceEvent(x, InstanceRevoked)
	} else {
		w.instanceEvent(x, InstanceReleased)
	}
	*x = instance{}
	w.timers.Set(int(i), Never)
	w.free = append(w.free, i)
	w.recount(j, p)
	w.supply = true
}
