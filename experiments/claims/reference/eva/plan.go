package eva

import (
	"slices"

	"github.com/marigram/marigram/policies/cluster/eva"
)

// unfinished returns the jobs that have come and are not done, and those of them whose tasks can
// be planned anew: they wait, or have been launched, whether they have begun to run or not.
func (w *world) unfinished() (all, movable []*job) {
	for _, j := range w.jobs {
		if !j.arrived || j.done {
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

// there returns the instances that may be used.
func (w *world) there() []eva.Running {
	var out []eva.Running
	for _, x := range w.instances {
		if x.ending {
			continue
		}
		r := eva.Running{ID: x.id, Type: x.typ}
		for _, t := range x.planned {
			if !t.job.done {
				r.Tasks = append(r.Tasks, &t.Task)
			}
		}
		out = append(out, r)
	}
	return out
}

// fixed is the plan of the tasks that cannot be moved.
func (w *world) fixed(movable []*job) []eva.Planned {
	return w.staying(func(r *eva.Running) []*eva.Task {
		return slices.DeleteFunc(slices.Clone(r.Tasks), func(t *eva.Task) bool { return slices.Contains(movable, w.tasks[t.ID].job) })
	})
}

// staying is a plan of instances with some of their tasks, without those that have none.
func (w *world) staying(tasks func(*eva.Running) []*eva.Task) []eva.Planned {
	var plan []eva.Planned
	for _, r := range w.there() {
		if list := tasks(&r); len(list) > 0 {
			plan = append(plan, eva.Planned{Type: r.Type, Instance: r.ID, Tasks: list})
		}
	}
	return plan
}

// whole plans all movable tasks anew.
func (w *world) whole(fixed []eva.Planned, movable []*job) []eva.Planned {
	var tasks []*eva.Task
	for _, j := range movable {
		tasks = append(tasks, tasksOf(j.tasks)...)
	}
	plan := slices.Clone(fixed)
	rest := w.planner.PackIn(plan, tasks, w.there())
	return w.planner.TopDown(plan, rest, w.there())
}

// partial plans the tasks that have no instance, and those of instances that are not worth
// their price.
func (w *world) partial(movable []*job) []eva.Planned {
	var candidates []*eva.Task
	for _, j := range movable {
		for _, t := range j.tasks {
			if t.to == nil {
				candidates = append(candidates, &t.Task)
			}
		}
	}
	plan := w.staying(func(r *eva.Running) []*eva.Task {
		pinned := slices.ContainsFunc(r.Tasks, func(t *eva.Task) bool { return !slices.Contains(movable, w.tasks[t.ID].job) })
		if !pinned && !w.pays(r) {
			candidates = append(candidates, r.Tasks...)
			return nil
		}
		return slices.Clone(r.Tasks)
	})
	rest := w.planner.PackIn(plan, candidates, w.there())
	return w.planner.TopDown(plan, rest, w.there())
}

// pays reports whether the tasks of an instance are worth its price, or are one whose cheapest
// type it is.
func (w *world) pays(r *eva.Running) bool {
	if len(r.Tasks) == 1 {
		if cheapest, _ := w.planner.Cheapest(r.Tasks[0]); cheapest == r.Type {
			return true
		}
	}
	return w.planner.Worth(r.Tasks, false) >= w.Types[r.Type].USD
}
