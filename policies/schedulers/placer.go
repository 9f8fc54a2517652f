package schedulers

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/sim"
)

// placer gives the jobs that were chosen for a model their GPUs.
type placer struct {
	book    book
	before  [][]sim.Part // by job: what it had, of a new round
	whole   bool         // a new round: before is known
	taken   []bool       // by job: it was chosen in this decision
	chosen  []pick
	waiting []pick // scratch
	close   bool   // GPUs are to be close together
	tiers   [][]int32
	closest Closeness
}

// pick is a job that is to have a number of GPUs of a model.
type pick struct{ job, gpus int }

// begin begins a decision. In a new round all GPUs are given out anew. The plans of jobs are opened in the order of
// their numbers, in which they take effect.
func (x *placer) begin(v sim.View, plan *sim.Plan, m *models, active []int, whole bool) {
	x.whole = whole
	x.tiers = v.Tiers()
	x.book.open(v, plan, m.full, active, true)
	for len(x.taken) < v.Jobs() {
		x.taken = append(x.taken, false)
		x.before = append(x.before, nil)
	}
	for _, j := range active {
		x.taken[j] = false
		if whole {
			x.before[j] = copyParts(plan, j, x.before[j])
			plan.Stop(j)
			plan.Job(j)
			continue
		}
		if plan.Held(j) == 0 {
			plan.Job(j)
		}
		x.book.addParts(plan.Parts(j), -1)
	}
}

// has reports whether a job has GPUs already, in this decision or, within a round, before.
func (x *placer) has(plan *sim.Plan, j int) bool {
	return x.taken[j] || !x.whole && plan.Held(j) > 0
}

// choose notes that a job is to have GPUs.
func (x *placer) choose(j, gpus int) {
	x.taken[j] = true
	x.chosen = append(x.chosen, pick{j, gpus})
}

// placeChosen gives the chosen jobs GPUs of a model: those that they had, else on as few servers as they can.
func (x *placer) placeChosen(plan *sim.Plan, m *models, model int) {
	x.waiting = x.waiting[:0]
	for _, chosen := range x.chosen {
		if x.whole && x.hadAsMany(chosen, m, model) {
			x.book.takeParts(plan, chosen.job, x.before[chosen.job])
		} else {
			x.waiting = append(x.waiting, chosen)
		}
	}
	slices.SortStableFunc(x.waiting, func(a, b pick) int { return cmp.Compare(b.gpus, a.gpus) })
	for _, chosen := range x.waiting {
		x.place(plan, chosen.job, chosen.gpus, m.pools[model])
	}
}

// hadAsMany reports whether what a job had in the round before is as much as it is to have, of the model, and free.
func (x *placer) hadAsMany(chosen pick, m *models, model int) bool {
	total := 0
	for _, part := range x.before[chosen.job] {
		if m.of[part.Pool] != model {
			return false
		}
		total += int(part.N)
	}
	return total == chosen.gpus && x.book.has(x.before[chosen.job])
}

// place gives a job GPUs of the first server with enough, else of those with most; or those closest together.
func (x *placer) place(plan *sim.Plan, j, gpus int, pools []int) {
	if x.close {
		x.book.takeParts(plan, j, x.closest.Choose(x.tiers, pools, x.book.free, gpus))
		return
	}
	for gpus > 0 {
		p := firstOrEmptiest(pools, x.book.free, gpus)
		taken := min(gpus, x.book.free[p])
		x.book.take(plan, j, p, taken)
		gpus -= taken
	}
}
