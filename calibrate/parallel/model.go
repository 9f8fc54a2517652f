package parallel

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Job says what is trained and what changes cost.
type Job struct {
	Samples float64 // of the whole job, above 0
	Batch   float64 // samples: of a step in strong scaling, of a worker in weak scaling; above 0
	// Sizes are the numbers of workers on which the job trains, ascending; other
	// instances are spares. Nil: any number from Least to Most.
	Sizes    []int
	Min, Max int // at least 1

	Restart time.Duration // from the loss of a worker until training goes on from the last save
	Resize  time.Duration // to go on with more or fewer workers where nothing was lost
	Save    time.Duration // training stops for a save; 0 counts as a microsecond, since a SaveTime of 0 means that nothing has to be saved
	Persist time.Duration // then until the save is safe, while training goes on
	// Interval is the time between saves under policies that plan none themselves; 0: Young's, by the losses so far.
	Interval time.Duration
}

// Model is a sim.Model of data-parallel training. It is a sim.PipelineModel with
// pipelines of one stage, and a sim.WorkerModel. On workers of several types the
// slowest sets the pace, since each has the same share of the batch, as in PyTorch DDP.
type Model struct {
	job  Job
	laws []Law // by pool; nil of replica groups
	// by number of workers that train and pool: samples and steps per second
	rate, steps [][]float64
	batch       []float64 // by number of workers that train: samples of a step

	best  []int32   // by number of instances: how many of them train
	reach []float64 // by number of instances: samples per second of the fastest pool on so many or fewer; ascending
}

// New returns the model for a market's pools: laws[i] is that of the i-th. It
// panics without a law. Errors name the field and what was expected.
func New(j Job, laws []Law) (*Model, error) {
	if len(laws) == 0 {
		panic("parallel: New without a law")
	}
	if err := j.check(); err != nil {
		return nil, err
	}
	m := newModel(j, len(laws), func(n, p int) float64 { return laws[p].step(n, 0) }, func(n int) float64 {
		if laws[0].Scaling == Weak {
			return float64(n) * j.Batch
		}
		return j.Batch
	})
	m.laws = laws
	return m, nil
}

// newModel returns the model of a job that takes step seconds for a step of batch samples on n workers of a pool.
func newModel(j Job, pools int, step func(n, p int) float64, batch func(n int) float64) *Model {
	m := &Model{job: j, best: make([]int32, j.Max+1), rate: make([][]float64, j.Max+1), steps: make([][]float64, j.Max+1), batch: make([]float64, j.Max+1),
		reach: make([]float64, j.Max+1)}
	for n := 1; n <= j.Max; n++ {
		m.rate[n], m.steps[n], m.batch[n] = make([]float64, pools), make([]float64, pools), batch(n)
		for p := range pools {
			m.steps[n][p] = 1 / step(n, p)
			m.rate[n][p] = m.batch[n] / step(n, p)
		}
		m.best[n] = m.best[n-1]
		if j.trains(n) && (m.best[n] == 0 || slices.Min(m.rate[n]) > slices.Min(m.rate[m.best[n]])) {
			m.best[n] = int32(n)
		}
		m.reach[n] = m.reach[n-1]
		if k := m.best[n]; k > 0 {
			m.reach[n] = max(m.reach[n], slices.Max(m.rate[k]))
		}
	}
	return m
}

func (j *Job) check() error {
	switch {
	case !(j.Samples > 0) || math.IsInf(j.Samples, 0):
		return fmt.Errorf("%v samples, expected more than 0", j.Samples)
	case !(j.Batch > 0) || math.IsInf(j.Batch, 0):
		return fmt.Errorf("a batch of %v samples, expected more than 0", j.Batch)
	case j.Min < 1 || j.Max < j.Min || j.Max > maxWorkers:
		return fmt.Errorf("%d to %d workers, expected from 1 to %d, the least first", j.Min, j.Max, maxWorkers)
	case j.Restart < 0 || j.Resize < 0 || j.Save < 0 || j.Persist < 0 || j.Interval < 0:
		return fmt.Errorf("restart %v, resize %v, save %v, persist %v, interval %v, expected times of at least 0", j.Restart, j.Resize, j.Save, j.Persist, j.Interval)
	case !slices.IsSorted(j.Sizes):
		return fmt.Errorf("sizes %v, expected them in ascending order", j.Sizes)
	case j.Sizes != nil && !slices.ContainsFunc(j.Sizes, func(n int) bool { return n >= j.Min && n <= j.Max }):
		return fmt.Errorf("sizes %v, expected one from %d to %d", j.Sizes, j.Min, j.Max)
	}
	return nil
}

// trains reports whether the job trains on exactly n workers.
func (j *Job) trains(n int) bool {
	if n < j.Min || n > j.Max {
		return false
	}
	if j.Sizes == nil {
		return true
	}
	_, found := slices.BinarySearch(j.Sizes, n) // replica groups have as many sizes as groups, and this is asked for each layout
	return found
}

// samplesPerStep returns the batch of a step of n workers.
func (m *Model) samplesPerStep(n int) float64 { return m.batch[n] }

// fastest returns how many of n instances train.
func (m *Model) fastest(n int) int { return int(m.best[min(max(n, 0), m.job.Max)]) }

// working returns how many instances of a layout train: as many as it lays out,
// or, where it lays out none, as many as are fastest.
func (m *Model) working(l *sim.Layout) int {
	have := l.Total()
	if l.Stages == 0 {
		return m.fastest(have)
	}
	if n := int(l.Pipelines); l.Stages == 1 && n <= have && m.job.trains(n) {
		return n
	}
	return 0
}

// Rate implements sim.Model.
func (m *Model) Rate(l *sim.Layout) sim.Rate {
	n := m.working(l)
	if n == 0 {
		return sim.Rate{}
	}
	slowest := math.Inf(1)
	for p, k := range l.Workers {
		if k > 0 {
			slowest = min(slowest, m.rate[n][p])
		}
	}
	batch := m.samplesPerStep(n)
	return sim.Rate{Progress: slowest, Iterations: slowest / batch, Samples: slowest, Working: int32(n), Step: batch}
}

// Begin implements sim.Model.
func (m *Model) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model.
func (m *Model) Goal(loss float64) float64 { return m.job.Samples - loss }

// Loss implements sim.Model.
func (m *Model) Loss(progress float64) float64 { return m.job.Samples - progress }

// Change implements sim.Model. The loss of a worker stops all others, and they go
// on from the last save, and so does a job of which no worker stayed, since each held
// the state; a change of their number stops them for Resize.
func (m *Model) Change(c *sim.Change) sim.Pause {
	lost := len(c.LostPlaces) > 0
	if c.Grid.Stage == 0 { // nobody had a place
		lost = c.Lost > 0
	}
	was, is := int(c.Worked), m.working(c.To)
	switch {
	case lost || c.StateLost || c.Vacated:
		return sim.Pause{Stall: m.job.Restart, As: sim.Restoring, Rollback: true}
	case was > 0 && was != is:
		return sim.Pause{Stall: m.job.Resize, As: sim.Reconfiguring}
	}
	return sim.Pause{}
}

// SaveTime implements sim.Model.
func (m *Model) SaveTime(*sim.Layout) (stall, persist time.Duration) {
	return max(m.job.Save, time.Microsecond), m.job.Persist
}

// SaveInterval returns Job.Interval.
func (m *Model) SaveInterval() time.Duration { return m.job.Interval }

// Best implements sim.PipelineModel: pipelines of one stage. Where there are
// several types it takes all instances for the slowest.
func (m *Model) Best(instances int) (pipelines, stages int) {
	if n := m.fastest(instances); n > 0 {
		return n, 1
	}
	return 0, 0
}

// MaxUseful implements sim.PipelineModel.
func (m *Model) MaxUseful() int { return m.fastest(m.job.Max) }

// WaitsForSlowest implements policyutil.SlowestModel.
func (m *Model) WaitsForSlowest(self sim.Model) bool { return self == sim.Model(m) }
