package eva

import (
	"fmt"
	"github.com/marigram/marigram/papers/internal/world"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/policies/schedulers/eva"
	"github.com/marigram/marigram/sim"
)

// evaPolicies are the policies by the names of the replay.
var evaPolicies = map[string]eva.Plans{"no-packing": eva.Apart, "eva": eva.Whole, "eva-partial": eva.Partial}

// evaTables are the types of instances as pools, the kinds of jobs, and what they keep next to each other.
type evaTables struct {
	pools []sim.Trace
	kinds map[string]*throughput.Gang
	pairs throughput.InstancePairs
}

// evaQuota is as many instances of a type as there are tasks.
const evaQuota = 300

func readEva() (t evaTables, err error) {
	types, err := throughput.Types(throughput.Eva, nil)
	if err != nil {
		return t, err
	}
	kinds, err := throughput.Kinds(throughput.Eva, nil)
	if err != nil {
		return t, err
	}
	for _, x := range types {
		t.pools = append(t.pools, sim.Trace{Prices: []sim.Price{{USD: x.USD}}, Pool: sim.Pool{Name: x.Name, InstanceType: x.Name, OnDemand: true,
			Quota: evaQuota, Wait: x.Order, Boot: sim.Boot{Median: x.Boot}, Full: x.Full}})
	}
	t.kinds = map[string]*throughput.Gang{}
	for k, x := range kinds {
		task := &throughput.Task{Kind: k, Times: x.Times}
		g := &throughput.Gang{GPUs: x.Tasks, Task: task}
		for _, typ := range types {
			need, runs := x.On(typ.Family)
			task.Needs = append(task.Needs, throughput.Need{Of: need, Runs: runs})
			g.Speeds = append(g.Speeds, x.Speed)
		}
		t.kinds[x.Name] = g
	}
	t.pairs, err = throughput.ReadInstancePairs(throughput.Eva, nil)
	return t, err
}

// run simulates a policy on a trace: dollars, and the mean time to completion, s.
func (t *evaTables) run(trace string, plans eva.Plans, speed float64, pairs bool) (usd, jct float64, err error) {
	var jobs []sim.Job
	for _, r := range facts.ReadFrom[evaJob](files, "jobs") {
		if r.Trace == trace {
			g := *t.kinds[r.Workload]
			g.Total = r.Iterations
			jobs = append(jobs, sim.Job{Name: r.Workload, Model: &g, Submit: time.Duration(r.Arrival) * time.Second, Objective: sim.Objective{Within: time.Hour}})
		}
	}
	keeps := func(_ *sim.Pool, of, other *sim.Job) float64 {
		if v, known := t.pairs[[2]string{of.Name, other.Name}]; known && pairs {
			return v
		}
		return speed
	}
	m, err := sim.NewMarket(sim.At(1e6), t.pools)
	if err != nil {
		return 0, 0, err
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: eva.NewPolicy(plans), Sharing: sim.Sharing{Keeps: keeps, Leave: time.Second, Return: time.Second}})
	if err != nil {
		return 0, 0, err
	}
	totals := w.Run()
	for j, x := range totals.Jobs {
		if !x.Finished {
			return 0, 0, fmt.Errorf("job %d does not end", j)
		}
	}
	jct, _ = world.Times(jobs, totals)
	return totals.Bill.OnDemand, jct, nil
}

// evaInWorld reports every run in the world.
func evaInWorld(f *papers.Figure) error {
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
	tables, err := readEva()
	if err != nil {
		return err
	}
	for _, r := range in.Runs {
		for _, trace := range r.Traces {
			for _, scheduler := range r.Schedulers {
				plans, known := evaPolicies[scheduler]
				if !known {
					return fmt.Errorf("a scheduler named %q, expected no-packing, eva or eva-partial", scheduler)
				}
				usd, jct, err := tables.run(trace, plans, in.Keeps, r.Pairs)
				if err != nil {
					return err
				}
				item := trace + "-" + scheduler + map[bool]string{false: "-alike", true: "-pairs"}[r.Pairs]
				f.Report(item+"-cost", usd)
				f.Report(item+"-jct", jct)
			}
		}
	}
	return nil
}
