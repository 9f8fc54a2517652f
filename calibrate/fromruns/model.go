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
	// Losses, Joins and Saves are how many there will be, as far as is known: where each differs, the mean of n is
	// drawn.
	Losses, Joins, Saves int
}

// Point returns the training by the best numbers: medians of speeds and starts, means of stops.
func (f *Fitted) Point(j Job) (*Training, error) {
	training, err := f.training(j, &f.speeds)
	if err != nil {
		return nil, err
	}
	training.restart = spanOf(f.Restart.Mean())
	training.resize = spanOf(f.Resize.Mean())
	training.save = spanOf(f.Save.Mean())
	training.Boot = bootOf(&f.GangStart)
	return training, nil
}

// Draw returns one of the trainings that the observations allow, by its seed: parameters from what is known of them,
// and what one run has by chance.
func (f *Fitted) Draw(j Job, seed uint64) (*Training, error) {
	draws := newDraws(seed)
	speeds := f.speeds.draw(draws)
	training, err := f.training(j, &speeds)
	if err != nil {
		return nil, err
	}
	of := func(q *Quantity, n int) time.Duration {
		drawn := q.draw(draws)
		return spanOf(drawn.mean(draws, n))
	}
	training.restart = of(&f.Restart, j.Losses)
	training.resize = of(&f.Resize, j.Joins)
	training.save = of(&f.Save, j.Saves)
	start := f.GangStart.draw(draws)
	training.Boot = bootOf(&start)
	return training, nil
}

func spanOf(seconds float64) time.Duration {
	return time.Duration(math.Min(seconds, 1e9) * 1e9).Round(time.Microsecond)
}

func bootOf(q *Quantity) sim.Boot {
	sigma := q.Sigma
	if !q.Log { // the same spread, in shares of the median
		sigma /= max(q.Median(), 1e-6)
	}
	return sim.Boot{Median: spanOf(q.Median()), Sigma: min(sigma, 2)}
}

func (f *Fitted) training(j Job, s *speeds) (*Training, error) {
	if !(j.Steps > 0) || j.Max < 1 {
		panic("fromruns: a job without steps or instances")
	}
	made := &Training{
		steps:    j.Steps,
		min:      f.Min,
		rollback: f.RollsBack(),
		works:    make([]bool, len(j.Types)),
		rate:     make([][]float64, len(j.Types)),
	}
	for p, kind := range j.Types {
		if slices.Contains(f.Idle, kind) {
			continue
		}
		made.works[p] = true
		made.rate[p] = make([]float64, j.Max+1)
		for n := 1; n <= j.Max; n++ {
			log, known := s.log(kind, n)
			if !known {
				return nil, fmt.Errorf("instance type %q: no observed run trained on it, "+
					"so that its speed is not known; observed are %s", kind, strings.Join(s.types(), ", "))
			}
			made.rate[p][n] = math.Exp(log) / float64(n)
		}
	}
	return made, nil
}

func (s *speeds) types() (names []string) {
	for _, row := range s.rows {
		if !slices.Contains(names, row.Type) {
			names = append(names, row.Type)
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
	steps := 0.0 // a second
	there := 0
	for p, k := range l.Workers {
		if k > 0 && t.works[p] {
			steps += float64(float64(k) * t.rate[p][min(n, len(t.rate[p])-1)])
			there += int(k)
		}
	}
	steps *= float64(n) / float64(there)
	working := int32(l.Total() - there + n)
	return sim.Rate{Progress: steps, Iterations: steps, Samples: steps, Working: working, Step: 1}
}

// Begin implements sim.Model.
func (*Training) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model.
func (t *Training) Goal(loss float64) float64 { return t.steps - loss }

// Loss implements sim.Model.
func (t *Training) Loss(progress float64) float64 { return t.steps - progress }

// Change implements sim.Model.
func (t *Training) Change(c *sim.Change) sim.Pause {
	resized := t.workers(c.From) != t.workers(c.To)
	if (c.Lost > 0 || c.StateLost || c.Vacated) && (resized || c.Worked > 0) {
		return sim.Pause{Stall: t.restart, As: sim.Restoring, Rollback: t.rollback}
	}
	if resized {
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
