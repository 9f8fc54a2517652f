// Package eva plans which instances to rent for many jobs, and which task goes where: the rules of
// Eva (EuroSys 2025; uw-mad-dash/Eva at 0d735ce). A task is worth what its cheapest instance alone
// would cost (its reservation price), less what its neighbours slow it down; an instance is
// rented if its tasks are worth its price.
package eva

import (
	"cmp"
	"slices"
)

// Resources are GPUs, CPU cores and GB of memory.
type Resources [3]float64

// Type is a type of instance. The order of types decides ties.
type Type struct {
	Name, Family string
	Full         Resources
	USD          float64 // per hour
}

// Task is a part of a job that runs on one instance. A job has one task or several, which run at
// the speed of the slowest.
type Task struct {
	ID     int                  // unique
	Name   string               // by which speeds are learned
	Demand map[string]Resources // by family of instances; a family that is missing does not run it
	Tasks  int                  // of its job
}

// Planned is an instance with its tasks.
type Planned struct {
	Type     int
	Instance int // that is there already, New for another
	Tasks    []*Task
}

// New is Planned.Instance of one that is to be rented.
const New = -1

// Running is an instance that is there.
type Running struct {
	ID, Type int
	Tasks    []*Task // that are assigned to it
}

// Planner plans with the prices of types, and with what was learned of speeds.
type Planner struct {
	Types []Type
	Speed *Speeds
}

// fits reports whether resources and more of them are no more than what an instance has.
func (full Resources) fits(used, more Resources) bool {
	for i := range full {
		if used[i]+more[i] > full[i] {
			return false
		}
	}
	return true
}

func (used Resources) plus(more Resources) Resources {
	for i := range used {
		used[i] += more[i]
	}
	return used
}

// Cheapest returns the cheapest type that holds a task, the first of several, and its price.
func (p *Planner) Cheapest(t *Task) (typ int, usd float64) {
	typ = -1
	for k := range p.Types {
		x := &p.Types[k]
		if d, runs := t.Demand[x.Family]; runs && x.Full.fits(Resources{}, d) && (typ < 0 || x.USD < usd) {
			typ, usd = k, x.USD
		}
	}
	return typ, usd
}

// Worth is what tasks on one instance are worth together, USD per hour; whole lowers that of
// tasks whose job has several, as one that is slowed slows all of them.
func (p *Planner) Worth(tasks []*Task, whole bool) float64 {
	sum := 0.0
	for i, t := range tasks {
		rate := p.Speed.rate(tasks, i)
		if whole {
			rate = max(0, 1-(1-rate)*float64(t.Tasks))
		}
		_, usd := p.Cheapest(t)
		sum += usd * rate
	}
	return sum
}

// score is what assignments are compared by.
type score struct {
	worth   float64
	there   bool // the task is on this instance already
	aligned float64
}

// above reports whether a is the better one; equal ones are not.
func (a score) above(b score) bool {
	switch {
	case a.worth != b.worth:
		return a.worth > b.worth
	case a.there != b.there:
		return a.there
	}
	return a.aligned > b.aligned
}

// nothing is the score that any assignment has to beat.
var nothing = score{worth: -1, aligned: -1}

// aligned is how well a demand suits what is left of an instance.
func (full Resources) aligned(demand, used Resources) float64 {
	sum := 0.0
	for i := range full {
		if full[i] > 0 {
			sum += demand[i] / full[i] * ((full[i] - used[i]) / full[i])
		}
	}
	return sum
}

// used is what tasks take of an instance of a family.
func used(tasks []*Task, family string) Resources {
	var sum Resources
	for _, t := range tasks {
		sum = sum.plus(t.Demand[family])
	}
	return sum
}

// without removes tasks from a list.
func without(list, tasks []*Task) []*Task {
	return slices.DeleteFunc(slices.Clone(list), func(t *Task) bool { return slices.Contains(tasks, t) })
}

// PackIn puts tasks into planned instances while any fits, and returns the rest.
func (p *Planner) PackIn(plan []Planned, tasks []*Task, running []Running) (rest []*Task) {
	rest = tasks
	for {
		best, task, at := nothing, (*Task)(nil), -1
		for _, t := range rest {
			for i := range plan {
				x := &p.Types[plan[i].Type]
				d, runs := t.Demand[x.Family]
				u := used(plan[i].Tasks, x.Family)
				if !runs || !x.Full.fits(u, d) {
					continue
				}
				with := append(slices.Clip(plan[i].Tasks), t)
				if s := (score{p.Worth(with, false), isOn(t, plan[i].Instance, running), x.Full.aligned(d, u)}); s.above(best) {
					best, task, at = s, t, i
				}
			}
		}
		if task == nil {
			return rest
		}
		plan[at].Tasks = append(slices.Clip(plan[at].Tasks), task)
		rest = without(rest, []*Task{task})
	}
}

// isOn reports whether a task is assigned to an instance.
func isOn(t *Task, instance int, running []Running) bool {
	k := slices.IndexFunc(running, func(r Running) bool { return r.ID == instance })
	return k >= 0 && slices.Contains(running[k].Tasks, t)
}

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
	var chosen []*Task
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
			if s := (score{p.Worth(append(slices.Clip(chosen), t), true), there, x.Full.aligned(d, u)}); s.above(best) {
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
