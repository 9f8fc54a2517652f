package backtest

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/sim"
)

// Options say how runs are judged. The zero value is that of the command.
type Options struct {
	Idle  []string // instance types that do not train
	Draws int      // simulations of each run; 0: DefaultDraws
	Seed  uint64
}

// DefaultDraws is how often each run is simulated.
const DefaultDraws = 400

// Compared is an observed number beside its prediction.
type Compared struct {
	Observed float64 // NaN: not recorded
	Median   float64 // of the simulations
	Low50    float64
	High50   float64
	Low90    float64
	High90   float64
	Rank     float64 // share of the simulations below what was observed
}

// Error returns the error of the prediction as a share of what was observed, NaN where that is not known.
func (c *Compared) Error() float64 { return c.Median/c.Observed - 1 }

// Judged is one run with what was predicted of it.
type Judged struct {
	Name    string
	LeftOut bool // the fit did not see it, so that it is a prediction
	Skipped string
	Finish  Compared // seconds
	USD     Compared
	Redone  Compared // steps
	Hours   [sim.Activities]Compared
	Curve   []CurvePoint
	// CurveError is the mean distance of the curves, as a share of all steps.
	CurveError float64
	Unpriced   []string // pools without a price
}

// CurvePoint is the progress by an instant.
type CurvePoint struct {
	AtS float64
	Compared
}

// Verdict is what all runs together say of the simulator.
type Verdict struct {
	Runs        []Judged
	Finish, USD Score
	Fitted      *fromruns.Fitted // to all runs
}

// Judge predicts each run from all others and compares. A single run is fitted to itself.
func Judge(ctx context.Context, runs []Observed, o Options) (*Verdict, error) {
	if o.Draws == 0 {
		o.Draws = DefaultDraws
	}
	all, err := fromruns.Fit(plain(runs, -1), o.Idle)
	if err != nil {
		return nil, err
	}
	v := &Verdict{Fitted: all, Runs: make([]Judged, len(runs))}
	errs := make([]error, len(runs))
	next := make(chan int)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(runs)) {
		group.Go(func() {
			s := &simulator{}
			for i := range next {
				v.Runs[i], errs[i] = judgeOne(s, runs, i, all, o)
			}
		})
	}
	for i := range runs {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	v.Finish, v.USD = Scores(v.Runs)
	return v, nil
}

// plain returns the runs for a fit, without one of them.
func plain(runs []Observed, without int) []fromruns.Run {
	var out []fromruns.Run
	for i := range runs {
		if i != without {
			out = append(out, runs[i].Run)
		}
	}
	return out
}

// judgeOne predicts one run.
func judgeOne(s *simulator, runs []Observed, i int, all *fromruns.Fitted, o Options) (Judged, error) {
	run := &runs[i]
	j := Judged{Name: run.Name, LeftOut: len(runs) > 1}
	if !run.Finished {
		j.Skipped = "it ended short of its goal, so that there is no finish to compare"
		return j, nil
	}
	from, to := run.Steps()
	if to <= from || len(run.Instances) == 0 {
		j.Skipped = "it has no progress, or held no instances"
		return j, nil
	}
	fitted := all
	if j.LeftOut {
		var err error
		if fitted, err = fromruns.Fit(plain(runs, i), o.Idle); err != nil {
			j.Skipped = "the other runs: " + err.Error()
			return j, nil
		}
	}
	outcomes, r, err := predict(s, fitted, run, o, uint64(i), curveAt(run))
	if err != nil {
		j.Skipped = err.Error()
		return j, nil
	}
	j.compare(run, outcomes, r)
	return j, nil
}

// predict simulates the recorded holdings of a run under the models that a fit allows.
func predict(s *simulator, f *fromruns.Fitted, run *Observed, o Options, number uint64, at []float64) ([]Outcome, *replay, error) {
	r := newReplay(run, o.Idle)
	job := fromruns.Job{Steps: r.steps, Types: r.types, Most: len(run.Instances), Losses: r.losses, Joins: r.joins, Saves: r.saves}
	out := make([]Outcome, o.Draws)
	seeds := sim.Rand{Seed: o.Seed}.Stream(sim.PurposeUser, number)
	for k := range out {
		seed := seeds.Bits(uint64(k))
		t, err := f.Draw(job, seed)
		if err == nil {
			out[k], err = s.run(r, t, seed, at)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return out, r, nil
}

// mostCurve bounds the points of a curve.
const mostCurve = 60

// curveAt returns the instants at which curves are compared: those of the record, evenly chosen.
func curveAt(run *Observed) (at []float64) {
	n := len(run.Progress)
	every := max((n+mostCurve-1)/mostCurve, 1)
	for i := every - 1; i < n; i += every {
		at = append(at, run.Progress[i].At)
	}
	return at
}

// compare fills in what was observed and what the simulations gave.
func (j *Judged) compare(run *Observed, outcomes []Outcome, r *replay) {
	from, _ := run.Steps()
	pick := func(observed float64, of func(*Outcome) float64) Compared {
		values := make([]float64, len(outcomes))
		for k := range outcomes {
			values[k] = of(&outcomes[k])
		}
		return compared(observed, values)
	}
	j.Finish = pick(run.End, func(o *Outcome) float64 { return o.FinishS })
	j.USD = pick(run.USD, func(o *Outcome) float64 { return o.USD })
	if j.Unpriced = r.unpriced; len(r.unpriced) > 0 {
		j.USD.Observed, j.USD.Rank = math.NaN(), math.NaN()
	}
	j.Redone = pick(run.Redone, func(o *Outcome) float64 { return o.Redone })
	for a := range j.Hours {
		j.Hours[a] = pick(run.Hours[a], func(o *Outcome) float64 { return o.Hours[a] })
	}
	points := map[float64]float64{}
	for _, p := range run.Progress {
		points[p.At] = p.Steps - from
	}
	off := 0.0
	at := curveAt(run)
	for i, t := range at {
		p := CurvePoint{AtS: t, Compared: pick(points[t], func(o *Outcome) float64 { return o.Steps[i] })}
		j.Curve = append(j.Curve, p)
		off += math.Abs(p.Median-p.Observed) / r.steps
	}
	j.CurveError = off / float64(max(len(at), 1))
}

// compared sorts the simulated values.
func compared(observed float64, values []float64) Compared {
	slices.Sort(values)
	c := Compared{Observed: observed, Median: quantile(values, 0.5), Low50: quantile(values, 0.25), High50: quantile(values, 0.75),
		Low90: quantile(values, 0.05), High90: quantile(values, 0.95), Rank: math.NaN()}
	if !math.IsNaN(observed) {
		below, _ := slices.BinarySearch(values, observed)
		above, _ := slices.BinarySearch(values, math.Nextafter(observed, math.Inf(1)))
		c.Rank = (float64(below) + float64(above)) / 2 / float64(len(values))
	}
	return c
}

// quantile returns a quantile of sorted values, between two of them in proportion.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) || sorted[i] == sorted[i+1] {
		return sorted[i]
	}
	return sorted[i] + (sorted[i+1]-sorted[i])*(at-float64(i))
}
