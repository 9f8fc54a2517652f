// Package eva plans which instances to rent for many jobs, and which task goes where: the rules of
// Eva (EuroSys 2025; uw-mad-dash/Eva at 0d735ce). A task is worth what its cheapest instance alone
// would cost (its reservation price), less what its neighbours slow it down; an instance is
// rented if its tasks are worth its price.
package eva

import (
	"slices"
)

// Planner plans with the prices of types, and with what was learned of speeds.
type Planner struct {
	Types []Type // not to be changed after the first plan
	Speed *Speeds

	cheapest map[*Task]offer
	with     []*Task // scratch
}

// offer is a type with its price.
type offer struct {
	typ int
	usd float64
}

// Cheapest returns the cheapest type that holds a task, the first of several, and its price.
func (p *Planner) Cheapest(t *Task) (typ int, usd float64) {
	known, is := p.cheapest[t]
	if !is {
		if p.cheapest == nil {
			p.cheapest = map[*Task]offer{}
		}
		known.typ, known.usd = p.search(t)
		p.cheapest[t] = known
	}
	return known.typ, known.usd
}

// search is Cheapest, whose answers are remembered.
func (p *Planner) search(t *Task) (typ int, usd float64) {
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
				p.with = append(append(p.with[:0], plan[i].Tasks...), t)
				if s := (score{p.Worth(p.with, false), isOn(t, plan[i].Instance, running), x.Full.aligned(d, u)}); s.above(best) {
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
