package parallel

import (
	"math"
	"sort"

	"github.com/marigram/marigram/sim"
)

// Workers implements sim.WorkerModel: of a cluster of one type, an n-th of its
// speed. margin raises the time of communication.
func (m *Model) Workers(n int, margin float64, into []sim.Worker) {
	training := m.fastest(n)
	if training == 0 {
		clear(into)
		return
	}
	t := &m.teams[training]
	share := float64(training) / float64(n)
	for pool := range into {
		steps := t.steps[pool]
		if margin != 0 && m.laws != nil {
			steps = 1 / m.laws[pool].step(training, margin)
		}
		into[pool] = sim.Worker{Rate: steps * share, Speed: t.batch * steps / float64(n)}
	}
}

// NeedsServers implements sim.WorkerModel: workers exchange gradients among themselves.
func (*Model) NeedsServers() bool { return false }

// WorkerBounds implements sim.WorkerModel: no fewer workers than reach the
// objective on the fastest type, and no more than are of use.
func (m *Model) WorkerBounds(from, to, seconds float64) (lo, hi int) {
	hi = m.MaxUseful()
	need := m.left(from, to) / seconds
	lo = 1 + sort.Search(hi, func(i int) bool { return m.clusters[i+1].reach >= need })
	return lo, hi
}

// left returns the samples between two losses; a loss of +Inf is the start.
func (m *Model) left(from, to float64) float64 {
	if math.IsInf(from, 1) {
		from = m.job.Samples
	}
	return max(from-to, 0)
}

// Estimate implements sim.WorkerModel: every worker is as fast as the slowest.
func (m *Model) Estimate(t sim.Tally, from, to float64) sim.Estimate {
	training := m.fastest(t.N)
	speed := float64(float64(t.N) * t.Min)
	if training == 0 || speed == 0 {
		return sim.Estimate{Iterations: math.Inf(1), Seconds: math.Inf(1)}
	}
	left := m.left(from, to)
	batch := m.teams[training].batch
	return sim.Estimate{Iterations: left / batch, Seconds: left / speed, Batch: batch}
}
