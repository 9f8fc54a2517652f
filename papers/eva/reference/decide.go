package reference

import (
	"slices"

	"github.com/marigram/marigram/policies/schedulers/eva"
)

// decide plans, and gives the commands.
func (w *world) decide() {
	if !w.Pack {
		w.separate()
		return
	}
	w.learn()
	w.listUsable()
	unfinished, movable := w.unfinished()
	w.notice(unfinished)
	plan := fixed(unfinished, movable)
	if len(movable) > 0 {
		plan = w.better(plan, movable)
	}
	w.last = movable
	w.follow(plan)
}

// better returns the better plan of two: that moves few tasks, and of all of them anew.
func (w *world) better(fixed []eva.Planned, movable []*job) []eva.Planned {
	part := w.partial(fixed, movable)
	if w.Partial {
		return part
	}
	whole, d := w.whole(fixed, movable), w.horizon()
	if w.value(whole, d) > w.value(part, d) {
		w.full++
		return whole
	}
	return part
}

// separate rents an instance for every task, and ends those of jobs that are done.
func (w *world) separate() {
	for _, x := range slices.Clone(w.usable) {
		if !w.used(x) {
			w.end(x)
		}
	}
	for _, j := range w.jobs {
		for _, t := range j.tasks {
			if !j.done && t.to == nil {
				typ, _ := w.planner.Cheapest(&t.Task)
				w.send(t, w.order(typ))
			}
		}
	}
}

// used reports whether a task that is not done is planned to be on an instance.
func (w *world) used(x *instance) bool {
	return slices.ContainsFunc(w.jobs, func(j *job) bool {
		return !j.done && slices.ContainsFunc(j.tasks, func(t *task) bool { return t.to == x })
	})
}

// follow gives the commands that lead to a plan.
func (w *world) follow(plan []eva.Planned) {
	for _, x := range slices.Clone(w.usable) {
		if !slices.ContainsFunc(plan, func(p eva.Planned) bool { return p.Instance == x.id }) {
			w.end(x)
		}
	}
	to := w.to
	clear(to)
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
