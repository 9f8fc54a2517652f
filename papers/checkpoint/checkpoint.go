// Package checkpoint computes the claims on checkpoint intervals: Young's, Daly's
// and the exact one, and simulated run times against the closed form.
package checkpoint

import (
	"embed"
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// intervals counts the cases in which every interval and expected time
// is what was computed elsewhere, within a relative 1e-6.
func intervals(f *papers.Figure) error {
	type row struct {
		Save         float64 `col:"save"`
		MTBF         float64 `col:"mtbf"`
		Restart      float64 `col:"restart"`
		Young        float64 `col:"young"`
		DalyFirst    float64 `col:"daly_first"`
		Daly         float64 `col:"daly"`
		Exact        float64 `col:"exact"`
		StretchYoung float64 `col:"stretch_young"`
		StretchDaly  float64 `col:"stretch_daly"`
		StretchExact float64 `col:"stretch_exact"`
	}
	equal := 0
	for _, r := range facts.ReadFrom[row](files, "intervals") {
		c := policies.CheckpointInterval{Save: r.Save, MTBF: r.MTBF, Restart: r.Restart}
		worst := 0.0
		for _, x := range [][2]float64{
			{c.Young(), r.Young}, {c.DalyFirst(), r.DalyFirst}, {c.Daly(), r.Daly}, {c.Exact(), r.Exact},
			{c.Stretch(r.Young), r.StretchYoung}, {c.Stretch(r.Daly), r.StretchDaly}, {c.Stretch(r.Exact), r.StretchExact},
		} {
			worst = max(worst, papers.Deviation(x[0], x[1]))
		}
		if worst <= 1e-6 {
			equal++
		}
	}
	f.Report("rows", float64(equal))
	return nil
}

// instance is one instance that fails at exponential times and is replaced
// at once; s.
type instance struct {
	Save     float64 `json:"save_s"`
	MTBF     float64 `json:"mtbf_s"`
	Restart  float64 `json:"restart_s"`
	Interval float64 `json:"interval_s"`
}

// wallTime reports by how many standard errors the mean simulated time
// of jobs of n intervals differs from the closed form.
func wallTime(f *papers.Figure) error {
	var in struct {
		Runs      int        `json:"runs"`
		Intervals int        `json:"intervals"`
		Cases     []instance `json:"cases"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, c := range in.Cases {
		work := c.Interval * float64(in.Intervals)
		want := work * policies.CheckpointInterval{Save: c.Save, MTBF: c.MTBF, Restart: c.Restart}.Stretch(c.Interval)
		var sum, squares float64
		for seed := range in.Runs {
			s, err := c.simulate(work, 10*want, uint64(seed))
			if err != nil {
				return err
			}
			sum, squares = sum+s, squares+s*s
		}
		n := float64(in.Runs)
		mean := sum / n
		f.Report(fmt.Sprintf("save%v-mtbf%v-restart%v", c.Save, c.MTBF, c.Restart),
			(mean-want)/math.Sqrt((squares/n-mean*mean)/n))
	}
	return f.Context().Err()
}

// simulate returns the wall time of a job; the last save is made.
func (c *instance) simulate(work, horizon float64, seed uint64) (float64, error) {
	const beyond = 1e-3 // s of work, so that the save before them is part of the job
	h := sim.Trace{Pool: sim.Pool{Name: "one", Quota: 1}, Prices: []sim.Price{{}}, Capacity: []sim.Capacity{{N: 1}}}
	dice := sim.Rand{Seed: seed}
	at := sim.Time(0)
	for k := uint64(0); at.Seconds() < horizon; k++ {
		at = at.After(c.MTBF * dice.Exponential(sim.PurposeUser, 0, k))
		again := at.Add(time.Microsecond)
		h.Capacity = append(h.Capacity, sim.Capacity{At: at}, sim.Capacity{At: again, N: 1})
		at = again
	}
	market, err := sim.NewMarket(at, []sim.Trace{h})
	if err != nil {
		return 0, err
	}
	model, err := pipeline.New(work+beyond, 1, []pipeline.LayoutSpeed{{Pipelines: 1, Stages: 1, SamplesPerS: 1}},
		pipeline.Recovery{Restart: papers.Seconds(c.Restart), Save: papers.Seconds(c.Save)})
	if err != nil {
		return 0, err
	}
	w, err := sim.New(sim.Config{Market: market, Policy: &policies.Checkpoint{Interval: papers.Seconds(c.Interval)},
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: time.Hour}}}})
	if err != nil {
		return 0, err
	}
	w.Run()
	j := w.Totals().Jobs[0]
	if !j.Finished {
		return 0, fmt.Errorf("seed %d: not done in %v s", seed, horizon)
	}
	return j.Elapsed.Seconds(), nil
}

//go:embed *.csv *.yaml
var files embed.FS
