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
