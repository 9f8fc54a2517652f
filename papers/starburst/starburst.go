package starburst

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/internal/world"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// starburstJob is a row of the table of jobs.
type starburstJob struct {
	Trace   int     `col:"trace"`
	GPUs    int     `col:"gpus"`
	Arrival float64 `col:"arrival_h"`
	Hours   float64 `col:"runtime_h"`
}

// cloudQuota is the GPUs of the cloud: as good as without limit.
const cloudQuota = 100_000

// listed returns the jobs of a trace of the table.
func listed(trace int) []sim.Job {
	var jobs []sim.Job
	for _, r := range facts.ReadFrom[starburstJob](files, "jobs") {
		if r.Trace == trace {
			jobs = append(jobs, job(r.Arrival*3600, r.GPUs, r.Hours*3600))
		}
	}
	return jobs
}

// job returns a job that arrives at a time and takes so long on its GPUs; both in s.
func job(arrival float64, gpus int, seconds float64) sim.Job {
	return sim.Job{Submit: papers.Seconds(arrival), Model: &throughput.Gang{GPUs: gpus, Total: seconds}}
}

// burst simulates a rule of waiting: the mean time to completion, h, and GPU-hours in the cloud.
func burst(jobs []sim.Job, where, rule, walk string) (jct, cloud float64, err error) {
	p, err := starburstPolicy(rule, walk)
	if err != nil {
		return 0, 0, err
	}
	pools, err := world.Servers(where)
	if err != nil {
		return 0, 0, err
	}
	pools = append(pools, sim.Trace{Pool: sim.Pool{Name: "cloud", OnDemand: true, Quota: cloudQuota}, Prices: []sim.Price{{USD: 1}}})
	totals, err := world.RunJobs(pools, jobs, p)
	if err != nil {
		return 0, 0, err
	}
	jct, _ = world.Times(jobs, totals)
	return jct / 3600, totals.Pools[len(pools)-1].Bill.Total(), nil // at 1 USD a GPU-hour
}

// starburstPolicy is a policy by its names in Starburst's simulator: the rule of waiting with its factor,
// and how the queue is walked.
func starburstPolicy(rule, walk string) (*schedulers.Starburst, error) {
	kind, factor, _ := strings.Cut(rule, "-")
	x, err := strconv.ParseFloat(factor, 64)
	patience, known := map[string]schedulers.Patience{"zero": schedulers.Constant, "constant": schedulers.Constant, "linear_runtime": schedulers.PerRuntime,
		"linear_capacity": schedulers.PerGPU, "linear_cost": schedulers.PerGPUHour, "infinite": schedulers.WithoutLimit}[kind]
	if err != nil || !known || walk != "fifo" && walk != "loop" {
		return nil, fmt.Errorf("a rule %q, %q, expected one as linear_cost-0.0625, fifo or loop", rule, walk)
	}
	if kind == "zero" {
		x = 0
	}
	return &schedulers.Starburst{Patience: patience, Factor: x, Backfill: walk == "loop"}, nil
}

// bursts reports every rule of waiting of every trace.
func bursts(f *papers.Figure) error {
	var in struct {
		Traces  []int    `json:"traces"`
		Cluster string   `json:"cluster"`
		Rules   []string `json:"rules"`
		Walks   []string `json:"walks"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, trace := range in.Traces {
		for _, rule := range in.Rules {
			for _, walk := range in.Walks {
				jct, cloud, err := burst(listed(trace), in.Cluster, rule, walk)
				if err != nil {
					return err
				}
				item := fmt.Sprintf("%d-%s-%s", trace, rule, walk)
				f.Report(item+"-jct", jct)
				f.Report(item+"-cloud", cloud)
			}
		}
	}
	return nil
}

// starburstPublished compares Starburst's rule of waiting with none, over the traces.
func starburstPublished(f *papers.Figure) error {
	var in struct {
		Traces         []int `json:"traces"`
		Cluster        string
		Rule, Compared string
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	smallest, largest, longer := 100.0, 0.0, 0.0
	for _, trace := range in.Traces {
		jct, cloud, err := burst(listed(trace), in.Cluster, in.Rule, "fifo")
		if err != nil {
			return err
		}
		comparedJCT, comparedCloud, err := burst(listed(trace), in.Cluster, in.Compared, "fifo")
		if err != nil {
			return err
		}
		smallest, largest = min(smallest, world.Lower(cloud, comparedCloud)), max(largest, world.Lower(cloud, comparedCloud))
		longer = max(longer, -world.Lower(jct, comparedJCT))
	}
	f.Report("saving-least", smallest)
	f.Report("saving-most", largest)
	f.Report("jct-increase", longer)
	return nil
}

// starburstPhilly reports, for each list of jobs derived from Philly and each cluster, what the rule of waiting costs
// in the cloud, and how long jobs take, both in times of what they do without waiting.
func starburstPhilly(f *papers.Figure) error {
	var in struct {
		Sets           []string `json:"sets"`
		Clusters       []string `json:"clusters"`
		Rule, Compared string
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, name := range in.Sets {
		set, err := papers.PulledSet(name)
		if err != nil {
			return err
		}
		var jobs []sim.Job
		for _, r := range set.Jobs {
			if r.GPUs >= 1 && r.DurationUs != nil && *r.DurationUs > 0 {
				jobs = append(jobs, job(float64(r.T-set.Jobs[0].T)/1e6, int(r.GPUs), float64(*r.DurationUs)/1e6))
			}
		}
		for _, cluster := range in.Clusters {
			jct, cloud, err := burst(jobs, cluster, in.Rule, "fifo")
			if err != nil {
				return err
			}
			comparedJCT, comparedCloud, err := burst(jobs, cluster, in.Compared, "fifo")
			if err != nil {
				return err
			}
			f.Report(name+"-"+cluster+"-cost", cloud/comparedCloud)
			f.Report(name+"-"+cluster+"-jct", jct/comparedJCT)
		}
	}
	return nil
}

//go:embed *.csv *.yaml
var files embed.FS
