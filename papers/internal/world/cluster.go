package world

import (
	"fmt"
	"strconv"
	"time"

	"github.com/marigram/marigram/sim"
)

// Servers returns a cluster by its name in the recorded runs: n, perhaps switches x, servers, g, GPUs of
// each. An instance is a GPU.
func Servers(name string) ([]sim.Trace, error) {
	switches, nodes, gpus := 1, 0, 0
	if n, _ := fmt.Sscanf(name, "n%dx%dg%d", &switches, &nodes, &gpus); n != 3 {
		switches = 1
		if n, _ := fmt.Sscanf(name, "n%dg%d", &nodes, &gpus); n != 2 {
			return nil, fmt.Errorf("a cluster named %q, expected one as n8g4 (8 servers of 4 GPUs) or n2x6g4 (at two switches)", name)
		}
	}
	if switches < 1 || nodes < 1 || gpus < 1 || switches*nodes*gpus > 1<<16 {
		return nil, fmt.Errorf("cluster %q: expected 1 to 65,536 GPUs", name)
	}
	var pools []sim.Trace
	for k := range switches * nodes {
		pools = append(pools, sim.Trace{
			Pool:   sim.Pool{Name: strconv.Itoa(k), Region: strconv.Itoa(k / nodes), Quota: gpus, Reserved: true},
			Prices: []sim.Price{{}},
		})
	}
	return pools, nil
}

// RunJobs simulates jobs on a cluster. A job that does not end is an error.
func RunJobs(pools []sim.Trace, jobs []sim.Job, p sim.Policy) (*sim.Totals, error) {
	m, err := sim.NewMarket(sim.At(1e9), pools)
	if err != nil {
		return nil, err
	}
	for j := range jobs {
		jobs[j].Objective.Within = time.Hour // nothing depends on it
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: jobs, Policy: p})
	if err != nil {
		return nil, err
	}
	totals := w.Run()
	for j := range totals.Jobs {
		if !totals.Jobs[j].Finished {
			return nil, fmt.Errorf("job %d does not end", j)
		}
	}
	return totals, nil
}

// Times returns the mean time to completion and the last end, s.
func Times(jobs []sim.Job, totals *sim.Totals) (jct, makespan float64) {
	for j, t := range totals.Jobs {
		jct += t.Elapsed.Seconds() / float64(len(jobs))
		makespan = max(makespan, (jobs[j].Submit + t.Elapsed).Seconds())
	}
	return jct, makespan
}

// Lower returns by how many per cent x is below was.
func Lower(x, was float64) float64 { return 100 * (1 - x/was) }
