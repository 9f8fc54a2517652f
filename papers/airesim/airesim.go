package airesim

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/internal/parallel"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/airesim/reference"
)

// repeated simulates runs under seeds that follow one another.
func repeated(ctx context.Context, c reference.Config, seed int64, runs int) ([]reference.Stats, error) {
	all := make([]reference.Stats, runs)
	err := parallel.Each(ctx, runtime.GOMAXPROCS(0), runs, func(_ context.Context, numbers iter.Seq[int]) error {
		for i := range numbers {
			s, err := reference.Run(c, seed+int64(i))
			if err != nil {
				return err
			}
			all[i] = s
		}
		return nil
	})
	return all, err
}

// column is one number of all runs.
func column[N int | float64](all []reference.Stats, of func(s *reference.Stats) N) []float64 {
	x := make([]float64, len(all))
	for i := range all {
		x[i] = float64(of(&all[i]))
	}
	return x
}

// spread reports mean, standard deviation, least and most of a number.
func spread(f *papers.Figure, item string, x []float64) {
	f.Report(item+"-mean", stat.Mean(x, nil))
	f.Report(item+"-deviation", stat.StdDev(x, nil))
	f.Report(item+"-least", slices.Min(x))
	f.Report(item+"-most", slices.Max(x))
}

// report reports what AIReSim's report of its own setting prints.
func report(f *papers.Figure) error {
	var in struct {
		Seed int64   `json:"seed"`
		Runs int     `json:"runs"`
		Rate float64 `json:"random_failure_rate"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	c := reference.Paper()
	c.RandomRate = in.Rate
	all, err := repeated(f.Context(), c, in.Seed, in.Runs)
	if err != nil {
		return err
	}
	spread(f, "hours", column(all, func(s *reference.Stats) float64 { return s.Training / 60 }))
	spread(f, "effective", column(all, (*reference.Stats).Effective))
	spread(f, "failures", column(all, func(s *reference.Stats) int { return s.Failures }))
	mean := func(item string, x []float64) { f.Report(item, stat.Mean(x, nil)) }
	mean("recovery-hours", column(all, func(s *reference.Stats) float64 { return s.Recovery / 60 }))
	mean("selection-hours", column(all, func(s *reference.Stats) float64 { return s.Selection / 60 }))
	mean("wait-hours", column(all, func(s *reference.Stats) float64 { return s.Wait / 60 }))
	mean("random-mean", column(all, func(s *reference.Stats) int { return s.Random }))
	mean("systematic-mean", column(all, func(s *reference.Stats) int { return s.Systematic }))
	mean("manual-mean", column(all, func(s *reference.Stats) int { return s.Manual }))
	mean("repaired-mean", column(all, func(s *reference.Stats) int { return s.Repaired }))
	mean("unrepaired-mean", column(all, func(s *reference.Stats) int { return s.Unrepaired }))
	mean("selections-mean", column(all, func(s *reference.Stats) int { return s.Selections }))
	mean("spares-mean", column(all, func(s *reference.Stats) int { return s.Preemptions }))
	return nil
}

// choices reports hours and retired servers by how hosts are chosen and when a server is retired.
func choices(f *papers.Figure) error {
	var in struct {
		Seed    int64 `json:"seed"`
		Runs    int   `json:"runs"`
		Setting struct {
			Working     int     `json:"working_pool_size"`
			Length      float64 `json:"job_length"`
			Rate        float64 `json:"random_failure_rate"`
			Multiplier  float64 `json:"systematic_failure_rate_multiplier"`
			Bad         float64 `json:"systematic_failure_fraction"`
			Recovery    float64 `json:"recovery_time"`
			AutoFails   float64 `json:"auto_repair_fail_prob"`
			ManualFails float64 `json:"manual_repair_fail_prob"`
		} `json:"setting"`
		Select map[string][]string `json:"select"` // rules of retirement by that of selection
		Window float64             `json:"window"`
		Score  struct {
			Initial   float64 `json:"initial"`
			Increment float64 `json:"increment"`
			Period    float64 `json:"period"`
		} `json:"score"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	c, s := reference.Paper(), &in.Setting
	c.Working, c.JobLength, c.RandomRate, c.Multiplier, c.BadShare = s.Working, s.Length, s.Rate, s.Multiplier, s.Bad
	c.Recovery, c.AutoFails, c.ManualFails, c.Window = s.Recovery, s.AutoFails, s.ManualFails, in.Window
	for selection, rules := range in.Select {
		for _, rule := range rules {
			c := c
			c.Selection = selection
			if err := retire(&c, rule, reference.Score{Initial: in.Score.Initial, Increment: in.Score.Increment, Period: in.Score.Period}); err != nil {
				return err
			}
			all, err := repeated(f.Context(), c, in.Seed, in.Runs)
			if err != nil {
				return err
			}
			hours := column(all, func(s *reference.Stats) float64 { return s.Training / 60 })
			f.Report(selection+"-"+rule+"-hours", stat.Mean(hours, nil))
			f.Report(selection+"-"+rule+"-deviation", stat.StdDev(hours, nil))
			if retired := stat.Mean(column(all, func(s *reference.Stats) int { return s.Retired }), nil); retired > 0 {
				f.Report(selection+"-"+rule+"-retired", retired)
			}
		}
	}
	return nil
}

// retire sets when a server is retired: never, threshold-N, or score-P, where a failure takes P of the score.
func retire(c *reference.Config, rule string, score reference.Score) error {
	kind, number, _ := strings.Cut(rule, "-")
	n, err := strconv.Atoi(number)
	c.Score = score
	c.Score.Penalty = 60 // of the highest score first, where it retires nobody
	switch {
	case rule == "never":
	case err == nil && kind == "threshold":
		c.Retire, c.RetireAfter = kind, n
	case err == nil && kind == "score":
		c.Retire, c.Score.Penalty = kind, float64(n)
	default:
		return fmt.Errorf("select: %q, expected never, threshold-N or score-N", rule)
	}
	return nil
}
