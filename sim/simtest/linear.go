// Package simtest tests what plugs into package sim: Suite is what every policy has to
// pass, and Linear, Jobs and Market are plain models, jobs and traces.
package simtest

import (
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

// Linear is a model whose progress is seconds of one worker's work: n workers
// make n*PerWorker a second. Its loss at progress x is 1/(1+x).
type Linear struct {
	PerWorker float64       // progress per worker and second
	Min       int           // workers below which nothing moves
	Max       int           // workers that can take part; 0 means all
	Redundant float64       // share of the time spent on replicated computation
	Stall     time.Duration // restoring after a loss of workers
	Reshape   time.Duration // reconfiguring after workers joined
	Rollback  bool          // a loss of workers falls back to the last save
	Save      time.Duration
	Served    int   // workers that one parameter server can serve; 0 needs no server
	Chief     Chief // what the loss of the chief does
	// Ahead is the progress at which training set up for one worker starts; for n
	// workers it is the nth part.
	Ahead float64
}

// Chief is what the loss of the chief does to a Linear job.
type Chief uint8

// What the loss of the chief can do.
const (
	ChiefHandsOver Chief = iota // nothing beyond the loss of a worker
	ChiefRollsBack              // progress falls back to the last save
	ChiefIsMaster               // the job is lost
)

// LossAt returns the loss at progress x, so that jobs can be given work to do.
func LossAt(x float64) float64 { return 1 / (1 + x) }

// Rate implements sim.Model.
func (m Linear) Rate(layout *sim.Layout) sim.Rate {
	n := layout.Total()
	if layout.Stages > 0 {
		if working := int(layout.Pipelines*layout.Stages - layout.Holes); working <= n {
			n = working
		} else {
			n = 0
		}
	}
	if m.Max > 0 {
		n = min(n, m.Max)
	}
	if m.Served > 0 {
		n = min(n, m.Served*int(layout.Servers))
	}
	if n < m.Min || n == 0 {
		return sim.Rate{}
	}
	rate := m.PerWorker * float64(n)
	return sim.Rate{Progress: rate, Iterations: rate, Samples: rate, Working: int32(n), Redundant: m.Redundant}
}

// Begin implements sim.Model.
func (m Linear) Begin(layout *sim.Layout) float64 { return m.at(math.Inf(1), layout.Total()) }

// Goal implements sim.Model.
func (m Linear) Goal(loss float64) float64 {
	if loss <= 0 {
		return math.Inf(1)
	}
	return 1/loss - 1
}

// Loss implements sim.Model.
func (m Linear) Loss(progress float64) float64 { return LossAt(progress) }

// Change implements sim.Model.
func (m Linear) Change(change *sim.Change) sim.Pause {
	switch {
	case change.ChiefLost && m.Chief == ChiefIsMaster:
		return sim.Pause{Fatal: true}
	case change.Unserved && m.Served > 0:
		return sim.Pause{Stall: m.Stall, As: sim.Restoring, Rollback: true}
	case change.Lost > 0:
		rollback := m.Rollback || change.ChiefLost && m.Chief == ChiefRollsBack
		return sim.Pause{Stall: m.Stall, As: sim.Restoring, Rollback: rollback}
	case change.To.Servers != change.From.Servers, change.To.Total() > change.From.Total():
		return sim.Pause{Stall: m.Reshape, As: sim.Reconfiguring}
	}
	return sim.Pause{}
}

// SaveTime implements sim.Model.
func (m Linear) SaveTime(*sim.Layout) (stall, persist time.Duration) { return m.Save, 0 }

// Best implements sim.PipelineModel: pipelines of two stages, as many as there
// can be.
func (m Linear) Best(instances int) (pipelines, stages int) {
	if instances < 2 {
		return 0, 0
	}
	return instances / 2, 2
}

// MaxUseful implements sim.PipelineModel.
func (m Linear) MaxUseful() int { return 6 }

// Workers implements sim.WorkerModel: a worker makes PerWorker mini-batches of one
// sample a second, whatever the others do.
func (m Linear) Workers(_ int, _ float64, into []sim.Worker) {
	for i := range into {
		into[i] = sim.Worker{Rate: m.PerWorker, Speed: m.PerWorker}
	}
}

// NeedsServers implements sim.WorkerModel.
func (Linear) NeedsServers() bool { return false }

// WorkerBounds implements sim.WorkerModel.
func (m Linear) WorkerBounds(from, to, seconds float64) (lo, hi int) {
	need := m.Goal(to) - m.at(from, 1)
	return max(int(min(math.Ceil(need/(m.PerWorker*seconds)), 1e6)), 1), 1e6
}

// Estimate implements sim.WorkerModel.
func (m Linear) Estimate(t sim.Tally, from, to float64) sim.Estimate {
	need := max(m.Goal(to)-m.at(from, t.N), 0)
	return sim.Estimate{Iterations: need, Seconds: need / t.Speed, Batch: 1}
}

// at returns the progress at a loss; +Inf is the start on n workers.
func (m Linear) at(loss float64, n int) float64 {
	if math.IsInf(loss, 1) {
		return m.Ahead / float64(max(n, 1))
	}
	return m.Goal(loss)
}
