package sim

import (
	"cmp"
	"slices"
)

// In the world of a Scheduler a job has no place for every pool but columns: one for each
// pool of which it was given something since it last held nothing. The parallel slices of a
// job (held, hold, layout.Workers) then have an element a column, and layout.Pools says of
// which pool each is. A job that waits has none.

// poolOf returns the pool of a job's k-th element of held.
func (s *jobState) poolOf(k int) int {
	if s.layout.Pools == nil {
		return k
	}
	return int(s.layout.Pools[k])
}

// nothing is what a job has in a pool of which it has no column.
var nothing = holding{waitingSince: Never}

// columnOf returns what job j has in pool p, by its columns. What is not there is not to be
// written. It is kept out of holding, which is everywhere.
//
//go:noinline
func (t *training) columnOf(j, p int) *holding {
	s := &t.jobs[j]
	for k, q := range s.layout.Pools {
		if int(q) == p {
			return &s.held[k]
		}
	}
	return &nothing
}

// open returns the place of job j's column of pool p, which it opens if there is none.
func (t *training) open(j, p int, now Time) int {
	s := &t.jobs[j]
	for k, q := range s.layout.Pools {
		if int(q) == p {
			return k
		}
	}
	s.layout.Pools = append(s.layout.Pools, int32(p))
	s.layout.Workers = append(s.layout.Workers, 0)
	s.held = append(s.held, holding{waitingSince: Never, paid: now, first: noInstance})
	s.hold = append(s.hold, 0)
	s.stateAt = append(s.stateAt, false)
	if n := len(s.held); n > len(t.next) {
		t.next, t.want = append(t.next, 0), append(t.want, 0)
	}
	return len(s.held) - 1
}

// empty makes a job without columns, and keeps its memory.
func (s *jobState) empty() {
	s.layout.Pools, s.layout.Workers = s.layout.Pools[:0], s.layout.Workers[:0]
	s.held, s.hold, s.stateAt = s.held[:0], s.hold[:0], s.stateAt[:0]
}

// fold closes the columns of job j of which it holds and wants nothing, and books what they
// have cost. Where moving costs something, a column says where the state is, and stays.
func (w *World) fold(j int) {
	s := &w.jobs[j]
	if w.cfg.Moves != nil && s.active() {
		return
	}
	for k := len(s.held) - 1; k >= 0; k-- {
		if h := &s.held[k]; h.want == 0 && h.alive() == 0 && s.layout.Workers[k] == 0 {
			w.charge(j, k)
			last := len(s.held) - 1
			s.layout.Pools[k], s.layout.Workers[k] = s.layout.Pools[last], s.layout.Workers[last]
			s.held[k], s.hold[k], s.stateAt[k] = s.held[last], s.hold[last], s.stateAt[last]
			s.layout.Pools, s.layout.Workers = s.layout.Pools[:last], s.layout.Workers[:last]
			s.held, s.hold, s.stateAt = s.held[:last], s.hold[:last], s.stateAt[:last]
		}
	}
}

// charge books what job j's k-th column has cost.
func (w *World) charge(j, k int) {
	s := &w.jobs[j]
	p, usd := s.poolOf(k), s.held[k].usd
	s.held[k].usd = 0
	pool := &w.market.pools[p]
	*s.bill.at(pool) += usd
	*w.totals.Pools[p].Bill.at(pool) += usd
	*w.closed.at(pool) += usd
}

// layOutChanged lays out the jobs whose instances may be others than those of their layouts, in
// the order of their numbers.
func (w *World) layOutChanged() {
	if w.packs {
		w.layOutTenants()
		return
	}
	if len(w.unlaid) > 1 {
		w.sortUnlaid()
	}
	left := 0
	for k := 0; k < len(w.unlaid); k++ { // a job that is lost gives back, and is unlaid already
		j := int(w.unlaid[k])
		s := &w.jobs[j]
		if s.active() {
			if w.addUp(s); s.workersChanged() {
				w.relayout(j)
			}
		}
		if s.active() && s.laidOut {
			w.fold(j)
		}
		if s.unlaid = s.active() && !s.laidOut; s.unlaid {
			w.unlaid[left] = int32(j)
			left++
		}
	}
	w.unlaid = w.unlaid[:left]
}

func (w *World) sortUnlaid() {
	slices.SortFunc(w.unlaid, func(a, b int32) int { return cmp.Compare(w.jobs[a].id, w.jobs[b].id) })
}

// compact takes the jobs that are not active any more out of the list of active jobs.
func (t *training) compact() {
	if t.over == 0 {
		return
	}
	t.over = 0
	n := 0
	for k, j := range t.activeJobs {
		if s := &t.jobs[j]; s.active() && s.id == t.activeIDs[k] { // its slot may have another job by now
			t.activeJobs[n], t.activeIDs[n] = j, s.id
			n++
		}
	}
	t.activeJobs, t.activeIDs = t.activeJobs[:n], t.activeIDs[:n]
}

// copyColumns makes t's jobs equal to others, in the memory of those that it had.
func (t *training) copyColumns(old, src []jobState) {
	if n := len(src); cap(old) >= n {
		old = old[:n]
	} else {
		old = append(old[:cap(old)], make([]jobState, n-cap(old))...)
	}
	for j := range src {
		s := src[j]
		s.clone(&old[j])
		old[j] = s
	}
	t.jobs = old
}

// unlay says that the instances of job j are others than those of its layout, perhaps.
func (t *training) unlay(j int) {
	t.jobs[j].laidOut = false
	if t.many {
		t.addUnlaid(j)
	}
}

//go:noinline
func (t *training) addUnlaid(j int) {
	if s := &t.jobs[j]; !s.unlaid {
		s.unlaid = true
		t.unlaid = append(t.unlaid, int32(j))
	}
}

// clone gives a job columns of its own in the memory of another that it replaces.
func (s *jobState) clone(old *jobState) {
	s.layout.Pools = append(old.layout.Pools[:0], s.layout.Pools...)
	s.layout.Workers = append(old.layout.Workers[:0], s.layout.Workers...)
	s.trained.Pools = append(old.trained.Pools[:0], s.trained.Pools...)
	s.trained.Workers = append(old.trained.Workers[:0], s.trained.Workers...)
	s.held = append(old.held[:0], s.held...)
	s.hold = append(old.hold[:0], s.hold...)
	s.stateAt = append(old.stateAt[:0], s.stateAt...)
}

// link makes an instance the first of its column, and unlink takes it out.
func (w *World) link(i int32) {
	x := &w.inst[i]
	h := w.holding(int(x.job), int(x.pool))
	x.next, h.first = h.first, i
}

func (w *World) unlink(i int32) {
	x := &w.inst[i]
	h := w.holding(int(x.job), int(x.pool))
	at := &h.first
	for *at != i {
		at = &w.inst[*at].next
	}
	*at = x.next
}

// instancesOf lists the instances of job j, by slot.
func (w *World) instancesOf(j int) []int32 {
	list := w.own[:0]
	if !w.many {
		for i := range w.inst[:w.live] {
			if x := &w.inst[i]; x.state != instanceUnused && int(x.job) == j {
				list = append(list, int32(i))
			}
		}
	} else {
		s := &w.jobs[j]
		for k := range s.held {
			for i := s.held[k].first; i != noInstance; i = w.inst[i].next {
				list = append(list, i)
			}
		}
		slices.Sort(list)
	}
	w.own = list
	return list
}

// newestOf is newest by the columns.
func (w *World) newestOf(j, p int) int32 {
	best := int32(noInstance)
	for i := w.holding(j, p).first; i != noInstance; i = w.inst[i].next {
		x := &w.inst[i]
		if x.announced {
			continue
		}
		if best < 0 || x.state < w.inst[best].state ||
			x.state == w.inst[best].state && x.ordinal > w.inst[best].ordinal {
			best = i
		}
	}
	return best
}

// grantGang grants the requests of job j in pool p, as far as there is room, as grant does one by one where what is
// granted is ready at once: what is the job's is booked once.
func (w *World) grantGang(j, p int) {
	h, pool, s := w.holding(j, p), &w.pools[p], &w.jobs[j]
	w.accountJob(j, w.now)
	h.pay(pool, w.now)
	if pool.queue != plainPool {
		w.coverUntil(p, w.now)
	}
	w.seeGrant(h, pool, w.now)
	n := min(h.waiting, pool.most-pool.alive)
	for range n {
		i := w.slot()
		x := &w.inst[i]
		x.state, x.job, x.pool, x.node, x.place, x.ordinal = instanceReady, int32(j), int32(p), -1, unplaced, pool.grants
		x.granted, x.ready, x.gone, x.marked = w.now, w.now, Never, Never
		w.join(pool, i)
		x.next, h.first = h.first, i
		pool.grants++
		w.instanceEvent(w.now, x, InstanceGranted)
		w.instanceEvent(w.now, x, InstanceReady)
	}
	h.ready, s.ready, pool.unmarked = h.ready+n, s.ready+n, pool.unmarked+n
	w.totals.Grants += int64(n)
	w.totals.Pools[p].Grants += int64(n)
	w.trigger |= TriggerGrant | TriggerReady
	w.supply = true
	w.unlay(j)
	w.recount(j, p, h)
}

// releaseAll gives back all that job j has, which is over: what is the job's is booked once.
func (w *World) releaseAll(j int) {
	s := &w.jobs[j]
	w.accountJob(j, w.now)
	for k := range s.held {
		s.held[k].pay(&w.pools[s.poolOf(k)], w.now)
	}
	for _, i := range w.instancesOf(j) {
		w.handBack(i)
	}
	for k := range s.held {
		h := &s.held[k]
		h.starting, h.ready, h.noticed, h.noticedReady, h.drained, h.first = 0, 0, 0, 0, 0, noInstance
	}
	s.starting, s.ready, s.laidOut = 0, 0, false
	w.supply = true
}

// releaseColumn gives back what job j has in pool p, all of it ready: the one granted last first.
func (w *World) releaseColumn(j, p int, h *holding) {
	s := &w.jobs[j]
	w.accountJob(j, w.now)
	h.pay(&w.pools[p], w.now)
	for i := h.first; i != noInstance; {
		next := w.inst[i].next
		w.handBack(i)
		i = next
	}
	s.ready -= h.ready
	s.vacated = s.vacated || s.ready == 0
	h.ready, h.first = 0, noInstance
	w.unlay(j)
	w.supply = true
}

// handBack is what release does of the instance, its pool and its place; its job's part is the caller's.
func (w *World) handBack(i int32) {
	x := &w.inst[i]
	p, s := int(x.pool), &w.jobs[x.job]
	pool := &w.pools[p]
	if pool.queue != plainPool || w.cfg.Billing.Increment > 0 || w.cfg.Billing.Minimum > 0 {
		w.adjust(x, pool, false)
		w.coverUntil(p, w.now)
	}
	if x.gone == Never {
		pool.unmarked--
	}
	if x.announced {
		pool.noticed--
	}
	w.seeEnd(x.granted, pool, w.now)
	w.leave(pool, i)
	w.offers.add(p)
	if pool.queue != plainPool {
		w.offerRest(p)
	}
	if x.node >= 0 {
		w.nodes[pool.node+x.node] = nodeFree
	}
	s.released = s.released || x.place != unplaced
	if s.chief == i {
		s.chief = noChief
	}
	w.vacate(x)
	w.instanceEvent(w.now, x, InstanceReleased)
	*x = instance{}
	w.timers.Set(int(i), Never)
	w.free = append(w.free, i)
}

// ask adds job j to those that wait for pool p, or takes it out: in the order of priority,
// then of their numbers.
func (w *World) ask(j, p int, waits bool) {
	list := w.askers[p]
	if !waits {
		w.asking--
		at := slices.Index(list, int32(j))
		w.askers[p] = slices.Delete(list, at, at+1)
		return
	}
	w.asking++
	at, _ := slices.BinarySearchFunc(list, int32(j), w.before)
	w.askers[p] = slices.Insert(list, at, int32(j))
}

// before orders jobs by priority, then by number.
func (w *World) before(a, b int32) int {
	x, y := &w.jobs[a], &w.jobs[b]
	return cmp.Or(cmp.Compare(y.priority, x.priority), cmp.Compare(x.id, y.id))
}
