package tiresias

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/internal/world"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// tiresiasJob is a row of the table of jobs.
type tiresiasJob struct {
	Trace   int     `col:"trace"`
	GPUs    int     `col:"gpus"`
	Submit  float64 `col:"submit_s"`
	Seconds float64 `col:"duration_s"`
}

// tiresiasJobs returns the jobs of a trace.
func tiresiasJobs(trace int) (jobs []sim.Job) {
	for _, r := range facts.ReadFrom[tiresiasJob](files, "jobs") {
		if r.Trace == trace {
			jobs = append(jobs, sim.Job{Submit: time.Duration(r.Submit * float64(time.Second)), Model: &throughput.Gang{GPUs: r.GPUs, Total: r.Seconds}})
		}
	}
	return jobs
}

// schedules reports the mean time to completion and the last end of every schedule of a trace, by
// the names of Tiresias's simulator.
func schedules(f *papers.Figure) error {
	var in struct {
		Traces    []int                          `json:"traces"`
		Limits    [2]float64                     `json:"limits_gpu_s"`
		Schedules map[string]map[string][]string `json:"schedules"` // by cluster and placement
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, trace := range in.Traces {
		for where, placements := range in.Schedules {
			for placement, names := range placements {
				for _, name := range names {
					jct, makespan, err := schedule(trace, where, placement, name, in.Limits)
					if err != nil {
						return err
					}
					item := fmt.Sprintf("%d-%s-%s-%s", trace, where, placement, name)
					f.Report(item+"-jct", jct)
					f.Report(item+"-makespan", makespan)
				}
			}
		}
	}
	return nil
}

// schedule simulates one schedule.
func schedule(trace int, where, placement, name string, limits [2]float64) (jct, makespan float64, err error) {
	pools, err := world.Servers(where)
	if err != nil {
		return 0, 0, err
	}
	policy, err := tiresiasPolicy(placement, name, limits)
	if err != nil {
		return 0, 0, err
	}
	jobs := tiresiasJobs(trace)
	totals, err := world.RunJobs(pools, jobs, policy)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", name, err)
	}
	jct, makespan = world.Times(jobs, totals)
	return jct, makespan, nil
}

// tiresiasPolicy is a scheduler by its name in Tiresias's simulator, as released.
func tiresiasPolicy(placement, name string, limits [2]float64) (sim.Policy, error) {
	where := schedulers.Anywhere
	if placement == "yarn" {
		where = schedulers.Consolidated
	}
	las := &schedulers.LAS{Limits: schedulers.Limits{First: limits[0], Second: limits[1]}, AsReleased: true}
	switch name {
	case "fifo", "fjf":
		return &schedulers.FIFO{Placement: where, Backfill: name == "fjf"}, nil
	case "shortest":
		return &schedulers.Shortest{Key: schedulers.RemainingTime}, nil
	case "shortest-gpu":
		return &schedulers.Shortest{Key: schedulers.RemainingService}, nil
	case "sjf":
		return &schedulers.Shortest{Key: schedulers.Size}, nil
	case "dlas":
		las.TimeOnly = true
		return las, nil
	case "dlas-gpu":
		return las, nil
	case "dlas-gpu-gittins":
		las.Gittins = schedulers.NewGittins(services(), limits[0])
		return las, nil
	}
	promote, numbered := strings.CutPrefix(name, "dlas-gpu-")
	k, err := strconv.ParseFloat(promote, 64)
	if !numbered || err != nil || !(k > 0) {
		return nil, fmt.Errorf("a schedule named %q, expected one of Tiresias's simulator", name)
	}
	las.Promote = k
	return las, nil
}

// services is the sample of the Gittins index, GPU-seconds.
func services() (list []float64) {
	type row struct {
		Seconds float64 `col:"gpu_seconds"`
	}
	for _, r := range facts.Read[row]("tiresias_service") {
		list = append(list, r.Seconds)
	}
	return list
}

// tiresiasPublished reports how many times as long jobs take on average with YARN-CS as with Tiresias:
// the largest of the traces.
func tiresiasPublished(f *papers.Figure) error {
	var in struct {
		Traces  []int      `json:"traces"`
		Limits  [2]float64 `json:"limits_gpu_s"`
		Cluster string     `json:"cluster"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	largest := 0.0
	for _, trace := range in.Traces {
		yarn, _, err := schedule(trace, in.Cluster, "yarn", "fifo", in.Limits)
		if err != nil {
			return err
		}
		las, _, err := schedule(trace, in.Cluster, "count", "dlas-gpu", in.Limits)
		if err != nil {
			return err
		}
		largest = max(largest, yarn/las)
	}
	f.Report("jct-ratio", largest)
	return nil
}

//go:embed *.csv *.yaml
var files embed.FS
