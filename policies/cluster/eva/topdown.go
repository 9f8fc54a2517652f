package eva

import (
	"cmp"
	"slices"
)

// TopDown adds instances to a plan until every task has one: the dearest types first, each as
// full as it is worth.
func (p *Planner) TopDown(plan []Planned, tasks []*Task, running []Running) []Planned {
	order := make([]int, len(p.Types))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Types[b].USD, p.Types[a].USD) })
	for _, k := range order {
		reuse := reusable(plan, running, k)
		for len(tasks) > 0 {
			chosen := p.fill(k, tasks, reuse)
			if !p.worthIt(k, chosen) {
				break
			}
			tasks = without(tasks, chosen)
			plan, reuse = p.open(plan, k, chosen, reuse)
		}
		for _, t := range slices.Clone(tasks) {
			if cheapest, _ := p.Cheapest(t); cheapest == k {
				tasks = without(tasks, []*Task{t})
				plan, reuse = add(plan, k, []*Task{t}, reuse)
			}
		}
	}
	return plan
}

// reusable returns the instances of a type that are not planned, those with most tasks first.
func reusable(plan []Planned, running []Running, typ int) []Running {
	var list []Running
	for _, r := range running {
		planned := slices.ContainsFunc(plan, func(x Planned) bool { return x.Instance == r.ID })
		if r.Type == typ && !planned {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b Running) int { return len(b.Tasks) - len(a.Tasks) })
	return list
}

// fill chooses tasks for an instance of a type, the next that could be reused or a new one.
func (p *Planner) fill(typ int, tasks []*Task, reuse []Running) []*Task {
	x := &p.Types[typ]
	chosen := make([]*Task, 0, len(tasks)+1) // with room for one that is tried
	var u Resources
	worth := 0.0
	for {
		best, task := nothing, (*Task)(nil)
		for _, t := range tasks {
			d, runs := t.Demand[x.Family]
			if !runs || slices.Contains(chosen, t) || !x.Full.fits(u, d) {
				continue
			}
			there := len(reuse) > 0 && slices.Contains(reuse[0].Tasks, t)
			if s := (score{p.Worth(append(chosen, t), true), there, x.Full.aligned(d, u)}); s.above(best) {
				best, task = s, t
			}
		}
		if task == nil || best.worth < worth {
			return chosen
		}
		chosen, worth = append(chosen, task), best.worth
		u = u.plus(task.Demand[x.Family])
	}
}

// worthIt reports whether tasks are worth an instance of a type.
func (p *Planner) worthIt(typ int, tasks []*Task) bool {
	if len(tasks) == 0 {
		return false
	}
	if len(tasks) == 1 {
		if cheapest, _ := p.Cheapest(tasks[0]); cheapest == typ {
			return true
		}
	}
	return p.Types[typ].USD <= p.Worth(tasks, true)
}

// open plans an instance for tasks chosen for a type: of the cheapest type of all that holds
// them.
func (p *Planner) open(plan []Planned, typ int, tasks []*Task, reuse []Running) ([]Planned, []Running) {
	u := used(tasks, p.Types[typ].Family)
	cheapest := typ
	for k := range p.Types {
		if x := &p.Types[k]; x.Full.fits(Resources{}, u) && x.USD < p.Types[cheapest].USD {
			cheapest = k
		}
	}
	if cheapest != typ {
		plan, _ = add(plan, cheapest, tasks, nil)
		return plan, reuse
	}
	return add(plan, typ, tasks, reuse)
}

// add plans an instance, the first that can be reused or a new one.
func add(plan []Planned, typ int, tasks []*Task, reuse []Running) ([]Planned, []Running) {
	x := Planned{typ, New, tasks}
	if len(reuse) > 0 {
		x.Instance, reuse = reuse[0].ID, reuse[1:]
	}
	return append(plan, x), reuse
}
