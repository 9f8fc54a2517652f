package sim

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// drain takes the instances of job j that are under notice out of its layout.
func (t *training) drain(w *World, j int) {
	for _, i := range t.instancesOf(w, j) {
		x := &w.inst[i]
		if x.state != instanceReady || !x.announced || x.drained {
			continue
		}
		t.vacate(x)
		x.place, x.drained, x.handedOver = unplaced, true, x.place == unplaced
		s := &t.jobs[j]
		k := s.column(int(x.pool))
		s.held[k].drained++
		s.staff(k, -1)
	}
	t.markDirty(j)
}

// place gives every place of job j's layout an instance: survivors keep theirs
// where pipelines and stages are the same as before, and the others are filled, the
// oldest instance first.
func (t *training) place(w *World, j int) {
	s := &t.jobs[j]
	t.lostPlaces[j] = t.lostPlaces[j][:0]
	size := Place{s.layout.Pipelines, s.layout.Stages}
	reshaped := size != s.placed
	s.placed = size
	n := int(size.Pipeline) * int(size.Stage)
	t.occupied = resize(t.occupied, n)
	clear(t.occupied)
	t.listUnplaced(w, j, reshaped, n)
	at := 0
	for _, i := range t.order {
		for at < n && t.occupied[at] {
			at++
		}
		if at == n {
			return
		}
		w.inst[i].place = int32(at)
		t.occupied[at] = true
	}
}

// unplace takes the places of job j away, which goes on without.
func (t *training) unplace(w *World, j int) {
	t.lostPlaces[j], t.jobs[j].placed = t.lostPlaces[j][:0], Place{}
	for _, i := range t.instancesOf(w, j) {
		w.inst[i].place = unplaced
	}
}

// listUnplaced lists in w.order the ready instances of job j that have no place, the
// oldest first or in turn from every pool, and marks the occupied places. Others now
// have the state of those that were drained.
func (t *training) listUnplaced(w *World, j int, reshaped bool, n int) {
	t.order = t.order[:0]
	for _, i := range t.instancesOf(w, j) {
		x := &w.inst[i]
		if x.state != instanceReady {
			continue
		}
		if x.drained {
			x.handedOver = true
			continue
		}
		if reshaped || int(x.place) >= n {
			x.place = unplaced
		}
		if x.place != unplaced {
			t.occupied[x.place] = true
			continue
		}
		t.order = append(t.order, i)
	}
	slices.SortFunc(t.order, func(a, b int32) int { // those without a place only: of a large job they are few
		if w.inst[a].older(&w.inst[b]) {
			return -1
		}
		return 1
	})
	if !w.plan.Jobs[j].AcrossZones {
		return
	}
	t.rank, t.turn = resize(t.rank, len(w.pools)), resize(t.turn, len(w.inst))
	clear(t.rank)
	for _, i := range t.order {
		x := &w.inst[i]
		t.turn[i] = t.rank[x.pool]
		t.rank[x.pool]++
	}
	slices.SortFunc(t.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.turn[a], t.turn[b]), cmp.Compare(w.inst[a].pool, w.inst[b].pool))
	})
}

// addMoves adds the moves to the next layout of job j to what its change costs.
func (t *training) addMoves(w *World, j int, cost *Pause) {
	longest := t.movePlaces(w, j)
	if longest == 0 {
		return
	}
	if cost.Stall == 0 {
		cost.As = Restoring
	}
	cost.Stall += longest
}

// movePlaces carries the state of job j to the pools of its next layout where it is not,
// from where that costs least: money first, then time. Pools without a way between them
// that costs anything share the state. It pays, and returns the longest time: moves go
// side by side.
func (t *training) movePlaces(w *World, j int) time.Duration {
	longest := time.Duration(0)
	state, free := t.jobs[j].stateAt, w.plan.Jobs[j].Free
	for p, n := range t.to.Workers {
		if n == 0 || state[p] {
			continue
		}
		if m, from := t.cheapestMove(w, j, t.jobs[j].poolOf(p)); from && m != (Move{}) && !free {
			w.moves(w, j, m.USD)
			w.totals.Moves++
			longest = max(longest, m.Time)
		}
		state[p] = true
	}
	for p, n := range t.to.Workers {
		state[p] = n > 0
	}
	return longest
}

// cheapestMove returns the move of job j's state to pool p from where it is; false if it
// is nowhere yet.
func (t *training) cheapestMove(w *World, j, p int) (best Move, any bool) {
	for from, has := range t.jobs[j].stateAt {
		if !has {
			continue
		}
		m := t.move(w, j, t.jobs[j].poolOf(from), p)
		if !any || m.USD < best.USD || m.USD == best.USD && m.Time < best.Time {
			best, any = m, true
		}
	}
	return best, any
}

// move returns what carrying job j's state from one pool to another takes.
func (t *training) move(w *World, j, from, to int) Move {
	if w.cfg.Moves == nil || from == to {
		return Move{}
	}
	m := w.cfg.Moves.Move(&t.specs[j], &w.market.pools[from], &w.market.pools[to])
	if !(m.USD >= 0) || math.IsInf(m.USD, 1) || m.Time < 0 {
		panic("sim: Mover.Move: dollars or time are negative or not finite")
	}
	return m
}

// Move returns what carrying the job's state from one pool to another takes.
func (v JobView) Move(from, to int) Move { return v.w.move(v.w, v.j, from, to) }

// StateIn reports whether the job's state is in pool p: whether the pool was in the layout
// that trained last. Before training begins it is nowhere, and the first place is free.
func (v JobView) StateIn(p int) bool {
	s := &v.w.jobs[v.j]
	k := s.column(p)
	return k >= 0 && s.stateAt[k]
}
