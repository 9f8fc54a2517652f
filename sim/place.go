package sim

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// drain takes the instances of job j that are under notice out of its layout.
func (w *World) drain(j int) {
	for _, i := range w.instancesOf(j) {
		inst := &w.inst[i]
		if inst.state != instanceReady || !inst.announced || inst.drained {
			continue
		}
		w.vacate(inst)
		inst.drained = true
		inst.handedOver = inst.place == unplaced
		inst.place = unplaced
		job := &w.jobs[j]
		k := job.column(int(inst.pool))
		job.held[k].drained++
		job.staff(k, -1)
	}
	w.markDirty(j)
}

// place gives every place of job j's layout an instance: survivors keep theirs
// where pipelines and stages are the same as before, and the others are filled, the
// oldest instance first.
func (w *World) place(j int) {
	job := &w.jobs[j]
	w.lostPlaces[j] = w.lostPlaces[j][:0]
	size := Place{job.layout.Pipelines, job.layout.Stages}
	reshaped := size != job.placed
	job.placed = size
	n := int(size.Pipeline) * int(size.Stage)
	w.occupied = resize(w.occupied, n)
	clear(w.occupied)
	w.listUnplaced(j, reshaped, n)
	at := 0
	for _, i := range w.order {
		for at < n && w.occupied[at] {
			at++
		}
		if at == n {
			return
		}
		w.inst[i].place = int32(at)
		w.occupied[at] = true
	}
}

// unplace takes the places of job j away, which goes on without.
func (w *World) unplace(j int) {
	w.lostPlaces[j] = w.lostPlaces[j][:0]
	w.jobs[j].placed = Place{}
	for _, i := range w.instancesOf(j) {
		w.inst[i].place = unplaced
	}
}

// listUnplaced lists in w.order the ready instances of job j that have no place, the
// oldest first or in turn from every pool, and marks the occupied places. Others now
// have the state of those that were drained.
func (w *World) listUnplaced(j int, reshaped bool, n int) {
	w.order = w.order[:0]
	for _, i := range w.instancesOf(j) {
		inst := &w.inst[i]
		if inst.state != instanceReady {
			continue
		}
		if inst.drained {
			inst.handedOver = true
			continue
		}
		if reshaped || int(inst.place) >= n {
			inst.place = unplaced
		}
		if inst.place != unplaced {
			w.occupied[inst.place] = true
			continue
		}
		w.order = append(w.order, i)
	}
	slices.SortFunc(w.order, func(a, b int32) int { // those without a place only: of a large job they are few
		if w.inst[a].older(&w.inst[b]) {
			return -1
		}
		return 1
	})
	if !w.plan.Jobs[j].AcrossZones {
		return
	}
	w.rank = resize(w.rank, len(w.pools))
	w.turn = resize(w.turn, len(w.inst))
	clear(w.rank)
	for _, i := range w.order {
		inst := &w.inst[i]
		w.turn[i] = w.rank[inst.pool]
		w.rank[inst.pool]++
	}
	slices.SortFunc(w.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(w.turn[a], w.turn[b]), cmp.Compare(w.inst[a].pool, w.inst[b].pool))
	})
}

// addMoves adds the moves to the next layout of job j to what its change costs.
func (w *World) addMoves(j int, cost *Pause) {
	longest := w.movePlaces(j)
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
func (w *World) movePlaces(j int) time.Duration {
	longest := time.Duration(0)
	state := w.jobs[j].stateAt
	free := w.plan.Jobs[j].Free
	for p, n := range w.to.Workers {
		if n == 0 || state[p] {
			continue
		}
		move, somewhere := w.cheapestMove(j, w.jobs[j].poolOf(p))
		if somewhere && move != (Move{}) && !free {
			w.moves(j, move.USD)
			w.totals.Moves++
			longest = max(longest, move.Time)
		}
		state[p] = true
	}
	for p, n := range w.to.Workers {
		state[p] = n > 0
	}
	return longest
}

// cheapestMove returns the move of job j's state to pool p from where it is; false if it
// is nowhere yet.
func (w *World) cheapestMove(j, p int) (best Move, any bool) {
	for from, has := range w.jobs[j].stateAt {
		if !has {
			continue
		}
		move := w.move(j, w.jobs[j].poolOf(from), p)
		if !any || move.USD < best.USD || move.USD == best.USD && move.Time < best.Time {
			best = move
			any = true
		}
	}
	return best, any
}

// move returns what carrying job j's state from one pool to another takes.
func (w *World) move(j, from, to int) Move {
	if w.cfg.Moves == nil || from == to {
		return Move{}
	}
	move := w.cfg.Moves.Move(&w.specs[j], &w.market.pools[from], &w.market.pools[to])
	if !(move.USD >= 0) || math.IsInf(move.USD, 1) || move.Time < 0 {
		panic("sim: Mover.Move: dollars or time are negative or not finite")
	}
	return move
}

// Move returns what carrying the job's state from one pool to another takes.
func (v JobView) Move(from, to int) Move { return v.w.move(v.j, from, to) }

// StateIn reports whether the job's state is in pool p: whether the pool was in the layout
// that trained last. Before training begins it is nowhere, and the first place is free.
func (v JobView) StateIn(p int) bool {
	job := &v.w.jobs[v.j]
	k := job.column(p)
	return k >= 0 && job.stateAt[k]
}
