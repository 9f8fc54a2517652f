package policies

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// search asks Window about a job as a policy sees it.
type search struct {
	window     Window
	task       Task
	free, have []int
	usd        []float64
}

// reset fills in the task for job j, with nothing free and nothing running.
func (s *search) reset(v sim.View, j int, margin float64) *Task {
	pools := v.Pools()
	s.free = slices.Grow(s.free[:0], pools)[:pools]
	s.have = slices.Grow(s.have[:0], pools)[:pools]
	s.usd = slices.Grow(s.usd[:0], pools)[:pools]
	clear(s.free)
	clear(s.have)
	for p := range pools {
		s.usd[p] = v.Price(p)
	}
	job := v.Job(j)
	model, ok := job.Model().(sim.WorkerModel)
	if !ok {
		panic("policies: the job's model is no sim.WorkerModel: workers cannot be planned one by one")
	}
	s.task = Task{Model: model, From: job.Loss(), To: job.Objective().Loss, Margin: margin,
		Seconds: job.Deadline().Sub(v.Now()).Seconds(), Free: s.free, Have: s.have, USD: s.usd}
	return &s.task
}

// room returns how many more instances of pool p the quota leaves to job j
// beside those that come or run, those under notice, and the other jobs' plans.
func room(v sim.View, plan *sim.Plan, j, p int) int {
	free := v.Pool(p).Quota
	for k := range v.Jobs() {
		h := v.Held(k, p)
		free -= h.Noticed
		if k == j {
			free -= h.Active()
		} else {
			free -= plan.Jobs[k].Hold[p]
		}
	}
	return max(free, 0)
}

// expectedBoot returns the longest mean time that an instance which may be
// added takes to be ready.
func (s *search) expectedBoot(v sim.View) time.Duration {
	longest := time.Duration(0)
	for p, free := range s.free {
		if free > 0 {
			longest = max(longest, v.Pool(p).Boot.Mean())
		}
	}
	return longest
}

// patient reports whether no request of job j has waited for patience, and has
// the policy asked again when one will have.
func patient(v sim.View, j int, patience time.Duration, plan *sim.Plan) bool {
	job := v.Job(j)
	if patience == 0 || job.Waiting() == 0 {
		return true
	}
	left := patience - v.Now().Sub(job.WaitingSince())
	if left > 0 {
		plan.WakeIn(left)
	}
	return left > 0
}

// overdue reports whether requests of job j have waited in pool p for patience.
func overdue(v sim.View, j, p int, patience time.Duration) bool {
	n, since := v.Waiting(j, p)
	return patience > 0 && n > 0 && v.Now().Sub(since) >= patience
}

var forever = math.Inf(1)
