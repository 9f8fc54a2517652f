package spotdnn

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// ClusterSearch searches for a cluster for a job, from what a policy sees of it.
type ClusterSearch struct {
	Window     Window
	task       Task
	free, have []int
	usd        []float64
}

// Reset returns the task for job j, with nothing free and nothing held: the caller
// fills these in. Margin is the over-prediction of contention.
func (s *ClusterSearch) Reset(v sim.View, j int, margin float64) *Task {
	pools := v.Pools()
	s.free = policyutil.Resize(s.free, pools)
	s.have = policyutil.Resize(s.have, pools)
	s.usd = policyutil.Resize(s.usd, pools)
	clear(s.free)
	clear(s.have)
	for p := range pools {
		s.usd[p] = v.Price(p)
	}
	job := v.Job(j)
	model, ok := job.Model().(sim.WorkerModel)
	if !ok {
		panic("spotdnn: the job's model is no sim.WorkerModel: workers cannot be planned one by one")
	}
	s.task = Task{
		Model:   model,
		From:    job.Loss(),
		To:      job.Objective().Loss,
		Margin:  margin,
		Seconds: job.Deadline().Sub(v.Now()).Seconds(),
		Free:    s.free,
		Have:    s.have,
		USD:     s.usd,
	}
	return &s.task
}

// ExpectedBoot returns the longest mean boot time of the pools with free instances.
func (s *ClusterSearch) ExpectedBoot(v sim.View) time.Duration {
	longest := time.Duration(0)
	for p, free := range s.free {
		if free > 0 {
			longest = max(longest, v.Pool(p).Boot.Mean())
		}
	}
	return longest
}

// ExplainSearch has the search report its candidates, if a recorder listens.
func ExplainSearch(v sim.View, task *Task, plan *sim.Plan) {
	plan.AddInput("time for training", task.Seconds, "s")
	if !plan.Recorded() {
		return
	}
	task.Consider = func(c Choice) {
		note := fmt.Sprintf("%d workers, ends after %.0f s", c.Workers, c.Seconds)
		if c.Seconds > task.Seconds {
			note += fmt.Sprintf(", %.0f s late", c.Seconds-task.Seconds)
		}
		name := policyutil.ClusterName(v, c.Counts)
		plan.AddCandidate(sim.Candidate{Name: name, Score: c.USD, Unit: "USD", Note: note})
	}
}
