package fromruns

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// mostInstances returns the largest number of instances that the training knows.
func (t *Training) mostInstances() int {
	most := 0
	for p := range t.rate {
		most = max(most, len(t.rate[p])-1)
	}
	return most
}

// speed returns the steps per second of n instances of the fastest pool.
func (t *Training) speed(n int) (v float64) {
	for p := range t.rate {
		if n < len(t.rate[p]) && n >= t.min {
			v = math.Max(v, float64(n)*t.rate[p][n])
		}
	}
	return v
}

// Best implements sim.PipelineModel: pipelines of one stage. It takes the number of instances that trains fastest.
func (t *Training) Best(instances int) (pipelines, stages int) {
	best := 0
	for n := 1; n <= min(instances, t.mostInstances()); n++ {
		speed := t.speed(n)
		if speed > 0 && (best == 0 || speed > t.speed(best)) {
			best = n
		}
	}
	if best == 0 {
		return 0, 0
	}
	return best, 1
}

// MaxUseful implements sim.PipelineModel.
func (t *Training) MaxUseful() int {
	n, _ := t.Best(t.mostInstances())
	return n
}

// Workers implements sim.WorkerModel. margin raises what an instance loses by being one of n.
func (t *Training) Workers(n int, margin float64, into []sim.Worker) {
	for p := range into {
		into[p] = sim.Worker{}
		if n >= 1 && n < len(t.rate[p]) && n >= t.min {
			rate := t.rate[p][n]
			if lost := t.rate[p][1]/rate - 1; lost > 0 {
				rate /= 1 + margin*lost
			}
			into[p] = sim.Worker{Rate: rate, Speed: rate}
		}
	}
}

// NeedsServers implements sim.WorkerModel.
func (*Training) NeedsServers() bool { return false }

// WorkerBounds implements sim.WorkerModel: no fewer than reach the objective on the fastest type, and no more than
// are of use.
func (t *Training) WorkerBounds(from, to, seconds float64) (lo, hi int) {
	hi = t.MaxUseful()
	for n := 1; n <= hi; n++ {
		if t.speed(n)*seconds >= t.left(from, to) && t.speed(n) > 0 {
			return n, hi
		}
	}
	return hi + 1, hi
}

// left returns the steps between two losses; a loss of +Inf is the start.
func (t *Training) left(from, to float64) float64 {
	if math.IsInf(from, 1) {
		from = t.steps
	}
	return max(from-to, 0)
}

// Estimate implements sim.WorkerModel: instances add up.
func (t *Training) Estimate(x sim.Tally, from, to float64) sim.Estimate {
	if x.N < t.min || x.Speed <= 0 {
		return sim.Estimate{Iterations: math.Inf(1), Seconds: math.Inf(1)}
	}
	left := t.left(from, to)
	return sim.Estimate{Iterations: left, Seconds: left / x.Speed, Batch: 1}
}
