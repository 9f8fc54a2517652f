package kit

import (
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

// PriorMTBF is the mean time between losses that is assumed before any is seen.
const PriorMTBF = 24 * time.Hour

// leastInterval keeps saves that take no time from being made all the time.
const leastInterval = time.Minute

// Young returns the interval of work between saves sqrt(2 C M) for saves that take
// C and a mean time M between losses, in one unit (J. W. Young, "A first order
// approximation to the optimum checkpoint interval", CACM 1974).
func Young(save, mtbf float64) float64 { return math.Sqrt(2 * save * mtbf) }

// LossSaver saves the jobs of policies that plan clusters, not saves: at Young's
// interval, and before announced losses. Where the loss of a worker takes nothing
// back, as with a parameter server, it does nothing. The zero value is ready.
type LossSaver struct {
	loss  sim.Change // scratch memory, as is the next
	place [1]sim.Place
}

// Save asks for a save of job j when it is time.
func (s *LossSaver) Save(v sim.View, j int, plan *sim.Plan) {
	job := v.Job(j)
	if !s.losesWork(job) {
		return
	}
	mtbf := (v.Now().Sub(v.Start()) + PriorMTBF).Seconds() / float64(1+job.Losses())
	interval := Young(job.Model().SaveTime(job.Layout()).Seconds(), mtbf)
	Save(v, j, max(time.Duration(math.Round(interval*1e9)), leastInterval), true, plan)
}

// losesWork reports whether a job goes back to its last save when it loses a
// worker.
func (s *LossSaver) losesWork(job sim.JobView) bool {
	l := job.Layout()
	s.loss = sim.Change{From: l, To: l, Lost: 1}
	if l.Stages > 0 {
		s.loss.LostPlaces, s.loss.Grid = s.place[:], sim.Place{Pipeline: l.Pipelines, Stage: l.Stages}
	}
	return job.Model().Change(&s.loss).Rollback
}
