// Package eva has policies that rent instances for many jobs, several of which may share one: Eva (EuroSys 2025;
// uw-mad-dash/Eva at 0d735ce) and its baseline, an instance for each task. The Planner says which instances to rent, and
// which task goes where: the value of a task is its reservation price, which is what its cheapest instance alone
// would cost, less what its co-located tasks slow it down; an instance is rented if the value of its tasks is its price.
package eva

import "slices"

// Planner plans with the prices of types, and with what was learned of speeds.
type Planner struct {
	Types []Type // Reset is to be called where one is changed
	Speed *Speeds
	// Released keeps a slip of Eva's simulator (DEVIATIONS.md): whether a cheaper type holds tasks is asked with what they need
	// of another.
	Released bool
	// Whole lowers the value of tasks in PackIn too, where their jobs have several.
	Whole bool

	cheapest []offer   // by kind
	order    []int     // of the types by price, the most expensive first
	values   [2]values // of tasks of whose jobs each is weighed alone, and whole
	with     []*Task   // scratch
	chosen   []*Task
	taken    []bool
}

// offer is a type with its price.
type offer struct {
	known bool
	typ   int
	usd   float64
}

// Reset forgets which type is the cheapest of a task: types have changed.
func (p *Planner) Reset() {
	p.cheapest, p.order = p.cheapest[:0], p.order[:0]
	for k := range p.values {
		p.values[k].forget()
	}
}

// Cheapest returns the cheapest type that holds a task, the first of several, and its price; -1 where none does.
func (p *Planner) Cheapest(t *Task) (typ int, usd float64) {
	for len(p.cheapest) <= t.Kind {
		p.cheapest = append(p.cheapest, offer{})
	}
	x := &p.cheapest[t.Kind]
	if !x.known {
		*x = offer{known: true, typ: -1}
		for k := range p.Types {
			if d, runs := t.on(k); runs && p.Types[k].Free != 0 && p.Types[k].Full.Fits(Resources{}, d) && (x.typ < 0 || p.Types[k].USD < x.usd) {
				x.typ, x.usd = k, p.Types[k].USD
			}
		}
	}
	return x.typ, x.usd
}

// Value is the value of the tasks on one instance together, USD per hour; whole lowers that of
// tasks whose job has several, as one that is slowed slows all of them.
func (p *Planner) Value(tasks []*Task, whole bool) float64 {
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
	value   float64
	there   bool // the task is on this instance already
	aligned float64
}

// above reports whether a is the better one; equal ones are not.
func (a score) above(b score) bool {
	switch {
	case a.value != b.value:
		return a.value > b.value
	case a.there != b.there:
		return a.there
	}
	return a.aligned > b.aligned
}

// nothing is the score that any assignment has to beat.
var nothing = score{value: -1, aligned: -1}

// without removes tasks from a list.
func without(list, tasks []*Task) []*Task {
	return slices.DeleteFunc(slices.Clone(list), func(t *Task) bool { return slices.Contains(tasks, t) })
}

// PackIn puts tasks into planned instances while any fits, and returns the rest.
func (p *Planner) PackIn(plan []Planned, tasks []*Task, running []Running) (rest []*Task) {
	rest = tasks
	tried := make([]trial, len(plan))
	for {
		best, task, at := nothing, -1, -1
		for k, t := range rest {
			for i := range plan {
				x := p.try(&tried[i], &plan[i], t)
				if !x.fits {
					continue
				}
				if s := (score{x.value, false, x.aligned}); s.value > best.value || s.value == best.value {
					s.there = isOn(t, plan[i].Instance, running)
					if s.above(best) {
						best, task, at = s, k, i
					}
				}
			}
		}
		if task < 0 {
			return rest
		}
		plan[at].Tasks = append(slices.Clip(plan[at].Tasks), rest[task])
		rest = slices.Delete(slices.Clone(rest), task, task+1)
		tried[at] = trial{}
	}
}

// trial is what tasks of each kind would be in an instance.
type trial struct{ kinds []tried }

type tried struct {
	known, fits    bool
	value, aligned float64
}

// try says what a task would be in an instance.
func (p *Planner) try(of *trial, in *Planned, t *Task) *tried {
	for len(of.kinds) <= t.Kind {
		of.kinds = append(of.kinds, tried{})
	}
	x := &of.kinds[t.Kind]
	if x.known {
		return x
	}
	x.known = true
	d, runs := t.on(in.Type)
	u, full := used(in.Tasks, in.Type), p.Types[in.Type].Full
	if x.fits = runs && full.Fits(u, d); x.fits {
		p.with = append(append(p.with[:0], in.Tasks...), t)
		x.value, x.aligned = p.Value(p.with, p.Whole), aligned(full, d, u)
	}
	return x
}

// isOn reports whether a task is assigned to an instance.
func isOn(t *Task, instance int, running []Running) bool {
	k := slices.IndexFunc(running, func(r Running) bool { return r.ID == instance })
	return k >= 0 && slices.Contains(running[k].Tasks, t)
}

// valueWith returns what a task has as its value together with others, whose list it is told. with has capacity for one more.
func (p *Planner) valueWith(list int32, with []*Task, t *Task, whole bool) listed {
	w := &p.values[0]
	if whole {
		w = &p.values[1]
	}
	if w.next == nil {
		w.next = map[step]listed{}
	}
	if n := p.Speed.changes(); n != w.learned {
		w.forget()
		w.learned = n
	}
	at := step{list, int32(t.Kind)}
	x, known := w.next[at]
	if !known {
		w.lists++
		x = listed{w.lists, p.Value(append(with, t), whole)}
		w.next[at] = x
	}
	return x
}
