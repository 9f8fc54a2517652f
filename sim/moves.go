package sim

import (
	"math"
	"time"
)

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
	state, free := w.stateIn(j), w.plan.Jobs[j].Free
	for p, n := range w.next {
		if n == 0 || state[p] {
			continue
		}
		if m, from := w.cheapestMove(j, p); from && m != (Move{}) && !free {
			w.totals.Bill.Transfers += m.USD
			w.totals.Moves++
			longest = max(longest, m.Time)
		}
		state[p] = true
	}
	for p, n := range w.next {
		state[p] = n > 0
	}
	return longest
}

// cheapestMove returns the move of job j's state to pool p from where it is; false if it
// is nowhere yet.
func (w *World) cheapestMove(j, p int) (best Move, any bool) {
	for from, has := range w.stateIn(j) {
		if !has {
			continue
		}
		m := w.move(j, from, p)
		if !any || m.USD < best.USD || m.USD == best.USD && m.Time < best.Time {
			best, any = m, true
		}
	}
	return best, any
}

// move returns what carrying job j's state from one pool to another takes.
func (w *World) move(j, from, to int) Move {
	if w.cfg.Moves == nil || from == to {
		return Move{}
	}
	m := w.cfg.Moves.Move(&w.specs[j], &w.market.pools[from], &w.market.pools[to])
	if !(m.USD >= 0) || math.IsInf(m.USD, 1) || m.Time < 0 {
		panic("sim: Mover.Move: dollars or time are negative or not finite")
	}
	return m
}

// stateIn says by pool whether the state of job j is there.
func (t *training) stateIn(j int) []bool { return t.state[j*t.width : (j+1)*t.width] }

// Move returns what carrying the job's state from one pool to another takes.
func (v JobView) Move(from, to int) Move { return v.w.move(v.j, from, to) }

// StateIn reports whether the job's state is in pool p: whether the pool was in the layout
// that trained last. Before training begins it is nowhere, and the first place is free.
func (v JobView) StateIn(p int) bool { return v.w.stateIn(v.j)[p] }
