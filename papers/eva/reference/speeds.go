package reference

import (
	"slices"

	"github.com/marigram/marigram/policies/schedulers/eva"
)

// setSpeeds sets the speeds of the jobs by who is beside them.
func (w *world) setSpeeds() {
	for _, j := range w.jobs {
		if !j.launched() {
			continue
		}
		relative := 1.0
		for _, t := range j.tasks {
			relative = min(relative, w.relative(t))
		}
		j.speed = relative * j.Workload.Speed
	}
}

// launched reports whether all tasks of a job are.
func (j *job) launched() bool {
	return !slices.ContainsFunc(j.tasks, func(t *task) bool { return t.state != launched && t.state != killing })
}

// relative is the speed of a task beside the others that are launched on its instance.
func (w *world) relative(t *task) float64 {
	r := 1.0
	for _, o := range t.on.tasks {
		if o != t && (o.state == launched || o.state == killing) {
			r *= w.Together(t.job.Workload, o.job.Workload)
		}
	}
	return r
}

// saw notes how long a task took to move.
func (w *world) saw(t *task, fetch, build, upload int) {
	for len(w.moving) <= t.Kind {
		w.moving = append(w.moving, moved{})
	}
	m := &w.moving[t.Kind]
	m.fetch, m.build, m.upload = max(m.fetch, fetch), max(m.build, build), max(m.upload, upload)
}

// learn notes the speeds that are seen.
func (w *world) learn() {
	seen := map[*task]eva.Seen{}
	for _, x := range w.usable {
		if len(x.tasks) == 0 || slices.ContainsFunc(x.tasks, func(t *task) bool { return !t.job.launched() }) {
			continue
		}
		list := tasksOf(x.tasks)
		for _, t := range x.tasks {
			s := eva.Seen{Of: &t.Task, With: list, Speed: t.job.speed / t.job.Workload.Speed}
			if len(t.job.tasks) == 1 {
				w.planner.Speed.Learn([]eva.Seen{s})
				continue
			}
			seen[t] = s
		}
	}
	for _, j := range w.jobs {
		var all []eva.Seen
		for _, t := range j.tasks {
			if s, ok := seen[t]; ok {
				all = append(all, s)
			}
		}
		if len(all) == len(j.tasks) {
			w.planner.Speed.Learn(all)
		}
	}
}
