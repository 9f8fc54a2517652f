package sim

import (
	"cmp"
	"slices"
)

// drain takes the instances of job j that are under notice out of its layout.
func (w *World) drain(j int) {
	for i := range w.inst[:w.live] {
		x := &w.inst[i]
		if x.state != instanceReady || int(x.job) != j || !x.announced || x.drained {
			continue
		}
		w.vacate(x)
		x.place, x.drained, x.handedOver = unplaced, true, x.place == unplaced
		w.holding(j, int(x.pool)).drained++
	}
	w.jobs[j].laidOut = false
}

// place gives every place of job j's layout an instance: survivors keep theirs
// where pipelines and stages are the same as before, and the others are filled, the
// oldest instance first.
func (w *World) place(j int) {
	s := &w.jobs[j]
	w.lostPlaces[j] = w.lostPlaces[j][:0]
	size := Place{s.layout.Pipelines, s.layout.Stages}
	reshaped := size != s.placed
	s.placed = size
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
	w.lostPlaces[j], w.jobs[j].placed = w.lostPlaces[j][:0], Place{}
	for i := range w.inst[:w.live] {
		if x := &w.inst[i]; int(x.job) == j {
			x.place = unplaced
		}
	}
}

// listUnplaced lists in w.order the ready instances of job j that have no place, the
// oldest first or in turn from every pool, and marks the occupied places. Others now
// have the state of those that were drained.
func (w *World) listUnplaced(j int, reshaped bool, n int) {
	w.order = w.order[:0]
	for i := range w.inst[:w.live] {
		x := &w.inst[i]
		if x.state != instanceReady || int(x.job) != j {
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
			w.occupied[x.place] = true
			continue
		}
		w.order = append(w.order, int32(i))
	}
	slices.SortFunc(w.order, func(a, b int32) int {
		if w.inst[a].older(&w.inst[b]) {
			return -1
		}
		return 1
	})
	if !w.plan.Jobs[j].AcrossZones {
		return
	}
	w.rank = resize(w.rank, len(w.pools))
	clear(w.rank)
	for _, i := range w.order {
		x := &w.inst[i]
		x.turn = w.rank[x.pool]
		w.rank[x.pool]++
	}
	slices.SortFunc(w.order, func(a, b int32) int {
		x, y := &w.inst[a], &w.inst[b]
		return cmp.Or(cmp.Compare(x.turn, y.turn), cmp.Compare(x.pool, y.pool))
	})
}
