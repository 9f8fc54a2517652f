package reference

import (
	"slices"

	"github.com/marigram/marigram/policies/schedulers/eva"
)

// unfinished returns the jobs that have come and are not done, and those of them whose tasks can
// be planned anew: they wait, or have been launched, whether they have begun to run or not.
func (w *world) unfinished() (all, movable []*job) {
	for _, j := range w.jobs {
		if j.done {
			continue
		}
		all = append(all, j)
		waits := !slices.ContainsFunc(j.tasks, func(t *task) bool { return t.state != queued })
		moving := slices.ContainsFunc(w.commands, func(c *command) bool { return c.kill != nil && c.kill.job == j })
		if j.launched() && !moving || waits && !j.began {
			movable = append(movable, j)
		}
	}
	return all, movable
}

// listUsable lists the instances that may be used, and who is to be there.
func (w *world) listUsable() {
	n := len(w.usable)
	w.running = slices.Grow(w.running[:0], n)[:n]
	for k, x := range w.usable {
		r := &w.running[k]
		r.ID, r.Type, r.Tasks = x.id, x.typ, r.Tasks[:0]
		for _, t := range x.planned {
			if !t.job.done {
				r.Tasks = append(r.Tasks, &t.Task)
			}
		}
	}
}

// fixed is the plan of the tasks that cannot be moved.
func fixed(unfinished, movable []*job) (plan []eva.Planned) {
	for _, j := range unfinished {
		if !slices.Contains(movable, j) {
			for _, t := range j.tasks {
				plan = stay(plan, t)
			}
		}
	}
	return plan
}

// stay plans a task where it was to be.
func stay(plan []eva.Planned, t *task) []eva.Planned {
	at := slices.IndexFunc(plan, func(p eva.Planned) bool { return p.Instance == t.to.id })
	if at < 0 {
		at = len(plan)
		plan = append(plan, eva.Planned{Type: t.to.typ, Instance: t.to.id})
	}
	plan[at].Tasks = append(slices.Clip(plan[at].Tasks), &t.Task)
	return plan
}

// whole plans all movable tasks anew.
func (w *world) whole(fixed []eva.Planned, movable []*job) []eva.Planned {
	var tasks []*eva.Task
	for _, j := range movable {
		tasks = append(tasks, tasksOf(j.tasks)...)
	}
	plan := slices.Clone(fixed)
	rest := w.planner.PackIn(plan, tasks, w.running)
	return w.planner.TopDown(plan, rest, w.running)
}

// partial plans the tasks that have no instance, and those of instances that are not worth
// their price. The others stay, in the order of their jobs.
func (w *world) partial(fixed []eva.Planned, movable []*job) []eva.Planned {
	var candidates []*eva.Task
	for _, j := range movable {
		for _, t := range j.tasks {
			if t.to == nil {
				candidates = append(candidates, &t.Task)
			}
		}
	}
	for k := range w.running {
		r := &w.running[k]
		pinned := slices.ContainsFunc(fixed, func(x eva.Planned) bool { return x.Instance == r.ID })
		if !pinned && !w.pays(r) {
			candidates = append(candidates, r.Tasks...)
		}
	}
	plan := slices.Clone(fixed)
	for _, j := range movable {
		for _, t := range j.tasks {
			if !slices.Contains(candidates, &t.Task) {
				plan = stay(plan, t)
			}
		}
	}
	rest := w.planner.PackIn(plan, candidates, w.running)
	return w.planner.TopDown(plan, rest, w.running)
}

// pays reports whether the tasks of an instance are worth its price, or are one whose cheapest
// type it is.
func (w *world) pays(r *eva.Running) bool {
	if len(r.Tasks) == 1 {
		if cheapest, _ := w.planner.Cheapest(r.Tasks[0]); cheapest == r.Type {
			return true
		}
	}
	return w.planner.Value(r.Tasks, w.Partial) >= w.Types[r.Type].USD
}
