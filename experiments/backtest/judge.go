// Package backtest holds simulated runs beside observed ones: for each past run, what would have been predicted of it
// without knowing it.
//
// An Observed is a run with what it held, did and paid (From makes one of package ownruns' neutral form). Judge leaves
// each run out, fits a model to the others (package fromruns), replays the recorded holdings (policy recorded) under
// models that the fit allows, and compares finish, dollars, steps done again, hours by activity and the curve of
// progress. Its Verdict says how large the errors are and how often the intervals hold.
//
// ObservedTables makes the tables of a simulated run of an observed one, so that figures and programs take both.
// PublishedSets are runs that others made and published, from the tables of package facts, which name their sources.
package backtest

import (
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/internal/parallel"
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

// Judge predicts each run from all others and compares. A single run is fitted to itself.
func Judge(ctx context.Context, runs []Observed, o Options) (*Verdict, error) {
	if o.Draws == 0 {
		o.Draws = DefaultDraws
	}
	all, err := fromruns.Fit(plain(runs, -1), o.Idle)
	if err != nil {
		return nil, err
	}
	verdict := &Verdict{Fitted: all, Runs: make([]Judged, len(runs))}
	err = parallel.Each(ctx, runtime.GOMAXPROCS(0), len(runs), func(_ context.Context, numbers iter.Seq[int]) error {
		simulator := &simulator{}
		for i := range numbers {
			judged, err := judgeOne(simulator, runs, i, all, o)
			if err != nil {
				return err
			}
			verdict.Runs[i] = judged
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	verdict.Finish, verdict.USD = Scores(verdict.Runs)
	return verdict, nil
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
	judged := Judged{Name: run.Name, LeftOut: len(runs) > 1}
	if !run.Finished {
		judged.Skipped = "it ended short of its goal, so that there is no finish to compare"
		return judged, nil
	}
	from, to := run.Steps()
	if to <= from || len(run.Instances) == 0 {
		judged.Skipped = "it has no progress, or held no instances"
		return judged, nil
	}
	fitted := all
	if judged.LeftOut {
		var err error
		fitted, err = fromruns.Fit(plain(runs, i), o.Idle)
		if err != nil {
			judged.Skipped = "the other runs: " + err.Error()
			return judged, nil
		}
	}
	outcomes, replayed, err := predict(s, fitted, run, o, uint64(i), curveAt(run))
	if err != nil {
		judged.Skipped = err.Error()
		return judged, nil
	}
	judged.compare(run, outcomes, replayed)
	return judged, nil
}

// predict simulates the recorded holdings of a run under the models that a fit allows.
func predict(
	s *simulator, f *fromruns.Fitted, run *Observed, o Options, number uint64, at []float64,
) ([]Outcome, *replay, error) {
	replayed := newReplay(run, o.Idle)
	job := fromruns.Job{
		Steps:  replayed.steps,
		Types:  replayed.types,
		Max:    len(run.Instances),
		Losses: replayed.losses,
		Joins:  replayed.joins,
		Saves:  replayed.saves,
	}
	outcomes := make([]Outcome, o.Draws)
	seeds := sim.Rand{Seed: o.Seed}.Stream(sim.PurposeUser, number)
	for k := range outcomes {
		seed := seeds.Bits(uint64(k))
		training, err := f.Draw(job, seed)
		if err != nil {
			return nil, nil, err
		}
		outcomes[k], err = s.run(replayed, training, seed, at)
		if err != nil {
			return nil, nil, err
		}
	}
	return outcomes, replayed, nil
}

// maxCurve bounds the points of a curve.
const maxCurve = 60

// curveAt returns the instants at which curves are compared: those of the record, evenly chosen.
func curveAt(run *Observed) (at []float64) {
	n := len(run.Progress)
	every := max((n+maxCurve-1)/maxCurve, 1)
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
	j.Unpriced = r.unpriced
	if len(r.unpriced) > 0 {
		j.USD.Observed = math.NaN()
		j.USD.Rank = math.NaN()
	}
	j.Redone = pick(run.Redone, func(o *Outcome) float64 { return o.Redone })
	for a := range j.Hours {
		j.Hours[a] = pick(run.Hours[a], func(o *Outcome) float64 { return o.Hours[a] })
	}
	doneAt := map[float64]float64{}
	for _, point := range run.Progress {
		doneAt[point.At] = point.Steps - from
	}
	distance := 0.0
	instants := curveAt(run)
	for i, instant := range instants {
		point := CurvePoint{
			AtS:      instant,
			Compared: pick(doneAt[instant], func(o *Outcome) float64 { return o.Steps[i] }),
		}
		j.Curve = append(j.Curve, point)
		distance += math.Abs(point.Median-point.Observed) / r.steps
	}
	j.CurveError = distance / float64(max(len(instants), 1))
}

// Outcome is what one simulation of a run gives.
type Outcome struct {
	FinishS float64 // +Inf: the steps were not done on what was held
	USD     float64
	Redone  float64 // steps
	Hours   [sim.Activities]float64
	Steps   []float64 // done by each of the instants that were asked for
}

// simulator runs recorded holdings under models, one after the other.
type simulator struct {
	world *sim.World
	log   progress
}

// run replays a run under a training.
func (s *simulator) run(r *replay, t *fromruns.Training, seed uint64, at []float64) (Outcome, error) {
	pools := make([]sim.Pool, len(r.pools))
	copy(pools, r.pools)
	for p := range pools {
		if !r.booted[p] {
			pools[p].Boot = t.Boot
		}
	}
	market, err := sim.NewMarket(r.end, r.policy.Traces(pools, r.prices))
	if err != nil {
		return Outcome{}, err
	}
	s.log.reset(r.steps)
	config := sim.Config{
		Market:   market,
		Policy:   r.policy,
		Seed:     seed,
		Recorder: &s.log,
		Jobs:     []sim.Job{{Name: "run", Model: t, Objective: sim.Objective{Within: r.end.Sub(0)}}},
	}
	if s.world == nil {
		s.world = new(sim.World)
	}
	if err := s.world.Reset(config); err != nil {
		return Outcome{}, fmt.Errorf("backtest: %w", err)
	}
	return s.log.outcome(s.world.Run(), at), nil
}

// progress is a recorder of the curve of one job.
type progress struct {
	steps  float64
	spans  []stretch
	redone float64
}

// stretch is a span of constant rate.
type stretch struct{ from, to, begin, end float64 } // seconds; steps

func (p *progress) reset(steps float64) {
	p.steps = steps
	p.spans = p.spans[:0]
	p.redone = 0
}

// Decision implements sim.Recorder.
func (*progress) Decision(sim.View, *sim.Plan, bool) {}

// Span implements sim.Recorder.
func (p *progress) Span(s *sim.Span) {
	span := stretch{
		from: s.From.Sub(0).Seconds(),
		to:   s.To.Sub(0).Seconds(),
		end:  s.Jobs[0].Done * p.steps,
	}
	span.begin = span.end - s.Jobs[0].Rate*(span.to-span.from)
	lost := p.last() - span.begin
	if len(p.spans) > 0 && lost > 1e-6*p.steps { // less is rounding of the rate
		p.redone += lost
	}
	p.spans = append(p.spans, span)
}

// outcome is what became of the run.
func (p *progress) outcome(t *sim.Totals, at []float64) Outcome {
	job := &t.Jobs[0]
	out := Outcome{FinishS: math.Inf(1), USD: t.Bill.Total(), Redone: p.redone}
	if job.Finished {
		out.FinishS = job.Elapsed.Seconds()
	}
	for activity, duration := range job.Activities {
		out.Hours[activity] = duration.Hours()
	}
	next := 0
	for _, instant := range at {
		for next < len(p.spans) && p.spans[next].to < instant {
			next++
		}
		steps := p.last()
		if next < len(p.spans) {
			steps = p.spans[next].stepsAt(instant)
		}
		out.Steps = append(out.Steps, steps)
	}
	return out
}

// stepsAt returns the steps that are done at an instant of the stretch.
func (s *stretch) stepsAt(instant float64) float64 {
	if s.to <= s.from {
		return s.end
	}
	return s.begin + (s.end-s.begin)*(instant-s.from)/(s.to-s.from)
}

// last returns the steps that are done at the end of what was recorded.
func (p *progress) last() float64 {
	if n := len(p.spans); n > 0 {
		return p.spans[n-1].end
	}
	return 0
}
