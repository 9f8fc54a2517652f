package schedulers

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// models are the models of GPU of a cluster, in the order of its pools, without what is rented on
// demand. Where markets count, servers are distinguished from what is rented, and each rented pool is a model of its own.
type models struct {
	gpus  []int   // by model: that can be had, as far as is known
	pools [][]int // by model
	of    []int   // model by pool; -1: rented on demand
	rents bool    // there is spot capacity
	full  FullPools
}

// FullPools is, by pool, until when it is not asked, as it did not grant requests.
type FullPools []sim.Time

// StopRefused stops the jobs whose requests wait, and notes which pools are full.
func (f *FullPools) StopRefused(v sim.View, plan *sim.Plan, active []int) {
	for len(*f) < v.Pools() {
		*f = append(*f, 0)
	}
	if !v.AnyWaiting() {
		return
	}
	for _, j := range active {
		if v.Job(j).Waiting() == 0 || plan.Held(j) == 0 {
			continue
		}
		for p := range *f {
			if n, _ := v.Waiting(j, p); n > 0 && !v.Down(p) { // of a server that is down it is known when it is back
				(*f)[p] = v.Now().Add(fullAgain)
			}
		}
		plan.Stop(j)
	}
}

// Headroom is how many GPUs of a pool there are for jobs, as far as is known: those that they have, where it is full.
func (f FullPools) Headroom(v sim.View, plan *sim.Plan, active []int, p int) int {
	if f[p] <= v.Now() && !v.Down(p) {
		return v.Pool(p).Quota
	}
	n := 0
	for _, j := range active {
		n += plan.Hold(j, p)
	}
	return n
}

// wake asks for a decision when a full pool may be asked again.
func (f FullPools) wake(v sim.View, plan *sim.Plan) {
	for _, until := range f {
		if until > v.Now() {
			plan.WakeIn(until.Sub(v.Now()))
		}
	}
}

// clone returns a copy for a fork.
func (m models) clone() models {
	m.gpus, m.full = slices.Clone(m.gpus), slices.Clone(m.full)
	return m
}

// again returns a copy of a rule that remembers, else a new one.
func again(was, fresh share.Rule) share.Rule {
	if rule, remembers := was.(share.Rememberer); remembers {
		return rule.Clone()
	}
	return fresh
}

// find finds the models, once in a run.
func (m *models) find(v sim.View, markets bool) {
	if len(m.of) > 0 {
		return
	}
	var names []string
	m.full = make(FullPools, v.Pools())
	for p := range v.Pools() {
		x := v.Pool(p)
		if x.OnDemand && !markets {
			m.of = append(m.of, -1)
			continue
		}
		m.rents = m.rents || !x.Reserved && !x.OnDemand
		at := slices.Index(names, x.GPU)
		if at < 0 || x.GPU == "" || markets && !(isServer(x) && isServer(v.Pool(m.pools[at][0]))) {
			at = len(names)
			names, m.gpus, m.pools = append(names, x.GPU), append(m.gpus, 0), append(m.pools, nil)
		}
		m.of, m.gpus[at], m.pools[at] = append(m.of, at), m.gpus[at]+x.Quota, append(m.pools[at], p)
	}
}

// isServer reports whether a pool is a reserved server, one that fails included.
func isServer(x *sim.Pool) bool { return x.Reserved || x.Failures != nil && x.Failures.Whole }

// refused takes the GPUs of jobs whose requests wait, notes that these pools are full, and counts what can be had
// elsewhere. It reports whether that is other than before.
func (m *models) refused(v sim.View, plan *sim.Plan, active []int) bool {
	if !m.rents {
		return false
	}
	m.full.StopRefused(v, plan, active)
	return m.count(func(p int) int { return m.full.Headroom(v, plan, active, p) })
}

// count counts what can be had, by headroom of a pool, and reports whether that is other than before.
func (m *models) count(headroom func(p int) int) (other bool) {
	if !m.rents {
		return false
	}
	for at, pools := range m.pools {
		was := m.gpus[at]
		m.gpus[at] = 0
		for _, p := range pools {
			m.gpus[at] += headroom(p)
		}
		other = other || m.gpus[at] != was
	}
	return other
}

// held returns the model on which a job is, -1 if it has no GPU.
func (m *models) held(plan *sim.Plan, j int) int {
	if p := firstHeld(plan, j); p >= 0 {
		return m.of[p]
	}
	return -1
}

// placer gives the jobs that were chosen for a model their GPUs.
type placer struct {
	free    []int        // by pool
	before  [][]sim.Part // by job: what it had, of a new round
	whole   bool         // a new round: before is known
	taken   []bool       // by job: it was chosen in this decision
	chosen  []pick
	waiting []pick // scratch
	close   bool   // GPUs are to be close together
	tiers   [][]int32
	closest closest
	held    []sim.Part // scratch
}

// pick is a job that is to have a number of GPUs of a model.
type pick struct{ job, gpus int }

// begin begins a decision. In a new round all GPUs are given out anew. The plans of jobs are opened in the order of their
// numbers, in which they take effect.
func (x *placer) begin(v sim.View, plan *sim.Plan, m *models, active []int, whole bool) {
	x.free, x.whole, x.tiers = x.free[:0], whole, v.Tiers()
	for p := range v.Pools() {
		x.free = append(x.free, m.full.Headroom(v, plan, active, p))
	}
	if n := v.Jobs(); len(x.taken) < n {
		x.taken, x.before = append(x.taken, make([]bool, n-len(x.taken))...), append(x.before, make([][]sim.Part, n-len(x.before))...)
	}
	for _, j := range active {
		x.taken[j] = false
		if whole {
			x.before[j] = parts(plan, j, x.before[j])
			plan.Stop(j)
			plan.Job(j)
			continue
		}
		if plan.Held(j) == 0 {
			plan.Job(j)
		}
		x.held = parts(plan, j, x.held)
		for _, part := range x.held {
			x.free[part.Pool] -= int(part.N)
		}
	}
}

// has reports whether a job has GPUs already, in this decision or, within a round, before.
func (x *placer) has(plan *sim.Plan, j int, whole bool) bool {
	return x.taken[j] || !whole && plan.Held(j) > 0
}

// choose notes that a job is to have GPUs.
func (x *placer) choose(j, gpus int) {
	x.taken[j] = true
	x.chosen = append(x.chosen, pick{j, gpus})
}

// put gives the chosen jobs GPUs of a model: those that they had, else on as few servers as they can.
func (x *placer) put(plan *sim.Plan, m *models, model int) {
	x.waiting = x.waiting[:0]
	for _, c := range x.chosen {
		if !x.again(plan, c, m, model) {
			x.waiting = append(x.waiting, c)
		}
	}
	slices.SortStableFunc(x.waiting, func(a, b pick) int { return cmp.Compare(b.gpus, a.gpus) })
	for _, c := range x.waiting {
		x.anywhere(plan, c.job, c.gpus, m.pools[model])
	}
}

// again gives a job what it had in the round before, if that is of the model and free.
func (x *placer) again(plan *sim.Plan, c pick, m *models, model int) bool {
	if !x.whole {
		return false
	}
	total := 0
	for _, was := range x.before[c.job] {
		if was.N > 0 && (m.of[was.Pool] != model || int(was.N) > x.free[was.Pool]) {
			return false
		}
		total += int(was.N)
	}
	if total != c.gpus {
		return false
	}
	for _, was := range x.before[c.job] {
		x.take(plan, c.job, int(was.Pool), int(was.N))
	}
	return true
}

// take gives a job n GPUs of a pool.
func (x *placer) take(plan *sim.Plan, j, p, n int) {
	plan.Place(j, p, n)
	x.free[p] -= n
}

// anywhere gives a job GPUs of the first server with enough, else of those with most; or those closest together.
func (x *placer) anywhere(plan *sim.Plan, j, gpus int, pools []int) {
	if x.close {
		for _, part := range x.closest.choose(x.tiers, pools, x.free, gpus) {
			x.take(plan, j, int(part.Pool), int(part.N))
		}
		return
	}
	for gpus > 0 {
		best := enough(pools, x.free, gpus)
		n := min(gpus, x.free[best])
		x.take(plan, j, best, n)
		gpus -= n
	}
}
