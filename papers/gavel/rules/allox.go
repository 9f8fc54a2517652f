package rules

import (
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
)

// AlloX (EuroSys 2020, as in Gavel's code) matches jobs of one GPU with GPUs and places in their
// queues so that the sum of completion times is the least, and starts the first of each queue. A
// job that has a GPU keeps it.
type AlloX struct {
	on []placed // in order of jobs

	cost  []float64
	match matching
}

// placed is a job and the model that it is on.
type placed struct{ id, model int }

// neverHere stands for a speed of 0.
const neverHere = 1e-10

// KnowsWork implements share.Knower.
func (*AlloX) KnowsWork() bool { return true }

// Share implements share.Rule. It panics for a job of several GPUs.
func (a *AlloX) Share(in *share.Input, x *share.Shares) {
	x.Reset()
	free := slices.Clone(in.GPUs)
	var waiting []int
	kept := a.on[:0]
	for i := range in.Jobs {
		j := &in.Jobs[i]
		if j.GPUs != 1 {
			panic("rules: AlloX: a job of several GPUs")
		}
		part := x.Add(i, len(in.GPUs))
		if k := slices.IndexFunc(a.on, func(p placed) bool { return p.id == j.ID }); k >= 0 {
			p := a.on[k]
			kept = append(kept, p)
			free[p.model]--
			part[p.model] = 1
			continue
		}
		waiting = append(waiting, i)
	}
	a.on = kept
	var workers []int // by free GPU: its model
	for m, n := range free {
		for range n {
			workers = append(workers, m)
		}
	}
	if len(waiting) == 0 || len(workers) == 0 {
		return
	}
	for w, i := range a.first(in, waiting, workers) {
		if i == none {
			continue
		}
		x.X[i][workers[w]] = 1
		a.on = append(a.on, placed{in.Jobs[i].ID, workers[w]})
	}
	slices.SortFunc(a.on, func(p, q placed) int { return p.id - q.id })
}

// Clone implements share.Rememberer.
func (a *AlloX) Clone() share.Rule { return &AlloX{on: slices.Clone(a.on)} }

// first returns for each free GPU the job that is to run there first, none for none.
func (a *AlloX) first(in *share.Input, waiting, workers []int) []int {
	m, n := len(waiting), len(workers)
	a.cost = slices.Grow(a.cost[:0], m*m*n)[:m*m*n]
	for r, i := range waiting {
		j := &in.Jobs[i]
		for w, model := range workers {
			speed := j.Speed[model]
			if speed == 0 {
				speed = neverHere
			}
			for k := range m {
				a.cost[r*m*n+k*n+w] = float64(k+1)*(j.Left/speed) + j.Age
			}
		}
	}
	first, last := make([]int, n), make([]int, n) // the job with the largest k, and that k
	for w := range first {
		first[w], last[w] = none, none
	}
	for r, column := range a.match.rows(a.cost, m, m*n) {
		if k, w := column/n, column%n; k > last[w] {
			first[w], last[w] = waiting[r], k
		}
	}
	return first
}
