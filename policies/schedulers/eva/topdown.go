package eva

import (
	"cmp"
	"slices"
)

// TopDown adds instances to a plan until every task has one: the most expensive types first, each as
// full as pays its price.
func (p *Planner) TopDown(plan []Planned, tasks []*Task, running []Running) []Planned {
	if len(p.order) != len(p.Types) {
		p.sortTypes()
	}
	spare := unplanned(plan, running)
	for _, k := range p.order {
		if len(tasks) == 0 {
			break
		}
		reuse := reusable(spare, k)
		for (len(reuse) > 0 || p.Types[k].Free != 0) && p.mayPay(k, tasks) {
			chosen := p.fill(k, tasks, reuse)
			if !p.paysFor(k, chosen) {
				break
			}
			chosen = slices.Clone(chosen)
			tasks = without(tasks, chosen)
			plan, reuse = p.open(plan, k, chosen, reuse)
		}
		for _, t := range tasks {
			if cheapest, _ := p.Cheapest(t); cheapest == k && (len(reuse) > 0 || p.Types[k].Free != 0) {
				tasks = without(tasks, []*Task{t})
				plan, reuse = p.add(plan, k, []*Task{t}, reuse)
			}
		}
	}
	return p.fallBack(plan, tasks, running)
}

// sortTypes puts the most expensive types first.
func (p *Planner) sortTypes() {
	p.order = p.order[:0]
	for k := range p.Types {
		p.order = append(p.order, k)
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return cmp.Compare(p.Types[b].USD, p.Types[a].USD) })
}

// mayPay reports whether an instance of a type could pay its price: if none of the tasks slowed another, which they never
// make up for. A millionth is left for what sums round.
func (p *Planner) mayPay(typ int, tasks []*Task) bool {
	sum := 0.0
	for _, t := range tasks {
		if d, runs := t.on(typ); runs && p.Types[typ].Full.Fits(Resources{}, d) {
			_, usd := p.Cheapest(t)
			sum += usd
		}
	}
	return sum > 0 && sum*(1+1e-6) >= p.Types[typ].USD
}

// fallBack plans tasks for which no more of their cheapest type can be rented.
func (p *Planner) fallBack(plan []Planned, tasks []*Task, running []Running) []Planned {
	full := func(t *Task) bool {
		k, _ := p.Cheapest(t)
		return k >= 0 && p.Types[k].Free == 0
	}
	if slices.ContainsFunc(tasks, full) {
		p.Reset()
		return p.TopDown(plan, tasks, running)
	}
	return plan
}

// unplanned returns the instances that are not in a plan.
func unplanned(plan []Planned, running []Running) (list []Running) {
	for _, r := range running {
		if !slices.ContainsFunc(plan, func(x Planned) bool { return x.Instance == r.ID }) {
			list = append(list, r)
		}
	}
	return list
}

// reusable returns the instances of a type, those with most tasks first.
func reusable(spare []Running, typ int) (list []Running) {
	for _, r := range spare {
		if r.Type == typ {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b Running) int { return len(b.Tasks) - len(a.Tasks) })
	return list
}

// fill chooses tasks for an instance of a type, the next that could be reused or a new one. They are kept until the next call.
func (p *Planner) fill(typ int, tasks []*Task, reuse []Running) []*Task {
	x := &p.Types[typ]
	chosen := slices.Grow(p.chosen[:0], len(tasks)+1) // with capacity for one that is tried
	taken := append(p.taken[:0], make([]bool, len(tasks))...)
	p.chosen, p.taken = chosen, taken
	var u Resources
	last := listed{}
	for {
		best, task, list := nothing, -1, listed{}
		for k, t := range tasks {
			d, runs := t.on(typ)
			if taken[k] || !runs || !x.Full.Fits(u, d) {
				continue
			}
			with := p.valueWith(last.list, chosen, t, true)
			if with.value < best.value {
				continue
			}
			there := len(reuse) > 0 && slices.Contains(reuse[0].Tasks, t)
			if s := (score{with.value, there, aligned(x.Full, d, u)}); s.above(best) {
				best, task, list = s, k, with
			}
		}
		if task < 0 || best.value < last.value {
			return chosen
		}
		taken[task] = true
		chosen, last = append(chosen, tasks[task]), list
		u = u.Plus(tasks[task].Demand[typ])
	}
}

// paysFor reports whether the value of tasks is at least the price of an instance of a type.
func (p *Planner) paysFor(typ int, tasks []*Task) bool {
	if len(tasks) == 0 {
		return false
	}
	if len(tasks) == 1 {
		if cheapest, _ := p.Cheapest(tasks[0]); cheapest == typ {
			return true
		}
	}
	return p.Types[typ].USD <= p.Value(tasks, true)
}

// open plans an instance for tasks chosen for a type: of the cheapest type of all that holds
// them.
func (p *Planner) open(plan []Planned, typ int, tasks []*Task, reuse []Running) ([]Planned, []Running) {
	u := used(tasks, typ)
	cheapest := typ
	for k := range p.Types {
		if x := &p.Types[k]; x.Free != 0 && x.USD < p.Types[cheapest].USD && p.holds(k, tasks, u) {
			cheapest = k
		}
	}
	if cheapest != typ {
		plan, _ = p.add(plan, cheapest, tasks, nil)
		return plan, reuse
	}
	return p.add(plan, typ, tasks, reuse)
}

// holds reports whether a type holds tasks, which need u of another one. As released, it is taken to be as much of this.
func (p *Planner) holds(typ int, tasks []*Task, u Resources) bool {
	if !p.Released {
		if slices.ContainsFunc(tasks, func(t *Task) bool { return t.Demand[typ] == Nowhere }) {
			return false
		}
		u = used(tasks, typ)
	}
	return p.Types[typ].Full.Fits(Resources{}, u)
}

// add plans an instance, the first that can be reused or a new one.
func (p *Planner) add(plan []Planned, typ int, tasks []*Task, reuse []Running) ([]Planned, []Running) {
	x := Planned{typ, New, tasks}
	if len(reuse) > 0 {
		x.Instance, reuse = reuse[0].ID, reuse[1:]
	} else if p.Types[typ].Free > 0 {
		p.Types[typ].Free--
	}
	return append(plan, x), reuse
}
