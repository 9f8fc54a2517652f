package schedulers

import (
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
)

// models are the models of GPU of a cluster, in the order of its pools, without what is rented on demand. Where
// markets count, servers are distinguished from what is rented, and each rented pool is a model of its own.
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
			waiting, _ := v.Waiting(j, p)
			if waiting > 0 && !v.Down(p) { // of a server that is down it is known when it is back
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
	held := 0
	for _, j := range active {
		held += plan.Hold(j, p)
	}
	return held
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
	m.gpus = slices.Clone(m.gpus)
	m.full = slices.Clone(m.full)
	return m
}

// cloneRule returns a copy of a rule that remembers, else a new one.
func cloneRule(rule, fresh share.Rule) share.Rule {
	if rule, remembers := rule.(share.Rememberer); remembers {
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
		pool := v.Pool(p)
		if pool.OnDemand && !markets {
			m.of = append(m.of, none)
			continue
		}
		m.rents = m.rents || !pool.Reserved && !pool.OnDemand
		model := slices.Index(names, pool.GPU)
		if model < 0 || pool.GPU == "" || markets && !(pool.IsServer() && v.Pool(m.pools[model][0]).IsServer()) {
			model = len(names)
			names = append(names, pool.GPU)
			m.gpus = append(m.gpus, 0)
			m.pools = append(m.pools, nil)
		}
		m.of = append(m.of, model)
		m.gpus[model] += pool.Quota
		m.pools[model] = append(m.pools[model], p)
	}
}

// stopRefused takes the GPUs of jobs whose requests wait, notes that these pools are full, and counts what can be had
// elsewhere. It reports whether that is other than before.
func (m *models) stopRefused(v sim.View, plan *sim.Plan, active []int) bool {
	if !m.rents {
		return false
	}
	m.full.StopRefused(v, plan, active)
	return m.count(func(p int) int { return m.full.Headroom(v, plan, active, p) })
}

// count counts what can be had, by headroom of a pool, and reports whether that is other than before.
func (m *models) count(headroom func(p int) int) (changed bool) {
	if !m.rents {
		return false
	}
	for model, pools := range m.pools {
		gpus := 0
		for _, p := range pools {
			gpus += headroom(p)
		}
		changed = changed || m.gpus[model] != gpus
		m.gpus[model] = gpus
	}
	return changed
}

// held returns the model on which a job is, none if it has no GPU.
func (m *models) held(plan *sim.Plan, j int) int {
	p := firstHeld(plan, j)
	if p == none {
		return none
	}
	return m.of[p]
}
