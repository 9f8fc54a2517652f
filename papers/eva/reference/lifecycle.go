package reference

import (
	"slices"

	"github.com/marigram/marigram/policies/schedulers/eva"
)

// order rents an instance.
func (w *world) order(typ int) *instance {
	x := &instance{id: len(w.instances), typ: typ, images: map[string]bool{}}
	w.instances, w.usable = append(w.instances, x), append(w.usable, x)
	w.up++
	w.result.Instances = append(w.result.Instances, Instance{Type: typ})
	s := w.Starts[typ]
	w.after(s.Instantiate, func() {
		x.up = w.now
		w.result.Instances[x.id].Up = w.now
		w.after(s.Boot, func() { x.running = true })
	})
	return x
}

// complete ends a job that has done its iterations.
func (w *world) complete(j *job) {
	j.done, j.active, w.happened = true, false, true
	w.result.Ends[j.id] = w.now
	for _, t := range j.tasks {
		if t.state != launched {
			continue
		}
		t.state = over
		w.after(gone, func() { w.leave(t) })
	}
}

// haunts reports whether a task of a job that is done stays on its instance.
func (j *job) haunts() bool {
	return slices.ContainsFunc(j.tasks, func(t *task) bool { return t.state == killing })
}

// leave takes a task off its instance.
func (w *world) leave(t *task) {
	if t.on != nil {
		t.on.tasks = slices.DeleteFunc(t.on.tasks, func(o *task) bool { return o == t })
		t.on = nil
	}
}

// issue does the commands that can be done, in their order.
func (w *world) issue() {
	w.commands = slices.DeleteFunc(w.commands, func(c *command) bool {
		switch {
		case c.dropped:
		case c.launch != nil:
			return w.launch(c)
		case c.kill != nil:
			w.kill(c.kill)
		case len(c.to.tasks) > 0 || !c.to.running:
			return false
		default:
			x := c.to
			w.after(gone, func() {
				x.ended = true
				w.up--
				w.result.Instances[x.id].Down = w.now
			})
		}
		return true
	})
}

// launch begins to launch a task, if that can be.
func (w *world) launch(c *command) bool {
	t, x := c.launch, c.to
	if t.job.done {
		return t.state != killing
	}
	if !x.running || t.state != queued {
		return false
	}
	for _, o := range t.job.tasks {
		if o.state == killing || o.state == uploading {
			return false
		}
	}
	typ := &w.Types[x.typ]
	var used eva.Resources
	for _, o := range x.tasks {
		used = used.Plus(o.Demand[x.typ])
	}
	if !typ.Full.Fits(used, t.Demand[x.typ]) {
		return false
	}
	t.state, t.on, t.job.began = launching, x, true
	x.tasks = append(x.tasks, t)
	k := t.job.Workload
	seconds := k.Fetch
	built := 0
	if !x.images[k.Name] {
		built = k.Build
	}
	w.after(seconds+built, func() {
		x.images[k.Name] = true
		t.state = launched
		w.saw(t, k.Fetch, built, 0)
		w.activate(t.job)
	})
	return true
}

// activate lets a job run when all its tasks are launched and it has started.
func (w *world) activate(j *job) {
	for _, t := range j.tasks {
		if t.state != launched {
			return
		}
	}
	j.activation++
	n := j.activation
	w.after(j.Workload.Init, func() {
		if j.activation == n && !j.done {
			j.active = true
		}
	})
}

// kill begins to take a task off its instance.
func (w *world) kill(t *task) {
	t.state = killing
	w.after(t.job.Workload.Kill, func() {
		if t.job.done {
			w.after(gone, func() {
				w.leave(t)
				t.state = over
			})
			return
		}
		t.job.active = false
		t.job.activation++
		t.state = uploading
		upload := t.job.Workload.Upload
		w.after(upload, func() {
			w.leave(t)
			t.state = queued
			w.saw(t, 0, 0, upload)
		})
	})
}

// end ends an instance when it is empty.
func (w *world) end(x *instance) {
	x.ending = true
	w.usable = slices.DeleteFunc(w.usable, func(o *instance) bool { return o == x })
	w.commands = append(w.commands, &command{to: x})
}

// send launches a task on an instance when that can be.
func (w *world) send(t *task, x *instance) {
	t.to = x
	w.commands = append(w.commands, &command{launch: t, to: x})
}
