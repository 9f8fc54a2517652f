package fromruns

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/sim"
)

// Training is how a job of n steps trains, as observed runs did: a sim.Model for the pools of a market. Its progress is
// steps, and its loss the steps that are left, so that a whole job has the objective loss 0.
type Training struct {
	Boot sim.Boot // of instances, until they train (Fitted.GangStart); the market's business

	steps                 float64
	rate                  [][]float64 // by pool and number of instances that train: steps per second of one of them
	works                 []bool      // by pool: whether its instances train
	min                   int
	rollback              bool
	restart, resize, save time.Duration
}

// Job is what a Training is made for.
type Job struct {
	Steps float64  // above 0
	Types []string // instance types of the market's pools
	Max   int      // instances that may train at once
	// Losses, Joins and Saves are how many there will be, as far as is known: where each differs, the mean of n is drawn.
	Losses, Joins, Saves int
}

// Point returns the training by the best numbers: medians of speeds and starts, means of stops.
func (f *Fitted) Point(j Job) (*Training, error) {
	t, err := f.training(j, &f.speeds)
	if err != nil {
		return nil, err
	}
	t.restart, t.resize, t.save = spanOf(f.Restart.Mean()), spanOf(f.Resize.Mean()), spanOf(f.Save.Mean())
	t.Boot = bootOf(&f.GangStart)
	return t, nil
}

// Draw returns one of the trainings that the observations allow, by its seed: parameters from what is known of them, and what one run has by
// chance.
func (f *Fitted) Draw(j Job, seed uint64) (*Training, error) {
	d := newDraws(seed)
	speeds := f.speeds.draw(d)
	t, err := f.training(j, &speeds)
	if err != nil {
		return nil, err
	}
	of := func(q *Quantity, n int) time.Duration {
		x := q.draw(d)
		return spanOf(x.mean(d, n))
	}
	t.restart, t.resize, t.save = of(&f.Restart, j.Losses), of(&f.Resize, j.Joins), of(&f.Save, j.Saves)
	start := f.GangStart.draw(d)
	t.Boot = bootOf(&start)
	return t, nil
}

func spanOf(seconds float64) time.Duration {
	return time.Duration(math.Min(seconds, 1e9) * 1e9).Round(time.Microsecond)
}

func bootOf(q *Quantity) sim.Boot {
	b := sim.Boot{Median: spanOf(q.Median())}
	if b.Sigma = q.Sigma; !q.Log { // the same spread, in shares of the median
		b.Sigma = q.Sigma / max(q.Median(), 1e-6)
	}
	b.Sigma = min(b.Sigma, 2)
	return b
}

func (f *Fitted) training(j Job, s *speeds) (*Training, error) {
	if !(j.Steps > 0) || j.Max < 1 {
		panic("fromruns: a job without steps or instances")
	}
	t := &Training{steps: j.Steps, min: f.Min, rollback: f.RollsBack(), works: make([]bool, len(j.Types)), rate: make([][]float64, len(j.Types))}
	for p, kind := range j.Types {
		if slices.Contains(f.Idle, kind) {
			continue
		}
		t.works[p], t.rate[p] = true, make([]float64, j.Max+1)
		for n := 1; n <= j.Max; n++ {
			v, known := s.log(kind, n)
			if !known {
				return nil, fmt.Errorf("instance type %q: no observed run trained on it, so that its speed is not known; observed are %s", kind,
					strings.Join(s.types(), ", "))
			}
			t.rate[p][n] = math.Exp(v) / float64(n)
		}
	}
	return t, nil
}

func (s *speeds) types() (names []string) {
	for _, x := range s.rows {
		if !slices.Contains(names, x.Type) {
			names = append(names, x.Type)
		}
	}
	return names
}

// workers returns how many instances of a layout train: as many as it lays out, else all.
func (t *Training) workers(l *sim.Layout) (n int) {
	for p, k := range l.Workers {
		if t.works[p] {
			n += int(k)
		}
	}
	if l.Stages > 0 {
		if laid := int(l.Pipelines * l.Stages); laid <= n {
			return laid
		}
		return 0
	}
	return n
}

// Rate implements sim.Model.
func (t *Training) Rate(l *sim.Layout) sim.Rate {
	n := t.workers(l)
	if n < t.min || n == 0 {
		return sim.Rate{}
	}
	v, there := 0.0, 0
	for p, k := range l.Workers {
		if k > 0 && t.works[p] {
			v += float64(float64(k) * t.rate[p][min(n, len(t.rate[p])-1)])
			there += int(k)
		}
	}
	v *= float64(n) / float64(there)
	return sim.Rate{Progress: v, Iterations: v, Samples: v, Working: int32(l.Total() - there + n), Step: 1}
}

// Begin implements sim.Model.
func (*Training) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model.
func (t *Training) Goal(loss float64) float64 { return t.steps - loss }

// Loss implements sim.Model.
func (t *Training) Loss(progress float64) float64 { return t.steps - progress }

// Change implements sim.Model.
func (t *Training) Change(c *sim.Change) sim.Pause {
	switch before, after := t.workers(c.From), t.workers(c.To); {
	case (c.Lost > 0 || c.StateLost || c.Vacated) && (before != after || c.Worked > 0):
		return sim.Pause{Stall: t.restart, As: sim.Restoring, Rollback: t.rollback}
	case before != after:
		return sim.Pause{Stall: t.resize, As: sim.Reconfiguring}
	}
	return sim.Pause{}
}

// SaveTime implements sim.Model: where a loss takes nothing back and saves take no time, nothing has to be saved.
func (t *Training) SaveTime(*sim.Layout) (stall, persist time.Duration) {
	if t.rollback {
		return max(t.save, time.Microsecond), 0
	}
	return t.save, 0
}

// Option is, in a spec, a job that trains as observed runs did.
type Option struct {
	File  string  `json:"file" jsonschema:"model file of marigram backtest --model, relative to this file"`
	Steps float64 `json:"steps" above:"0" max:"1e15" jsonschema:"size of the job in steps, as the runs counted them"`
}

// Models returns the models of the file for the pools of a market, with at most n instances.
func (o *Option) Models(f *Fitted, largest int) func(types []string) (sim.Model, error) {
	return func(types []string) (sim.Model, error) {
		return f.Point(Job{Steps: o.Steps, Types: types, Max: largest})
	}
}

// BootTime returns the fitted time from the grant of an instance until it trains (GangStart), which is what a market that boots is to take;
// false where it is a default.
func (f *Fitted) BootTime() (sim.Boot, bool) { return bootOf(&f.GangStart), !f.GangStart.assumed }

// most returns the largest number of instances that the training knows.
func (t *Training) max() int {
	n := 0
	for p := range t.rate {
		n = max(n, len(t.rate[p])-1)
	}
	return n
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
	for n := 1; n <= min(instances, t.max()); n++ {
		if v := t.speed(n); v > 0 && (best == 0 || v > t.speed(best)) {
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
	n, _ := t.Best(t.max())
	return n
}

// Workers implements sim.WorkerModel. margin raises what an instance loses by being one of n.
func (t *Training) Workers(n int, margin float64, into []sim.Worker) {
	for p := range into {
		into[p] = sim.Worker{}
		if n >= 1 && n < len(t.rate[p]) && n >= t.min {
			v := t.rate[p][n]
			if lost := t.rate[p][1]/v - 1; lost > 0 {
				v /= 1 + margin*lost
			}
			into[p] = sim.Worker{Rate: v, Speed: v}
		}
	}
}

// NeedsServers implements sim.WorkerModel.
func (*Training) NeedsServers() bool { return false }

// WorkerBounds implements sim.WorkerModel: no fewer than reach the objective on the fastest type, and no more than are of use.
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
