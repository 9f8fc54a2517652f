package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/policies/schedulers/eva"
)

// Run simulates until all jobs are done and nothing is up. It panics where a job has a task that no type of instance holds,
// and where jobs do not end because their tasks are moved again and again.
func Run(c Config) Result {
	w := &world{Config: c}
	w.result.Ends = make([]int, len(c.Jobs))
	w.planner = eva.Planner{Types: c.Types, Speed: &eva.Speeds{}, Released: true, Whole: c.Partial}
	kinds := kindsOf(c.Jobs)
	for i := range c.Jobs {
		j := &job{Job: &c.Jobs[i], id: i}
		for k := range j.Workload.Tasks {
			j.tasks = append(j.tasks, &task{job: j, Task: eva.Task{ID: len(w.tasks), Demand: j.Workload.Demand, Tasks: j.Workload.Tasks, Kind: kinds[j.Workload] + k}})
			w.tasks = append(w.tasks, j.tasks[k])
			if typ, _ := w.planner.Cheapest(&j.tasks[k].Task); typ < 0 {
				panic(fmt.Sprintf("eva: job %d (%s): no type of instance holds one of its tasks", i, j.Workload.Name))
			}
		}
		w.coming = append(w.coming, j)
	}
	slices.SortStableFunc(w.coming, func(a, b *job) int { return a.Arrival - b.Arrival })
	w.to = make([]*instance, len(w.tasks))
	for last := w.longest(); !w.finished(); w.now++ {
		if w.now > last {
			panic(fmt.Sprintf("eva: not all jobs end within %d s: tasks are moved for ever", last))
		}
		w.tick()
		w.train(w.quiet())
	}
	w.result.Full = w.full
	return w.result
}

// longest is a tick by which all jobs have long ended: they take a tenth of the speed that they have alone, one after another, and a day more.
func (w *world) longest() int {
	sum, last := 0.0, 0
	for i := range w.Jobs {
		sum += w.Jobs[i].Iterations / w.Jobs[i].Workload.Speed
		last = max(last, w.Jobs[i].Arrival)
	}
	return last + 86_400 + int(10*sum)
}

// kindsOf numbers the tasks of the workloads in the order of their names, in which Eva multiplies what it has learned.
func kindsOf(jobs []Job) map[*Workload]int {
	var all []*Workload
	for i := range jobs {
		if !slices.Contains(all, jobs[i].Workload) {
			all = append(all, jobs[i].Workload)
		}
	}
	slices.SortFunc(all, func(a, b *Workload) int { return strings.Compare(a.Name, b.Name) })
	first, next := map[*Workload]int{}, 0
	for _, k := range all {
		first[k] = next
		next += k.Tasks
	}
	return first
}

// quiet returns how many ticks follow in which nothing can happen but that jobs train.
func (w *world) quiet() int {
	next := w.now - w.now%every + every
	for i := range w.events {
		next = min(next, w.events[i].at)
	}
	if len(w.coming) > 0 {
		next = min(next, w.coming[0].Arrival)
	}
	return next - w.now - 1
}

// train lets the active jobs train for some ticks, or until one has done its iterations: added up one by
// one, as in a tick.
func (w *world) train(ticks int) {
	w.busy = w.busy[:0]
	for _, j := range w.jobs {
		if j.active {
			w.busy = append(w.busy, j)
		}
	}
	for ticks > 0 {
		n := ticks
		for _, j := range w.busy {
			if j.iterations >= j.Iterations {
				return
			}
			n = min(n, j.short())
		}
		for _, j := range w.busy {
			x, speed := j.iterations, j.speed
			for range n {
				x += speed
			}
			j.iterations = x
		}
		w.now += n
		ticks -= n
	}
}

// short returns a number of ticks, at least one, after all but the last of which a job has more to do.
func (j *job) short() int {
	left := (j.Iterations - j.iterations) / j.speed
	return int(max(1, min(left*(1-1e-9)-1, 1e9)))
}

// finished reports whether all jobs are done and no instance is up.
func (w *world) finished() bool {
	return len(w.coming) == 0 && w.up == 0 && !slices.ContainsFunc(w.jobs, func(j *job) bool { return !j.done })
}

// tick is one second.
func (w *world) tick() {
	w.happened = false
	w.due()
	w.arrive()
	if w.now%every == 0 {
		w.decide()
		w.happened = true
	}
	for _, j := range w.jobs {
		if !j.done && j.iterations >= j.Iterations {
			w.complete(j)
		}
	}
	w.jobs = slices.DeleteFunc(w.jobs, func(j *job) bool { return j.done && !j.haunts() })
	if w.happened {
		w.issue()
		w.setSpeeds()
	}
	for _, j := range w.jobs {
		if j.active {
			j.iterations += j.speed
		}
	}
}

// arrive adds the jobs whose time has come.
func (w *world) arrive() {
	for len(w.coming) > 0 && w.coming[0].Arrival <= w.now {
		at, _ := slices.BinarySearchFunc(w.jobs, w.coming[0].id, func(j *job, id int) int { return j.id - id })
		w.jobs = slices.Insert(w.jobs, at, w.coming[0])
		w.coming, w.happened = w.coming[1:], true
	}
}

// due does what is due at this tick, in order of creation.
func (w *world) due() {
	for i := 0; i < len(w.events); {
		if w.events[i].at > w.now {
			i++
			continue
		}
		do := w.events[i].do
		w.events = slices.Delete(w.events, i, i+1)
		do()
		w.happened = true
	}
}
