package backtest

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/sim"
)

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
	config := sim.Config{Market: market, Policy: r.policy, Seed: seed, Recorder: &s.log,
		Jobs: []sim.Job{{Name: "run", Model: t, Objective: sim.Objective{Within: r.end.Sub(0)}}}}
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

func (p *progress) reset(steps float64) { p.steps, p.spans, p.redone = steps, p.spans[:0], 0 }

// Decision implements sim.Recorder.
func (*progress) Decision(sim.View, *sim.Plan, bool) {}

// Span implements sim.Recorder.
func (p *progress) Span(s *sim.Span) {
	x := stretch{from: s.From.Sub(0).Seconds(), to: s.To.Sub(0).Seconds(), end: s.Jobs[0].Done * p.steps}
	x.begin = x.end - s.Jobs[0].Rate*(x.to-x.from)
	if n := len(p.spans); n > 0 {
		if lost := p.spans[n-1].end - x.begin; lost > 1e-6*p.steps {
			p.redone += lost
		}
	}
	p.spans = append(p.spans, x)
}

// outcome is what became of the run.
func (p *progress) outcome(t *sim.Totals, at []float64) Outcome {
	job := &t.Jobs[0]
	out := Outcome{FinishS: math.Inf(1), USD: t.Bill.Total(), Redone: p.redone}
	if job.Finished {
		out.FinishS = job.Elapsed.Seconds()
	}
	for a, d := range job.Activities {
		out.Hours[a] = d.Hours()
	}
	i := 0
	for _, t := range at {
		for i < len(p.spans) && p.spans[i].to < t {
			i++
		}
		switch {
		case i == len(p.spans):
			out.Steps = append(out.Steps, p.last())
		case p.spans[i].to <= p.spans[i].from:
			out.Steps = append(out.Steps, p.spans[i].end)
		default:
			x := &p.spans[i]
			out.Steps = append(out.Steps, x.begin+(x.end-x.begin)*(t-x.from)/(x.to-x.from))
		}
	}
	return out
}

func (p *progress) last() float64 {
	if n := len(p.spans); n > 0 {
		return p.spans[n-1].end
	}
	return 0
}
