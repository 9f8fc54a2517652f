package policyutil

import (
	"math"
	"time"

	"github.com/marigram/marigram/sim"
)

// priorMTBF is the mean time between losses that is assumed before any is seen.
const priorMTBF = 24 * time.Hour

// minInterval keeps saves that take no time from being made all the time.
const minInterval = time.Minute

// Young returns the interval of work between saves sqrt(2 C M) for saves that take
// C and a mean time M between losses, in one unit (J. W. Young, "A first order
// approximation to the optimum checkpoint interval", CACM 1974).
func Young(save, mtbf float64) float64 { return math.Sqrt(2 * save * mtbf) }

// LossSaver saves the jobs of policies that plan clusters, not saves: at Young's interval, or at that of the model
// where it has one, and before announced losses. Where the loss of a worker takes nothing back, and the model has no
// interval, it does nothing. It is for jobs whose saves take time (JobView.SaveTime), which callers check first: most
// decisions are on jobs that have nothing to save, with a parameter server. The zero value is ready.
type LossSaver struct {
	// AtMost is the longest interval between saves, for a policy that expects losses before it sees any; 0: no limit.
	AtMost time.Duration

	loss Loss
}

// Save asks for a save of job j when it is time.
func (s *LossSaver) Save(v sim.View, j int, plan *sim.Plan) {
	if s.saves(v.Job(j)) {
		KeepSaved(v, j, s.interval(v, j), true, plan)
	}
}

// SaveUnwarned is Save for a policy that does not see notices.
func (s *LossSaver) SaveUnwarned(v sim.View, j int, plan *sim.Plan) {
	if v.Job(j).SaveTime() > 0 && s.saves(v.Job(j)) {
		KeepSaved(v, j, s.interval(v, j), false, plan)
	}
}

// SaveOnDemand asks for a save of job j, which trains on demand, when it is time, where machines on demand fail:
// elsewhere nothing is lost there.
func (s *LossSaver) SaveOnDemand(v sim.View, j int, plan *sim.Plan) {
	if v.Job(j).SaveTime() > 0 && failsOnDemand(v) {
		s.Save(v, j, plan)
	}
}

// failsOnDemand reports whether machines of any pool on demand fail, or are replaced as they are slow.
func failsOnDemand(v sim.View) bool {
	for p := range v.Pools() {
		x := v.Pool(p)
		replaced := x.Slow != nil && x.Slow.Do != sim.SlowKeep
		if x.OnDemand && (x.Failures != nil || replaced) {
			return true
		}
	}
	return false
}

// Spares returns for how many seconds Save asks for nothing unless an event comes; 0 if it may now.
func (s *LossSaver) Spares(v sim.View, j int) float64 {
	job := v.Job(j)
	switch {
	case !s.saves(job):
		return math.Inf(1)
	case job.Leaving() != sim.Never || UntilSavable(v, job, minInterval) > 0:
		return 0
	}
	// The interval grows as time without losses does.
	return job.LastSave().Add(s.interval(v, j)).Sub(v.Now()).Seconds()
}

// Longer returns how many times as long training on a layout takes with the saves that Tend asks for.
func (s *LossSaver) Longer(v sim.View, j int, layout *sim.Layout) float64 {
	job := v.Job(j)
	rollsBack := job.SaveTime() > 0 && s.loss.Of(job.Model(), layout).Rollback
	if !rollsBack && IntervalOf(job) == 0 {
		return 1
	}
	return 1 + job.SaveTime().Seconds()/s.interval(v, j).Seconds()
}

// saves reports whether job j is saved: a loss takes something back, or its model has an interval.
func (s *LossSaver) saves(job sim.JobView) bool {
	return s.loss.Of(job.Model(), job.Layout()).Rollback || IntervalOf(job) > 0
}

// Tend lays job j out on what is ready, if it is a pipeline, and asks for a save when it is time.
func (s *LossSaver) Tend(v sim.View, j int, plan *sim.Plan) {
	job := v.Job(j)
	model, pipelined := job.Model().(sim.PipelineModel)
	if _, workers := job.Model().(sim.WorkerModel); workers || !pipelined {
		if job.SaveTime() > 0 {
			s.Save(v, j, plan)
		}
		return
	}
	Reconfigure(v, j, 0, plan)
	if model.Rate(job.Layout()).Progress > 0 {
		KeepSaved(v, j, s.interval(v, j), true, plan)
	}
}

// interval is the time between the saves of job j.
func (s *LossSaver) interval(v sim.View, j int) time.Duration {
	every := SaveInterval(v, j)
	if s.AtMost > 0 {
		every = min(every, s.AtMost)
	}
	return every
}

// SaveInterval is the time between the saves of job j that a LossSaver without AtMost asks for.
func SaveInterval(v sim.View, j int) time.Duration {
	if every := IntervalOf(v.Job(j)); every > 0 {
		return every
	}
	return max(YoungInterval(v, j), minInterval)
}

// FirstInterval is SaveInterval at the beginning of a run: of a job with a model, saves of which take so long.
func FirstInterval(m sim.Model, save time.Duration) time.Duration {
	if every := intervalOf(m); every > 0 {
		return every
	}
	return max(youngInterval(save, priorMTBF.Seconds()), minInterval)
}

// IntervalOf returns the interval between saves that the model of a job has, 0 if it has none.
func IntervalOf(job sim.JobView) time.Duration { return intervalOf(job.Model()) }

// intervalOf returns the interval between saves that a model has, 0 if it has none.
func intervalOf(model sim.Model) time.Duration {
	if m, has := model.(interface{ SaveInterval() time.Duration }); has {
		return m.SaveInterval()
	}
	return 0
}

// YoungInterval is Young's interval between saves of job j, by the losses so far as if
// one more had happened in PriorMTBF.
func YoungInterval(v sim.View, j int) time.Duration {
	job := v.Job(j)
	mtbf := (v.Now().Sub(v.Start()) + priorMTBF).Seconds() / float64(1+job.Losses())
	return youngInterval(job.SaveTime(), mtbf)
}

// youngInterval is Young's interval for saves that take so long and a mean time between losses in seconds.
func youngInterval(save time.Duration, mtbf float64) time.Duration {
	return time.Duration(math.Round(Young(save.Seconds(), mtbf) * 1e9))
}

// Loss asks a model what the loss of a worker costs. It holds scratch memory; the zero
// value is ready.
type Loss struct {
	change sim.Change
	place  [1]sim.Place
}

// Of returns the pause that follows the loss of one instance of a layout, all of which trains, on the others
// and one that takes its place.
func (x *Loss) Of(m sim.Model, l *sim.Layout) sim.Pause {
	x.change = sim.Change{From: l, To: l, Lost: 1, Worked: int32(l.Total())}
	if l.Stages > 0 {
		x.change.LostPlaces = x.place[:]
		x.change.Grid = sim.Place{Pipeline: l.Pipelines, Stage: l.Stages}
	}
	return m.Change(&x.change)
}
