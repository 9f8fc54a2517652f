package backtest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/fromruns"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// WhatIf is what the past runs would have taken under a policy of a spec, on the spec's market at the same days: a row
// of whatif.parquet. Means are over the runs that were compared. The bands are as wide as the errors of the verdict: 90
// % of what was observed lay between the same shares of what was predicted (all of it, where there are fewer than 20
// runs).
type WhatIf struct {
	Policy   string   `col:"policy" json:"policy" doc:"name of a policy of the spec; empty: what was observed"`
	Runs     int64    `col:"runs" json:"runs" doc:"runs that were simulated"`
	Finished int64    `col:"finished" json:"finished" doc:"of these, those that finished before the horizon"`
	FinishS  *float64 `col:"finish_s" json:"finish_s" unit:"s" doc:"mean time to the goal, of the runs that finished"`
	LowS     *float64 `col:"finish_low_s" json:"finish_low_s" unit:"s" doc:"least of the band"`
	HighS    *float64 `col:"finish_high_s" json:"finish_high_s" unit:"s" doc:"most of the band"`
	USD      *float64 `col:"usd" json:"usd" unit:"USD" doc:"mean cost"`
	LowUSD   *float64 `col:"usd_low" json:"usd_low" unit:"USD" doc:"least of the band"`
	HighUSD  *float64 `col:"usd_high" json:"usd_high" unit:"USD" doc:"most of the band"`
	// FinishError and USDError are medians of the errors without their sign, as if the policy had been the one that was
	// used.
	FinishError *float64 `col:"finish_error" json:"finish_error" doc:"median of |predicted / observed - 1|: says something of the policy that was used only"`
	USDError    *float64 `col:"usd_error" json:"usd_error" doc:"the same of the cost"`
}

// Opener opens the spec so that its traces begin at an instant, zero: where they begin by themselves.
type Opener func(start time.Time) (*spec.Spec, error)

// tally gathers the runs of one policy.
type tally struct {
	WhatIf
	finish, usd             []float64
	finishErrors, usdErrors []float64
}

// WhatIf simulates the runs that were compared under each policy of a spec: jobs of as many steps, from the same
// instants on. A spec with a model of past runs (model.observed) has that of the others for each run. The first row is
// what was observed.
func (v *Verdict) WhatIf(ctx context.Context, runs []Observed, o Options, open Opener) ([]WhatIf, error) {
	var all []*tally
	was := &tally{}
	for i := range runs {
		if v.Runs[i].Skipped != "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		was.add(runs[i].End, runs[i].USD, &runs[i])
		if err := v.under(runs, i, o, open, &all); err != nil {
			return nil, fmt.Errorf("run %s: %w", runs[i].Name, err)
		}
	}
	out := []WhatIf{was.row(1, 1, 1, 1)}
	lowS, highS := v.band(func(j *Judged) *Compared { return &j.Finish })
	lowUSD, highUSD := v.band(func(j *Judged) *Compared { return &j.USD })
	for _, t := range all {
		out = append(out, t.row(lowS, highS, lowUSD, highUSD))
	}
	return out, nil
}

// under simulates one run under each policy.
func (v *Verdict) under(runs []Observed, i int, o Options, open Opener, all *[]*tally) error {
	s, err := open(runs[i].Start)
	if err != nil {
		return err
	}
	study, err := experiments.NewStudy(s)
	if err == nil {
		err = study.OneJob()
	}
	if err != nil {
		return err
	}
	fitted := v.Fitted
	if v.Runs[i].LeftOut {
		if fitted, err = fromruns.Fit(plain(runs, i), o.Idle); err != nil {
			return err
		}
	}
	w := study.Worker()
	defer w.Close()
	for p := range s.Policies {
		policy, err := s.Policies[p].New()
		if err != nil {
			return err
		}
		config, err := w.Config(experiments.Case{Policy: p, Seed: s.Seed}, policy)
		if err != nil {
			return err
		}
		if _, past := config.Jobs[0].Model.(*fromruns.Training); past {
			config.Jobs[0].Model, err = trained(fitted, &runs[i], config.Market)
			if err != nil {
				return err
			}
		}
		world, err := sim.New(config)
		if err != nil {
			return err
		}
		if len(*all) <= p {
			*all = append(*all, &tally{WhatIf: WhatIf{Policy: s.Policies[p].Name}})
		}
		t := world.Run()
		finish := math.Inf(1)
		if t.Jobs[0].Finished {
			finish = t.Jobs[0].Elapsed.Seconds()
		}
		(*all)[p].add(finish, t.Bill.Total(), &runs[i])
	}
	return nil
}

// trained returns the model of a run's job on a market.
func trained(f *fromruns.Fitted, run *Observed, m *sim.Market) (*fromruns.Training, error) {
	from, to := run.Steps()
	job := fromruns.Job{Steps: to - from}
	for p := range m.Pools() {
		job.Types = append(job.Types, m.Pool(p).InstanceType)
		job.Max = min(job.Max+m.Pool(p).Quota, 1<<16)
	}
	return f.Point(job)
}

func (t *tally) add(finish, usd float64, run *Observed) {
	t.Runs++
	if !math.IsInf(finish, 1) {
		t.Finished++
		t.finish = append(t.finish, finish)
		t.finishErrors = append(t.finishErrors, math.Abs(finish/run.End-1))
	}
	t.usd = append(t.usd, usd)
	if run.USD > 0 {
		t.usdErrors = append(t.usdErrors, math.Abs(usd/run.USD-1))
	}
}

// row sums up, with bands between shares of the means.
func (t *tally) row(lowS, highS, lowUSD, highUSD float64) WhatIf {
	out := t.WhatIf
	finish := stats.Mean(t.finish)
	out.FinishS = stats.FiniteOrNil(finish)
	out.LowS = stats.FiniteOrNil(finish * lowS)
	out.HighS = stats.FiniteOrNil(finish * highS)
	usd := stats.Mean(t.usd)
	out.USD = stats.FiniteOrNil(usd)
	out.LowUSD = stats.FiniteOrNil(usd * lowUSD)
	out.HighUSD = stats.FiniteOrNil(usd * highUSD)
	slices.Sort(t.finishErrors)
	slices.Sort(t.usdErrors)
	if len(t.finishErrors) > 0 {
		out.FinishError = stats.FiniteOrNil(stats.Interpolated(t.finishErrors, 0.5))
	}
	if len(t.usdErrors) > 0 {
		out.USDError = stats.FiniteOrNil(stats.Interpolated(t.usdErrors, 0.5))
	}
	return out
}

// band returns between which shares of what was predicted 90 % of what was observed lay; NaN where nothing was
// compared.
func (v *Verdict) band(of func(*Judged) *Compared) (low, high float64) {
	var ratios []float64
	for i := range v.Runs {
		if v.Runs[i].Skipped != "" {
			continue
		}
		number := of(&v.Runs[i])
		if number.Observed > 0 && number.Median > 0 && !math.IsInf(number.Median, 1) {
			ratios = append(ratios, number.Observed/number.Median)
		}
	}
	if len(ratios) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(ratios)
	if len(ratios) < 20 {
		return ratios[0], ratios[len(ratios)-1]
	}
	return stats.Interpolated(ratios, 0.05), stats.Interpolated(ratios, 0.95)
}
