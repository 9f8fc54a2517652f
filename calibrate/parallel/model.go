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
	// Save is for how long training stops for a save; 0 counts as a microsecond, since a SaveTime of 0 means that
	// nothing has to be saved.
	Save    time.Duration
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

	teams    []team    // by number of workers that train
	clusters []cluster // by number of instances
}

// team is a number of workers that train.
type team struct {
	batch float64   // samples of a step
	rate  []float64 // by pool: samples per second
	steps []float64 // by pool: steps per second
}

// cluster is a number of instances.
type cluster struct {
	training int     // how many of them train
	reach    float64 // samples per second of the fastest pool on so many or fewer
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
	batch := func(workers int) float64 {
		if laws[0].Scaling == Weak {
			return float64(workers) * j.Batch
		}
		return j.Batch
	}
	seconds := func(workers, pool int) float64 { return laws[pool].Step(workers) }
	m := newModel(j, len(laws), batch, seconds)
	m.laws = laws
	return m, nil
}

// NewOf returns the model for a number of pools of which a formula says how long a step of Job.Batch samples takes on
// so many workers, in seconds. Errors are those of New.
func NewOf(j Job, pools int, seconds func(workers, pool int) float64) (*Model, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	return newModel(j, pools, func(int) float64 { return j.Batch }, seconds), nil
}

// newModel returns the model of a job whose steps have batch samples, and take seconds, on workers of a pool.
func newModel(j Job, pools int, batch func(workers int) float64, seconds func(workers, pool int) float64) *Model {
	m := &Model{job: j, teams: make([]team, j.Max+1), clusters: make([]cluster, j.Max+1)}
	speeds := make([]float64, 2*pools*j.Max) // of all teams: two slices for each take many times as long
	for n := 1; n <= j.Max; n++ {
		t := team{batch: batch(n), rate: speeds[:pools:pools], steps: speeds[pools : 2*pools : 2*pools]}
		speeds = speeds[2*pools:]
		for pool := range pools {
			t.steps[pool] = 1 / seconds(n, pool)
			t.rate[pool] = t.batch / seconds(n, pool)
		}
		m.teams[n] = t

		c := m.clusters[n-1]
		if j.trains(n) && (c.training == 0 || slices.Min(t.rate) > slices.Min(m.teams[c.training].rate)) {
			c.training = n
		}
		if c.training > 0 {
			c.reach = max(c.reach, slices.Max(m.teams[c.training].rate))
		}
		m.clusters[n] = c
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
		return fmt.Errorf("restart %v, resize %v, save %v, persist %v, interval %v, expected times of at least 0",
			j.Restart, j.Resize, j.Save, j.Persist, j.Interval)
	case !slices.IsSorted(j.Sizes):
		return fmt.Errorf("sizes %v, expected them in ascending order", j.Sizes)
	case j.Sizes != nil && !slices.ContainsFunc(j.Sizes, j.allows):
		return fmt.Errorf("sizes %v, expected one from %d to %d", j.Sizes, j.Min, j.Max)
	}
	return nil
}

func (j *Job) allows(workers int) bool { return workers >= j.Min && workers <= j.Max }

// trains reports whether the job trains on exactly so many workers. It is asked for each layout, and replica groups
// have as many sizes as groups: hence the binary search.
func (j *Job) trains(workers int) bool {
	if !j.allows(workers) {
		return false
	}
	if j.Sizes == nil {
		return true
	}
	_, found := slices.BinarySearch(j.Sizes, workers)
	return found
}

// fastest returns how many of so many instances train.
func (m *Model) fastest(instances int) int {
	return m.clusters[min(max(instances, 0), m.job.Max)].training
}

// working returns how many instances of a layout train: as many as it lays out,
// or, where it lays out none, as many as are fastest.
func (m *Model) working(l *sim.Layout) int {
	have := l.Total()
	if l.Stages == 0 {
		return m.fastest(have)
	}
	workers := int(l.Pipelines)
	if l.Stages == 1 && workers <= have && m.job.trains(workers) {
		return workers
	}
	return 0
}

// Rate implements sim.Model.
func (m *Model) Rate(l *sim.Layout) sim.Rate {
	workers := m.working(l)
	if workers == 0 {
		return sim.Rate{}
	}
	t := &m.teams[workers]
	slowest := math.Inf(1)
	for pool, count := range l.Workers {
		if count > 0 {
			slowest = min(slowest, t.rate[pool])
		}
	}
	return sim.Rate{
		Progress:   slowest,
		Iterations: slowest / t.batch,
		Samples:    slowest,
		Working:    int32(workers),
		Step:       t.batch,
	}
}

// Begin implements sim.Model.
func (m *Model) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model.
func (m *Model) Goal(loss float64) float64 { return m.job.Samples - loss }

// Loss implements sim.Model.
func (m *Model) Loss(progress float64) float64 { return m.job.Samples - progress }

// Change implements sim.Model. The loss of a worker stops all others, and they go
// on from the last save, and so does a job of which no worker stayed, since each held
// the state; a change of their number stops them for Resize, or is such a restart where the policy wants one.
func (m *Model) Change(c *sim.Change) sim.Pause {
	lost := len(c.LostPlaces) > 0
	if c.Grid.Stage == 0 { // nobody had a place
		lost = c.Lost > 0
	}
	was := int(c.Worked)
	is := m.working(c.To)
	switch {
	case lost || c.StateLost || c.Vacated || c.Restart && was > 0 && was != is:
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
	if workers := m.fastest(instances); workers > 0 {
		return workers, 1
	}
	return 0, 0
}

// MaxUseful implements sim.PipelineModel.
func (m *Model) MaxUseful() int { return m.fastest(m.job.Max) }

// WaitsForSlowest implements policyutil.SlowestModel.
func (m *Model) WaitsForSlowest(self sim.Model) bool { return self == sim.Model(m) }
