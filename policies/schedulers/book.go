package schedulers

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// book is how many GPUs of each pool are free: the one account that all schedulers here keep. Queues keep it from
// decision to decision, with the parts of the cluster on which jobs run; others open it anew.
type book struct {
	free  []int   // by pool
	total int     // of all pools
	parts []part  // of a queue; the first is the whole cluster
	rack  []int32 // by pool, of a queue
}

// open counts what there is for jobs as free, as far as is known, whoever has it; on demand only if a scheduler rents.
func (b *book) open(v sim.View, plan *sim.Plan, full FullPools, active []int, rents bool) {
	b.free = zeros(b.free, v.Pools())
	b.total = 0
	for p := range b.free {
		if rents || !v.Pool(p).OnDemand {
			b.add(p, full.Headroom(v, plan, active, p))
		}
	}
}

// add makes n more GPUs of pool p free, fewer if n is below 0.
func (b *book) add(p, n int) {
	before := b.free[p]
	b.free[p] += n
	b.total += n
	for k := range b.parts {
		if b.parts[k].on[p] {
			b.parts[k].change(p, int(b.rack[p]), before, b.free[p])
		}
	}
}

// set makes n GPUs of pool p free.
func (b *book) set(p, n int) { b.add(p, n-b.free[p]) }

// addParts makes all of these GPUs free; with a sign of -1, taken.
func (b *book) addParts(parts []sim.Part, sign int) {
	for _, part := range parts {
		b.add(int(part.Pool), sign*int(part.N))
	}
}

// has reports whether all of these GPUs are free.
func (b *book) has(wanted []sim.Part) bool {
	return !slices.ContainsFunc(wanted, func(part sim.Part) bool { return int(part.N) > b.free[part.Pool] })
}

// take gives a job n GPUs of pool p.
func (b *book) take(plan *sim.Plan, j, p, n int) {
	plan.Place(j, p, n)
	b.add(p, -n)
}

// takeParts gives a job these GPUs.
func (b *book) takeParts(plan *sim.Plan, j int, parts []sim.Part) {
	for _, part := range parts {
		b.take(plan, j, int(part.Pool), int(part.N))
	}
}

// takeOfOne gives a job n GPUs of the first pool that has them, and reports whether one has.
func (b *book) takeOfOne(plan *sim.Plan, j, n int) bool {
	p := slices.IndexFunc(b.free, func(free int) bool { return free >= n })
	if p < 0 {
		return false
	}
	b.take(plan, j, p, n)
	return true
}

// takeInOrder gives a job n GPUs, or as many as there are, of the pools from first up to end, where they are free
// first.
func (b *book) takeInOrder(plan *sim.Plan, j, first, end, n int) {
	for p := first; p < end && n > 0; p++ {
		taken := min(n, b.free[p])
		if taken > 0 {
			b.take(plan, j, p, taken)
			n -= taken
		}
	}
}
