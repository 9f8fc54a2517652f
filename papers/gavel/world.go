package gavel

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/synth/workload"
)

// scheduler is the policy of the world that a policy of Gavel's experiments is.
func scheduler(policy string) (sim.Policy, error) {
	switch policy {
	case "fifo_perf":
		return &schedulers.Rounds{Rule: func() share.Rule { return &rules.FastestFIFO{} }, OnlyShares: true}, nil
	case "max_min_fairness_perf":
		return &schedulers.NewMaxMin(policy, false).Rounds, nil
	case "allox":
		// Others fill what is left, as in the experiments; the policy allox does without, and is 8 % faster here.
		return &schedulers.Rounds{Rule: func() share.Rule { return &rules.AlloX{} }}, nil
	}
	return nil, fmt.Errorf("gavel: a policy named %q in the world, expected fifo_perf, max_min_fairness_perf or allox", policy)
}

// world reports the means of continuous in the world of all other policies, in which GPUs that a job leaves are used at
// once.
func world(f *papers.Figure) error {
	var in struct {
		First   int                  `json:"first"`
		Last    int                  `json:"last"`
		Made    int                  `json:"made"`
		Single  map[string][]float64 `json:"single"`  // jobs of one GPU: jobs per hour by policy
		Several map[string][]float64 `json:"several"` // jobs of up to eight
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, x := range []struct {
		name   string
		points map[string][]float64
	}{{"single", in.Single}, {"several", in.Several}} {
		of := each(x.points, func(p *point) {
			if p.err = f.Context().Err(); p.err == nil {
				g := workload.Gavel{MeanGap: 3600 / p.x, SeveralGPUs: x.name == "several"}
				p.value, p.err = meanInWorld(p.policy, g.Make(in.Made), in.First, in.Last)
			}
		})
		for k := range of {
			of[k].policy = x.name + "-" + of[k].policy
		}
		if err := report(f, of); err != nil {
			return err
		}
	}
	return nil
}

// meanInWorld is the mean time to completion, h, of the jobs of a window under a policy.
func meanInWorld(policy string, generated []workload.Job, first, last int) (hours float64, err error) {
	c := sim.Config{}
	if c.Policy, err = scheduler(policy); err != nil {
		return 0, err
	}
	var pools []sim.Trace
	for _, m := range fastestFirst {
		pools = append(pools, sim.Trace{Prices: []sim.Price{{USD: 0}},
			Pool: sim.Pool{Name: throughput.Gavel().GPUs[m], GPU: throughput.Gavel().GPUs[m], Quota: 36, Reserved: true}})
	}
	for _, j := range generated {
		c.Jobs = append(c.Jobs, sim.Job{Name: j.Kind, Model: gang(j), Submit: sim.At(j.Arrival).Sub(0), Objective: sim.Objective{Within: 1e5 * time.Hour}})
	}
	if c.Market, err = sim.NewMarket(sim.At(1e9), pools); err != nil {
		return 0, err
	}
	w, err := sim.New(c)
	if err != nil {
		return 0, err
	}
	open := func(j sim.JobTotals) bool { return !j.Finished }
	for at := c.Jobs[last].Submit; w.RunUntil(sim.Time(0).Add(at)); at += 100 * time.Hour {
		if !slices.ContainsFunc(w.Totals().Jobs[:last+1], open) {
			break
		}
	}
	sum, n := 0.0, 0
	for _, j := range w.Totals().Jobs[first : last+1] {
		if j.Finished {
			sum += j.Elapsed.Hours()
			n++
		}
	}
	return sum / float64(max(n, 1)), nil
}

// gang is the model of a job.
func gang(j workload.Job) *throughput.Gang {
	g := &throughput.Gang{GPUs: j.GPUs, Total: j.Steps, Share: cmp.Or(j.Weight, 1)}
	speeds := throughput.Gavel().Speeds(j.Kind, j.GPUs)
	for _, m := range fastestFirst {
		g.Speeds = append(g.Speeds, speeds[m])
	}
	return g
}
