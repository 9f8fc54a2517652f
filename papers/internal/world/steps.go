package world

import (
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/sim"
)

// Steps is a sim.Model of asynchronous training with parameter servers for a
// number of steps, as in ICAC 2019 and CM-DARE. A step is one worker's update
// with one mini-batch; the workers may be of several kinds. Its progress is
// steps; its loss is the steps that are left, so that the objective loss of a
// whole job is 0.
//
// Workers come and go without a pause: none waits for another. A save stops
// all of them, as if everyone were the chief; see DEVIATIONS.md.
type Steps struct {
	Total    float64       // steps of the job, above 0
	Speeds   []float64     // by pool: steps/s of one worker alone; 0: cannot train
	Capacity ps.Capacity   // of the parameter servers
	Batch    float64       // samples of a step
	Save     time.Duration // time of a checkpoint
}

// Rate implements sim.Model.
func (m *Steps) Rate(l *sim.Layout) sim.Rate {
	sum, working := 0.0, int32(0)
	for p, n := range l.Workers {
		if m.Speeds[p] > 0 {
			sum += float64(n) * m.Speeds[p]
			working += n
		}
	}
	if working == 0 {
		return sim.Rate{}
	}
	v := m.Capacity.Speed(sum)
	return sim.Rate{Progress: v, Iterations: v, Samples: v * m.Batch, Working: working}
}

// Begin implements sim.Model: training begins with no step done.
func (m *Steps) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model.
func (m *Steps) Goal(loss float64) float64 { return m.Total - loss }

// Loss implements sim.Model.
func (m *Steps) Loss(progress float64) float64 { return m.Total - progress }

// Change implements sim.Model: changes cost nothing.
func (m *Steps) Change(*sim.Change) sim.Pause { return sim.Pause{} }

// SaveTime implements sim.Model.
func (m *Steps) SaveTime(*sim.Layout) (stall, persist time.Duration) { return m.Save, 0 }
