// Package gavel computes the claims on Gavel (OSDI 2020): its simulator's experiments, with jobs of
// its generator.
package gavel

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/gavel/reference"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/traces/synth/workload"
)

// fastestFirst is the order in which the models are given out: V100, P100, K80.
var fastestFirst = []int{2, 1, 0}

// simulation is the simulation of a policy, by its name in Gavel's experiments.
func simulation(policy string, g *workload.Gavel, n int) (reference.Config, error) {
	c := reference.Config{GPUs: []int{36, 36, 36}, Order: fastestFirst, Seed: g.Seed}
	generated := g.Make(n)
	for _, m := range generated {
		c.Jobs = append(c.Jobs, reference.Job{Arrival: m.Arrival, Kind: 1 + slices.Index(throughput.Gavel().Kinds, m.Kind), GPUs: m.GPUs, Steps: m.Steps,
			Weight: m.Weight, Speed: throughput.Gavel().Speeds(m.Kind, m.GPUs)})
	}
	switch policy {
	case "fifo":
		c.Rule, c.Shuffle, c.OnlyShares = reference.NewFIFO(g.Seed), true, true
	case "fifo_perf":
		c.Rule, c.OnlyShares = &rules.FastestFIFO{}, true
	case "fifo_packed":
		c.Pairs = reference.FIFOPacked{}
		c.OnlyShares = true
		c.Together = together(generated)
	case "allox":
		c.Rule = &rules.AlloX{}
	case "gandiva":
		c.Pairs = reference.NewGandiva(g.Seed)
		c.Together = together(generated)
	case "max_min_fairness":
		c.Rule, c.Shuffle = &reference.MaxMin{Agnostic: true}, true
	case "max_min_fairness_perf":
		c.Rule = &reference.MaxMin{}
	case "max_min_fairness_water_filling":
		c.Rule, c.Shuffle = &reference.MaxMin{Agnostic: true, Levels: true}, true
	case "max_min_fairness_water_filling_perf":
		c.Rule = &share.MaxMin{Levels: true}
	case "finish_time_fairness":
		c.Rule, c.Shuffle = &reference.FinishTime{FinishTime: rules.FinishTime{Agnostic: 1 + slices.Index(throughput.Gavel().GPUs, "v100")}}, true
	case "finish_time_fairness_perf":
		c.Rule = &reference.FinishTime{Centre: true}
	case "min_total_duration":
		c.Rule = &reference.MinDuration{}
	default:
		return c, fmt.Errorf("gavel: a policy named %q, expected fifo, fifo_perf, fifo_packed, allox, gandiva, max_min_fairness, "+
			"max_min_fairness_perf, "+
			"max_min_fairness_water_filling, max_min_fairness_water_filling_perf, finish_time_fairness, finish_time_fairness_perf or min_total_duration", policy)
	}
	return c, nil
}

// together returns the speeds of two jobs on the same GPUs.
func together(generated []workload.Job) func(a, b, model int) (of, other float64) {
	kind := make([]int, len(generated))
	for j := range generated {
		kind[j] = slices.Index(throughput.Gavel().Kinds, generated[j].Kind)
	}
	table := pairTable()
	return func(a, b, model int) (of, other float64) {
		speeds := table[pairKey{kind[a], kind[b], generated[a].GPUs}][model]
		return speeds[0], speeds[1]
	}
}

// point is a simulation of a figure.
type point struct {
	policy string
	x      float64
	value  float64
	second float64 // where there are two values
	err    error
}

// each computes the points of a figure, as many at a time as there are processors.
func each(policies map[string][]float64, compute func(p *point)) []point {
	var points []point
	for policy, xs := range policies {
		for _, x := range xs {
			points = append(points, point{policy: policy, x: x})
		}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.policy, b.policy), cmp.Compare(a.x, b.x)) })
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range points {
		wait.Go(func() {
			free <- struct{}{}
			compute(&points[i])
			<-free
		})
	}
	wait.Wait()
	return points
}

// report reports the points of a figure.
func report(f *papers.Figure, points []point) error {
	for _, p := range points {
		if p.err != nil {
			return p.err
		}
		f.Report(p.policy+"-"+strconv.FormatFloat(p.x, 'f', -1, 64), p.value)
	}
	return nil
}

// continuous reports the mean time to completion, h, of the jobs of a window where jobs
// arrive at a rate.
func continuous(f *papers.Figure) error {
	var in struct {
		SeveralGPUs bool                 `json:"several_gpus"`
		First       int                  `json:"first"`
		Last        int                  `json:"last"`
		Made        int                  `json:"made"`
		PerHour     map[string][]float64 `json:"per_hour"` // by policy
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	return report(f, each(in.PerHour, func(p *point) {
		c, err := simulation(p.policy, &workload.Gavel{MeanGap: 3600 / p.x, SeveralGPUs: in.SeveralGPUs}, in.Made)
		if err != nil || f.Context().Err() != nil {
			p.err = cmp.Or(err, f.Context().Err())
			return
		}
		c.Until = in.Last + 1
		sum, n := 0.0, 0
		for _, r := range reference.Run(c)[in.First : in.Last+1] {
			if r.Done {
				sum += r.JCT
				n++
			}
		}
		p.value = sum / float64(n) / 3600
	}))
}

// makespan reports when the last job is done, h, where all are there at once: the mean of some
// seeds.
func makespan(f *papers.Figure) error {
	var in struct {
		Seeds int                  `json:"seeds"`
		Jobs  map[string][]float64 `json:"jobs"` // by policy
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	return report(f, each(in.Jobs, func(p *point) {
		for seed := range in.Seeds {
			c, err := simulation(p.policy, &workload.Gavel{Seed: int64(seed), SeveralGPUs: true}, int(p.x))
			if err != nil {
				p.err = err
				return
			}
			last := 0.0
			for _, r := range reference.Run(c) {
				last = max(last, r.JCT)
			}
			p.value += last / 3600 / float64(in.Seeds)
		}
	}))
}
