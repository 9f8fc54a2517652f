package clusters

import (
	"fmt"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/experiments/claims"
	reference "github.com/marigram/marigram/experiments/claims/reference/eva"
	"github.com/marigram/marigram/policies/cluster/eva"
)

func init() {
	claims.Register("eva-runs", evaRuns)
	claims.Register("eva-published", evaPublished)
}

// evaType is a row of the table of instance types.
type evaType struct {
	Name        string  `col:"type"`
	Family      string  `col:"family"`
	GPUs        float64 `col:"gpus"`
	CPUs        float64 `col:"vcpus"`
	Memory      float64 `col:"memory_gb"`
	USD         float64 `col:"usd_per_h"`
	Instantiate int     `col:"instantiate_s"`
	RunWorker   int     `col:"run_worker_s"`
	Register    int     `col:"register_s"`
}

// evaWorkload is a row of the table of kinds of job.
type evaWorkload struct {
	Name      string  `col:"workload"`
	Tasks     int     `col:"tasks"`
	P3GPUs    float64 `col:"p3_gpus"`
	P3CPUs    float64 `col:"p3_vcpus"`
	P3Memory  float64 `col:"p3_memory_gb"`
	C7iGPUs   float64 `col:"c7i_gpus"`
	C7iCPUs   float64 `col:"c7i_vcpus"`
	C7iMemory float64 `col:"c7i_memory_gb"`
	R7iGPUs   float64 `col:"r7i_gpus"`
	R7iCPUs   float64 `col:"r7i_vcpus"`
	R7iMemory float64 `col:"r7i_memory_gb"`
	Speed     float64 `col:"iterations_per_s"`
	Init      int     `col:"init_s"`
	Fetch     int     `col:"fetch_s"`
	Build     int     `col:"build_s"`
	Kill      int     `col:"kill_s"`
	Upload    int     `col:"upload_s"`
}

// evaJob is a row of the table of jobs.
type evaJob struct {
	Trace      string  `col:"trace"`
	Workload   string  `col:"workload"`
	Arrival    int     `col:"arrival_s"`
	Iterations float64 `col:"iterations"`
}

// evaPair is a row of the table of speeds of two workloads on one instance.
type evaPair struct {
	Of     string  `col:"workload"`
	Beside string  `col:"beside"`
	Used   float64 `col:"as_used"`
}

// evaConfig returns the simulation of a trace, with one speed beside each other task, or with that of the
// pair.
func evaConfig(trace, scheduler string, beside float64, pairs bool) (reference.Config, error) {
	var c reference.Config
	for _, r := range facts.Read[evaType]("eva_types") {
		c.Types = append(c.Types, eva.Type{Name: r.Name, USD: r.USD, Room: eva.Unlimited, Full: eva.Resources{r.GPUs, r.CPUs, r.Memory}})
		c.Starts = append(c.Starts, reference.Start{Instantiate: r.Instantiate, RunWorker: r.RunWorker, Register: r.Register})
	}
	families := map[string]func(*evaWorkload) eva.Resources{
		"p3":  func(r *evaWorkload) eva.Resources { return eva.Resources{r.P3GPUs, r.P3CPUs, r.P3Memory} },
		"c7i": func(r *evaWorkload) eva.Resources { return eva.Resources{r.C7iGPUs, r.C7iCPUs, r.C7iMemory} },
		"r7i": func(r *evaWorkload) eva.Resources { return eva.Resources{r.R7iGPUs, r.R7iCPUs, r.R7iMemory} },
	}
	workloads := map[string]*reference.Workload{}
	for _, r := range facts.Read[evaWorkload]("eva_workloads") {
		workloads[r.Name] = &reference.Workload{Name: r.Name, Tasks: r.Tasks, Speed: r.Speed, Init: r.Init, Fetch: r.Fetch, Build: r.Build, Kill: r.Kill, Upload: r.Upload}
		for _, typ := range facts.Read[evaType]("eva_types") {
			workloads[r.Name].Demand = append(workloads[r.Name].Demand, families[typ.Family](&r))
		}
	}
	for _, r := range facts.Read[evaJob]("eva_jobs") {
		if r.Trace == trace {
			c.Jobs = append(c.Jobs, reference.Job{Workload: workloads[r.Workload], Arrival: r.Arrival, Iterations: r.Iterations})
		}
	}
	speeds := map[[2]string]float64{}
	if pairs {
		for _, r := range facts.Read[evaPair]("eva_pairs") {
			speeds[[2]string{r.Of, r.Beside}] = r.Used
		}
	}
	c.Beside = func(of, other *reference.Workload) float64 {
		if v, known := speeds[[2]string{of.Name, other.Name}]; known {
			return v
		}
		return beside
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
func evaRun(trace, scheduler string, beside float64, pairs bool) (o evaOutcome, err error) {
	c, err := evaConfig(trace, scheduler, beside, pairs)
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
func evaRuns(f *claims.Figure) error {
	var in struct {
		Beside float64 `json:"beside"`
		Runs   []struct {
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
				o, err := evaRun(trace, scheduler, in.Beside, r.Pairs)
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
func evaPublished(f *claims.Figure) error {
	var in struct {
		Beside float64  `json:"beside"`
		Traces []string `json:"traces"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	var sum [2]evaOutcome
	for k, scheduler := range []string{"eva", "no-packing"} {
		for _, trace := range in.Traces {
			o, err := evaRun(trace, scheduler, in.Beside, false)
			if err != nil {
				return err
			}
			sum[k].usd += o.usd
			sum[k].jct += o.jct
		}
	}
	f.Report("cost", -lower(sum[0].usd, sum[1].usd))
	f.Report("jct", -lower(sum[0].jct, sum[1].jct))
	return nil
}
