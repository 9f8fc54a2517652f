package advise

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/sim"
)

// checkDurations refuses durations that cannot be drawn.
func (m *manyJobs) checkDurations() error {
	state := m.adviser.state
	if state.DurationsSigma == 0 {
		return nil
	}
	for j := range m.sims {
		if believedGang(&m.sims[j]) == nil {
			return state.errorAt("$.durations_sigma", "%s is of a kind whose duration cannot be drawn: expected jobs with a "+
				"number of GPUs and a duration", m.list[j].ID)
		}
	}
	return nil
}

// believedGang is what is believed of a job, nil for one of another kind.
func believedGang(job *sim.Job) *throughput.Gang {
	model := job.Belief
	if model == nil {
		model = job.Model
	}
	gang, _ := model.(*throughput.Gang)
	return gang
}

// ownDurations returns jobs whose durations can be drawn, each by the worker that has them: what is believed of them is
// a copy of its own.
func (m *manyJobs) ownDurations() []sim.Job {
	jobs := make([]sim.Job, len(m.sims))
	for j := range m.sims {
		jobs[j] = m.sims[j]
		gang := *believedGang(&m.sims[j])
		jobs[j].Belief = &gang
	}
	return jobs
}

// draw draws how long the jobs of a worker take in the k-th continuation: a factor of a lognormal law whose median is
// 1, of those by which a job takes longer than it has run. The same are drawn for each policy. Below 0 they take what
// the list says.
func (m *manyJobs) draw(jobs []sim.Job, v sim.View, k int) {
	sigma := m.adviser.state.DurationsSigma
	if sigma == 0 {
		return
	}
	rand := sim.Rand{Seed: uint64(m.adviser.spec.Seed)}
	for j := range jobs {
		total := believedGang(&m.sims[j]).Total
		if k >= 0 {
			done := 0.0
			if x := v.Job(j); x.Done() > 0 {
				done = x.Done() * m.sims[j].Model.(sim.GangModel).Work()
			}
			u := rand.Uniform(purposeDuration, sim.NameEntity(m.list[j].ID), uint64(k))
			total *= math.Exp(sigma * longerThan(math.Log(done/total)/sigma, u))
		}
		jobs[j].Belief.(*throughput.Gang).Total = total
	}
}

// farthest bounds draws of a normal law: beyond are 1e-15.
const farthest = 8

// longerThan draws from a standard normal law beyond low, by a uniform number from 0 to below 1.
func longerThan(low, u float64) float64 {
	law := distuv.UnitNormal
	beyond := law.CDF(-low) // of low = -Inf: 1
	z := -law.Quantile((1 - u) * beyond)
	return max(low, -farthest, min(z, farthest))
}
