package reliability

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/calibrate/formulas"
	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

// cluster is a published cluster: how many nodes fail how often, and what a failure costs a job.
type cluster struct {
	Nodes   int     `json:"nodes"`
	Rate    float64 `json:"per_1000_node_days"`
	Repair  float64 `json:"repair_s"`
	Save    float64 `json:"save_s"`
	Restart float64 `json:"restart_s"` // with the detection
}

// rates reports, of each published cluster, what is claimed of it: the hours between failures, the effective training
// time ratio with the best interval, by a closed form or in simulated runs, or the nodes that are down.
func rates(f *papers.Figure) error {
	var in struct {
		Clusters map[string]cluster `json:"clusters"`
		Report   map[string]string  `json:"report"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for name, what := range in.Report {
		c, known := in.Clusters[name]
		if !known {
			return fmt.Errorf("report: a cluster %q, expected one of clusters", name)
		}
		nodes := formulas.Nodes{N: c.Nodes, Rate: c.Rate}
		switch what {
		case "hours":
			f.Report(name, nodes.MTTF()/3600)
		case "ettr":
			saves := policies.CheckpointInterval{Save: c.Save, MTBF: nodes.MTTF(), Restart: c.Restart}
			f.Report(name, 1/saves.Stretch(saves.Exact()))
		case "simulated-ettr":
			saves := policies.CheckpointInterval{Save: c.Save, MTBF: nodes.MTTF(), Restart: c.Restart}
			x, err := c.simulate(saves.Exact())
			if err != nil {
				return err
			}
			f.Report(name, x)
		case "down":
			f.Report(name, nodes.Down(c.Repair))
		default:
			return fmt.Errorf("report: %q of %s, expected hours, ettr, simulated-ettr or down", what, name)
		}
	}
	return nil
}

// simulate returns the effective training time ratio of a job on all nodes, with so many seconds between saves: useful
// node-hours by those held, of four runs of 200 days. A node that fails is replaced at once, by one of the standbys.
func (c *cluster) simulate(interval float64) (float64, error) {
	const days = 200
	whole := days * 24 * time.Hour
	failures := &sim.Failures{PerHour: c.Rate / 1000 / 24, Standbys: c.Nodes / 4, Repairs: []sim.Repair{{Mean: time.Hour}}}
	market, err := sim.NewMarket(sim.Time(0).Add(2*whole), []sim.Trace{{
		Pool:   sim.Pool{Name: "nodes", Quota: c.Nodes, Failures: failures},
		Prices: []sim.Price{{USD: 1}},
	}})
	if err != nil {
		return 0, err
	}
	job := sim.Job{Name: "job", Objective: sim.Objective{Within: sim.NoDeadline}, Model: &throughput.Gang{GPUs: c.Nodes, Total: whole.Seconds(),
		Restart: papers.Seconds(c.Restart), SaveEvery: papers.Seconds(interval), Save: papers.Seconds(c.Save)}}
	useful, held := 0.0, 0.0
	for seed := range uint64(4) {
		w, err := sim.New(sim.Config{Market: market, Policy: &schedulers.FIFO{}, Seed: seed + 1, Jobs: []sim.Job{job}, Horizon: 2 * whole})
		if err != nil {
			return 0, err
		}
		t := &w.Run().Jobs[0]
		useful += t.Activities[sim.Useful].Hours()
		held += t.InstanceTime.Hours()
	}
	return useful / held, nil
}
