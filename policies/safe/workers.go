package safe

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/internal/kit"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// workers plans clusters on demand for a model of workers.
type workers struct {
	search spotdnn.ClusterSearch
	speeds []sim.Worker
	l      sim.Layout
	sizes

	rough bool
	memo  [4]quickest
}

// quickest is the fastest cluster of n workers among the instances that are free, as it
// was found once.
type quickest struct {
	n     int
	model sim.Model
	free  []int
	tally sim.Tally
}

// sizes is what a plan for a whole job returned last, and for what: a memory, never a
// state.
type sizes struct {
	model        sim.Model
	objective    sim.Objective
	rooms        int
	sized, quick int // the number that is reckoned with, and the fastest
}

// look implements onDemand.
func (w *workers) look(v sim.View, j int, s *Safe, c *clock, plan *sim.Plan) {
	job := v.Job(j)
	c.keep = w.seconds(v, j, job.Loss(), true)
	c.held = w.seconds(v, j, c.now, false)
	task := w.task(v, j, plan)
	w.size(v, j, s.Slack, task)
	task.From = c.worst
	sized := w.sized
	if s.Size > 0 {
		sized = s.Size
	}
	c.sized = w.fastest(task, sized)
	if c.fastest = c.sized; sized != w.quick || w.rough {
		c.fastest = w.fastest(task, w.quick)
	}
}

// task is the search among the instances on demand that job j has, or may have: pools
// that keep requests waiting are left out.
func (w *workers) task(v sim.View, j int, plan *sim.Plan) *spotdnn.Task {
	task := w.search.Reset(v, j, 0)
	for p := range task.Free {
		if v.Pool(p).OnDemand {
			task.Free[p] = v.Active(j, p)
			if !kit.Overdue(v, j, p, patience) {
				task.Free[p] += kit.Headroom(v, plan, j, p)
			}
		}
	}
	return task
}

// fastest returns the seconds to the goal on the fastest n workers, or as many as there
// are.
func (w *workers) fastest(task *spotdnn.Task, n int) float64 {
	last := &w.memo[n%len(w.memo)]
	if w.rough && last.n == n && kit.SameModel(last.model, task.Model) && slices.Equal(last.free, task.Free) {
		return task.Model.Estimate(last.tally, task.From, task.To).Seconds
	}
	seconds := task.Seconds
	task.Seconds, task.Exactly = 0, n
	c := w.search.Window.Search(task)
	task.Seconds, task.Exactly = seconds, 0
	if c.Workers == 0 {
		return math.Inf(1)
	}
	if w.rough {
		w.note(last, task, c)
	}
	return c.Seconds
}

// note keeps what a search found.
func (w *workers) note(x *quickest, task *spotdnn.Task, c spotdnn.Choice) {
	x.n, x.model, x.free, x.tally = c.Workers, task.Model, append(x.free[:0], task.Free...), sim.Tally{}
	w.speeds = slices.Grow(w.speeds[:0], len(task.Free))[:len(task.Free)]
	task.Model.Workers(c.Workers, task.Margin, w.speeds)
	for p, k := range c.Counts {
		x.tally.Add(k, w.speeds[p])
	}
}

// size finds the smallest number on which the whole job leaves a share of its time, and
// the fastest; of a job that has neither, the fastest.
func (w *workers) size(v sim.View, j int, slack float64, task *spotdnn.Task) {
	job, rooms := v.Job(j), 0
	for _, free := range task.Free {
		rooms += free
	}
	if kit.SameModel(job.Model(), w.model) && job.Objective() == w.objective && rooms == w.rooms {
		return
	}
	w.sizes = sizes{model: job.Model(), objective: job.Objective(), rooms: rooms}
	from, least := task.From, math.Inf(1)
	task.From = math.Inf(1)
	for n := 1; n <= rooms && n <= w.quick+few; n++ {
		seconds := w.fastest(task, n)
		if seconds < least {
			least, w.quick = seconds, n
		}
		if w.sized == 0 && seconds <= (1-slack)*job.Objective().Within.Seconds() {
			w.sized = n
		}
	}
	task.From, w.quick = from, max(w.quick, 1)
	if w.sized == 0 {
		w.sized = w.quick
	}
}

// few is how many more workers than the fastest number are tried: the speed has one
// maximum, but for pools that are used up.
const few = 16

// seconds returns the time to the goal on what runs or comes, with spot the mean boot of
// what starts included, else on what is on demand without.
func (w *workers) seconds(v sim.View, j int, from float64, spot bool) float64 {
	job, n, boot := v.Job(j), 0, 0.0
	w.speeds = slices.Grow(w.speeds[:0], v.Pools())[:v.Pools()]
	for p := range v.Pools() {
		if !spot && !v.Pool(p).OnDemand {
			continue
		}
		n += v.Active(j, p)
		if starting := v.Held(j, p).Starting; spot && starting > 0 {
			boot += float64(starting) * v.Pool(p).Boot.Mean().Seconds()
		}
	}
	if n == 0 {
		return math.Inf(1)
	}
	m := job.Model().(sim.WorkerModel)
	m.Workers(n, 0, w.speeds)
	var tally sim.Tally
	for p := range v.Pools() {
		if spot || v.Pool(p).OnDemand {
			tally.Add(v.Active(j, p), w.speeds[p])
		}
	}
	return m.Estimate(tally, from, job.Objective().Loss).Seconds + boot/float64(n)
}

// request implements onDemand.
func (w *workers) request(v sim.View, j int, c *clock, seconds float64, plan *sim.Plan) {
	task, joins := w.task(v, j, plan), c.action() == join
	task.From, task.Seconds = c.worst, seconds
	for p := range task.Have {
		if h := v.Active(j, p); v.Pool(p).OnDemand {
			task.Have[p], task.Free[p] = h, task.Free[p]-h
		} else if joins {
			task.Have[p] = h
		}
	}
	spotdnn.ExplainSearch(v, task, plan)
	choice := w.search.Window.Search(task)
	if !choice.Feasible && joins {
		for p := range task.Have {
			if !v.Pool(p).OnDemand {
				task.Have[p] = 0
			}
		}
		choice = w.search.Window.Search(task)
	}
	copy(plan.Jobs[j].Hold, choice.Counts)
	kit.ExplainChoice(v, choice.Counts, plan)
	plan.SetReason(kit.Reason(choice.Feasible, "on demand, while it meets the deadline"))
}

// typical implements onDemand: two workers.
func (w *workers) typical(v sim.View, j int) *sim.Layout {
	onDemandLayout(&w.l, v, j, 2)
	return &w.l
}

// layout implements onDemand: all train side by side.
func (w *workers) layout(sim.View, int, int) (pipelines, stages int) { return 0, 0 }
