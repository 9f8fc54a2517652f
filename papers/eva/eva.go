package eva

import (
	"embed"
	"fmt"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/eva/reference"
	"github.com/marigram/marigram/papers/internal/world"
	"github.com/marigram/marigram/policies/schedulers/eva"
)

// evaJob is a row of the table of jobs.
type evaJob struct {
	Trace      string  `col:"trace"`
	Workload   string  `col:"workload"`
	Arrival    int     `col:"arrival_s"`
	Iterations float64 `col:"iterations"`
}

// ticks is a span in the ticks of Eva's simulator, seconds.
func ticks(d time.Duration) int { return int(d / time.Second) }

// evaConfig returns the simulation of a trace, with one speed beside each other task, or with that of the
// pair.
func evaConfig(trace, scheduler string, keeps float64, pairs bool) (reference.Config, error) {
	var c reference.Config
	types, err := throughput.Types(throughput.Eva, nil)
	if err != nil {
		return c, err
	}
	for _, r := range types {
		c.Types = append(c.Types, eva.Type{Name: r.Name, USD: r.USD, Free: eva.Unlimited, Full: r.Full})
		c.Starts = append(c.Starts, reference.Start{Instantiate: ticks(r.Order), Boot: ticks(r.Boot)})
	}
	kinds, err := throughput.Kinds(throughput.Eva, nil)
	if err != nil {
		return c, err
	}
	workloads := map[string]*reference.Workload{}
	for _, r := range kinds {
		w := &reference.Workload{Name: r.Name, Tasks: r.Tasks, Speed: r.Speed, Init: ticks(r.Times.Init), Fetch: ticks(r.Times.Launch), Build: ticks(r.Times.Build),
			Kill: ticks(r.Times.Stop), Upload: ticks(r.Times.Save)}
		for _, typ := range types {
			need, _ := r.On(typ.Family)
			w.Demand = append(w.Demand, need)
		}
		workloads[w.Name] = w
	}
	for _, r := range facts.ReadFrom[evaJob](files, "jobs") {
		if r.Trace == trace {
			c.Jobs = append(c.Jobs, reference.Job{Workload: workloads[r.Workload], Arrival: r.Arrival, Iterations: r.Iterations})
		}
	}
	speeds := throughput.InstancePairs{}
	if pairs {
		if speeds, err = throughput.ReadInstancePairs(throughput.Eva, nil); err != nil {
			return c, err
		}
	}
	c.Together = func(of, other *reference.Workload) float64 {
		if v, known := speeds[[2]string{of.Name, other.Name}]; known {
			return v
		}
		return keeps
	}
	switch scheduler {
	case "no-packing":
	case "eva":
		c.Pack = true
	case "eva-partial":
		c.Pack, c.Partial = true, true
	default:
		return c, fmt.Errorf("a scheduler named %q, expected no-packing, eva or eva-partial", scheduler)
	}
	return c, nil
}

// evaOutcome is what became of a run.
type evaOutcome struct {
	usd, jct        float64 // jct: the sum, s
	jobs, instances int
	full            int
}

// evaRun simulates a scheduler on a trace.
func evaRun(trace, scheduler string, keeps float64, pairs bool) (o evaOutcome, err error) {
	c, err := evaConfig(trace, scheduler, keeps, pairs)
	if err != nil {
		return o, err
	}
	r := reference.Run(c)
	for j, end := range r.Ends {
		o.jct += float64(end - c.Jobs[j].Arrival)
	}
	for _, x := range r.Instances {
		o.usd += c.Types[x.Type].USD * float64(x.Down-x.Up) / 3600
	}
	o.jobs, o.instances, o.full = len(c.Jobs), len(r.Instances), r.Full
	return o, nil
}

// evaRuns reports every run.
func evaRuns(f *papers.Figure) error {
	var in struct {
		Keeps float64 `json:"beside"`
		Runs  []struct {
			Traces     []string `json:"traces"`
			Schedulers []string `json:"schedulers"`
			Pairs      bool     `json:"pairs"`
		} `json:"runs"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, r := range in.Runs {
		for _, trace := range r.Traces {
			for _, scheduler := range r.Schedulers {
				o, err := evaRun(trace, scheduler, in.Keeps, r.Pairs)
				if err != nil {
					return err
				}
				item := trace + "-" + scheduler + map[bool]string{false: "-alike", true: "-pairs"}[r.Pairs]
				f.Report(item+"-cost", o.usd)
				f.Report(item+"-jct", o.jct/float64(o.jobs))
				f.Report(item+"-instances", float64(o.instances))
				if scheduler == "eva" {
					f.Report(item+"-full", float64(o.full))
				}
			}
		}
	}
	return nil
}

// evaPublished compares Eva with no packing, all traces together.
func evaPublished(f *papers.Figure) error {
	var in struct {
		Keeps  float64  `json:"beside"`
		Traces []string `json:"traces"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	var sum [2]evaOutcome
	for k, scheduler := range []string{"eva", "no-packing"} {
		for _, trace := range in.Traces {
			o, err := evaRun(trace, scheduler, in.Keeps, false)
			if err != nil {
				return err
			}
			sum[k].usd += o.usd
			sum[k].jct += o.jct
		}
	}
	f.Report("cost", -world.Lower(sum[0].usd, sum[1].usd))
	f.Report("jct", -world.Lower(sum[0].jct, sum[1].jct))
	return nil
}

//go:embed *.csv *.yaml
var files embed.FS
