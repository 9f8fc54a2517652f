package sim

import (
	"slices"
)

// A job has columns: what it holds and wants of a pool each. The parallel slices of a job (held, hold, next, stateAt,
// layout.Workers) have an element a column. Where the policy plans by JobPlan.Hold, every job has a column of each pool
// from the start: the k-th is of pool k, and layout.Pools is nil. Else layout.Pools says of which pool each is; a column is
// opened when the plan wants something of its pool, and closed when nothing is left there: a job that waits has none.

// poolOf returns the pool of a job's k-th column.
func (s *jobState) poolOf(k int) int {
	if s.layout.Pools == nil {
		return k
	}
	return int(s.layout.Pools[k])
}

// column returns the place of the job's column of pool p, below 0 if it has none.
func (s *jobState) column(p int) int {
	if s.layout.Pools == nil {
		return p
	}
	return s.find(p)
}

// find is kept out of column, which is everywhere.
//
//go:noinline
func (s *jobState) find(p int) int {
	for k, q := range s.layout.Pools {
		if int(q) == p {
			return k
		}
	}
	return -1
}

// nothing is what a job has in a pool of which it has no column.
var nothing = holding{waitingSince: Never}

// holding is what the job has in pool p. What is not there is not to be written.
func (s *jobState) holding(p int) *holding {
	if s.layout.Pools != nil {
		return s.columnOf(p)
	}
	return &s.held[p]
}

// columnOf is kept out of holding, which is everywhere.
//
//go:noinline
func (s *jobState) columnOf(p int) *holding {
	if k := s.find(p); k >= 0 {
		return &s.held[k]
	}
	return &nothing
}

// openColumn returns the place of the job's column of pool p, which it opens if there is none.
func (s *jobState) openColumn(p int, now Time) int {
	if k := s.column(p); k >= 0 {
		return k
	}
	s.layout.Pools = append(s.layout.Pools, int32(p))
	s.layout.Workers = append(s.layout.Workers, 0)
	s.next = append(s.next, 0)
	s.held = append(s.held, holding{waitingSince: Never, paid: now, first: noInstance})
	s.hold = append(s.hold, 0)
	s.stateAt = append(s.stateAt, false)
	return len(s.held) - 1
}

// openAll gives a job an empty column of each of n pools.
func (s *jobState) openAll(pools int, now Time) {
	s.layout.Pools = nil
	s.held, s.hold, s.stateAt = resize(s.held, pools), resize(s.hold, pools), resize(s.stateAt, pools)
	s.layout.Workers, s.next = resize(s.layout.Workers, pools), resize(s.next, pools)
	for k := range s.held {
		s.held[k] = holding{waitingSince: Never, paid: now, first: noInstance}
	}
	clear(s.hold)
	clear(s.stateAt)
	clear(s.layout.Workers)
	clear(s.next)
}

// closeAll makes a job without columns, and keeps its memory.
func (s *jobState) closeAll() {
	s.layout.Pools, s.layout.Workers, s.next = noPools(s.layout.Pools), s.layout.Workers[:0], s.next[:0]
	s.held, s.hold, s.stateAt = s.held[:0], s.hold[:0], s.stateAt[:0]
	s.workers, s.differ = 0, 0
}

// noPools is a list of no columns, in the memory of another; it is not nil, which would be all pools.
func noPools(memory []int32) []int32 {
	if memory == nil {
		memory = make([]int32, 0, 1)
	}
	return memory[:0]
}

// closeColumn takes out the k-th column, of which the job holds and wants nothing.
func (s *jobState) closeColumn(k int) {
	last := len(s.held) - 1
	s.layout.Pools[k], s.layout.Workers[k], s.next[k] = s.layout.Pools[last], s.layout.Workers[last], s.next[last]
	s.held[k], s.hold[k], s.stateAt[k] = s.held[last], s.hold[last], s.stateAt[last]
	s.layout.Pools, s.layout.Workers, s.next = s.layout.Pools[:last], s.layout.Workers[:last], s.next[:last]
	s.held, s.hold, s.stateAt = s.held[:last], s.hold[:last], s.stateAt[:last]
}

// closeEmpty closes the columns of job j of which it holds and wants nothing, and books what they have cost. Where moving
// costs something, a column says where the state is, and stays.
func (t *training) closeEmpty(w *World, j int) {
	s := &t.jobs[j]
	if w.cfg.Moves != nil && s.active() {
		return
	}
	for k := len(s.held) - 1; k >= 0; k-- {
		if h := &s.held[k]; h.want == 0 && h.alive() == 0 && s.layout.Workers[k] == 0 {
			w.charge(w, j, k)
			s.closeColumn(k)
		}
	}
}

// link makes an instance, which is granted now, the first of its column, and unlink takes it out.
func (f *fleet) link(h *holding, i int32) { f.inst[i].next, h.first = h.first, i }

func (f *fleet) unlink(h *holding, i int32) {
	at := &h.first
	for *at != i {
		at = &f.inst[*at].next
	}
	*at = f.inst[i].next
}

// instancesOf lists the instances of job j, in no order. It is valid until the next call.
func (t *training) instancesOf(w *World, j int) []int32 {
	list := t.own[:0]
	for k := range t.jobs[j].held {
		for i := t.jobs[j].held[k].first; i != noInstance; i = w.inst[i].next {
			list = append(list, i)
		}
	}
	t.own = list
	return list
}

// bySlot is instancesOf in the order of their slots.
func (t *training) bySlot(w *World, j int) []int32 {
	list := t.instancesOf(w, j)
	slices.Sort(list)
	return list
}

// byGrant is instancesOf in the order of their grants.
func (t *training) byGrant(w *World, j int) []int32 {
	list := t.instancesOf(w, j)
	slices.SortFunc(list, func(a, b int32) int {
		if w.inst[a].older(&w.inst[b]) {
			return -1
		}
		return 1
	})
	return list
}

// newest returns the instance of a column that is released first: one that the plan names, then a starting one before
// a ready one, then the one granted last.
func (f *fleet) newest(h *holding) int32 {
	best := int32(noInstance)
	for i := h.first; i != noInstance; i = f.inst[i].next {
		if x := &f.inst[i]; !x.announced && (best == noInstance || x.beforeRelease(&f.inst[best])) {
			best = i
		}
	}
	return best
}

// oldestReady returns the oldest ready instance of job j, noChief if there is none: its
// chief (also master). In training with parameter servers it saves and coordinates;
// Model.Change says what its loss costs. A chief that the policy releases hands over to
// the next, and is not lost.
func (t *training) oldestReady(w *World, j int) int32 {
	oldest := int32(noChief)
	held := t.jobs[j].held
	for k := range held {
		if held[k].ready+held[k].noticedReady == 0 {
			continue
		}
		last := int32(noInstance) // of a column the oldest is the last
		for i := held[k].first; i != noInstance; i = w.inst[i].next {
			if w.inst[i].state == instanceReady {
				last = i
			}
		}
		if oldest == noChief || w.inst[last].older(&w.inst[oldest]) {
			oldest = last
		}
	}
	return oldest
}
