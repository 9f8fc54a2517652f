package eva

import (
	"slices"

	"github.com/marigram/marigram/policies/cluster/eva"
)

// decide plans, and gives the commands.
func (w *world) decide() {
	if !w.Pack {
		w.separate()
		return
	}
	w.learn()
	unfinished, movable := w.unfinished()
	w.notice(unfinished)
	fixed := w.fixed(movable)
	plan := w.whole(fixed, movable)
	if len(movable) == 0 {
		w.last = movable
		w.follow(fixed)
		return
	}
	part := w.partial(movable)
	d := w.horizon()
	if !w.Partial && w.value(plan, movable, d) > w.value(part, movable, d) {
		w.full++
	} else {
		plan = part
	}
	w.last = movable
	w.follow(plan)
}

// separate rents an instance for every task, and ends those of jobs that are done.
func (w *world) separate() {
	for _, x := range w.instances {
		if !x.ending && !w.used(x) {
			w.end(x)
		}
	}
	for _, j := range w.jobs {
		for _, t := range j.tasks {
			if j.arrived && !j.done && t.to == nil {
				typ, _ := w.planner.Cheapest(&t.Task)
				w.send(t, w.order(typ))
			}
		}
	}
}

// used reports whether a task that is not done is planned to be on an instance.
func (w *world) used(x *instance) bool {
	return slices.ContainsFunc(w.tasks, func(t *task) bool { return !t.job.done && t.to == x })
}

// follow gives the commands that lead to a plan.
func (w *world) follow(plan []eva.Planned) {
	for _, x := range w.instances {
		planned := slices.ContainsFunc(plan, func(p eva.Planned) bool { return p.Instance == x.id })
		if !x.ending && !planned {
			w.end(x)
		}
	}
	to := make([]*instance, len(w.tasks))
	for _, p := range plan {
		var x *instance
		if p.Instance == eva.New {
			x = w.order(p.Type)
		} else {
			x = w.instances[p.Instance]
		}
		x.planned = x.planned[:0]
		for _, t := range p.Tasks {
			to[t.ID] = x
			x.planned = append(x.planned, w.tasks[t.ID])
		}
	}
	for _, j := range w.jobs {
		w.move(j, to)
	}
}

// move kills and launches a job of which a task is to be elsewhere.
func (w *world) move(j *job, to []*instance) {
	if j.done || !slices.ContainsFunc(j.tasks, func(t *task) bool { return to[t.ID] != nil && to[t.ID] != t.to }) {
		return
	}
	for _, c := range w.commands {
		if c.launch != nil && c.launch.job == j {
			c.dropped = true
		}
	}
	for _, t := range j.tasks {
		if t.state == launched {
			w.commands = append(w.commands, &command{kill: t})
		}
	}
	for _, t := range j.tasks {
		w.send(t, to[t.ID])
	}
}
