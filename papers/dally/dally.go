package dally

import (
	"embed"
	"fmt"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/dally/reference"
	"github.com/marigram/marigram/papers/internal/world"
)

// dallyJob is a row of the table of jobs.
type dallyJob struct {
	Trace      string  `col:"trace"`
	Arrival    float64 `col:"arrival_s"`
	Model      string  `col:"model"`
	GPUs       int     `col:"gpus"`
	Iterations int     `col:"iterations"`
	Seconds    float64 `col:"iteration_s"`
}

// dallyModel is a row of the table of speeds.
type dallyModel struct {
	Model   string  `col:"model"`
	Machine float64 `col:"machine"`
	Rack    float64 `col:"rack"`
	Network float64 `col:"network"`
	Spread  int     `col:"spread"`
}

// dallyInputs are the inputs of both figures.
type dallyInputs struct {
	Traces   []string `json:"traces"`
	Variants []string `json:"variants"`
	Racks    int      `json:"racks"`
	Machines int      `json:"machines"` // a rack
	Slots    int      `json:"slots"`    // a machine
	GPUs     int      `json:"gpus"`     // a slot
	Lease    float64  `json:"lease_s"`
	Chunk    int      `json:"chunk_iterations"`
	History  float64  `json:"history_leases"`
}

// outcome is what became of the jobs of a run: means, s, but for the last two.
type outcome struct{ jct, communication, queue, makespan, placements float64 }

// variant simulates a variant, by its name in the recorded runs.
func (in *dallyInputs) variant(trace, name string) (o outcome, err error) {
	c := reference.Config{Cluster: reference.Cluster{Racks: in.Racks, Machines: in.Machines, Slots: in.Slots, GPUs: in.GPUs},
		Lease: in.Lease, Chunk: in.Chunk, History: in.History, Jobs: dallyJobs(trace)}
	switch name {
	case "dally-auto":
		c.Rack, c.Network = -1, -1
	case "dally-nowait":
	case "tiresias":
		c.Tiresias = true
	default:
		if n, _ := fmt.Sscanf(name, "dally-%d-%d", &c.Rack, &c.Network); n != 2 {
			return o, fmt.Errorf("a variant named %q, expected dally-auto, dally-nowait, tiresias or one as dally-2-4", name)
		}
	}
	n := float64(len(c.Jobs))
	for j, r := range reference.Run(c) {
		x := &c.Jobs[j]
		o.jct += (r.End - x.Arrival) / n
		o.communication += (r.Run - float64(x.Iterations)*x.Seconds/float64(x.GPUs)) / n
		o.queue += r.Queue / n
		o.makespan = max(o.makespan, r.End)
		for _, sets := range r.Sets {
			o.placements += float64(sets)
		}
	}
	return o, nil
}

// dallyJobs returns the jobs of a trace.
func dallyJobs(trace string) (jobs []reference.Job) {
	models := map[string]dallyModel{}
	for _, m := range facts.ReadFrom[dallyModel](files, "speeds") {
		models[m.Model] = m
	}
	for _, r := range facts.ReadFrom[dallyJob](files, "jobs") {
		if m := models[r.Model]; r.Trace == trace {
			jobs = append(jobs, reference.Job{Arrival: r.Arrival, GPUs: r.GPUs, Iterations: r.Iterations, Seconds: r.Seconds,
				Speed: [reference.SeveralRacks + 1]float64{1, m.Machine, m.Rack, m.Network}, Spread: m.Spread == 1})
		}
	}
	return jobs
}

// variants reports every variant of every trace.
func variants(f *papers.Figure) error {
	var in dallyInputs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, trace := range in.Traces {
		for _, name := range in.Variants {
			o, err := in.variant(trace, name)
			if err != nil {
				return err
			}
			item := trace + "-" + name
			f.Report(item+"-makespan", o.makespan)
			f.Report(item+"-jct", o.jct)
			f.Report(item+"-communication", o.communication)
			f.Report(item+"-queue", o.queue)
			f.Report(item+"-placements", o.placements)
		}
	}
	return nil
}

// dallyPublished compares the first variant with the second, on the first trace.
func dallyPublished(f *papers.Figure) error {
	var in dallyInputs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	if len(in.Traces) != 1 || len(in.Variants) != 2 {
		return fmt.Errorf("%d traces, %d variants, expected one and two", len(in.Traces), len(in.Variants))
	}
	o, err := in.variant(in.Traces[0], in.Variants[0])
	if err != nil {
		return err
	}
	compared, err := in.variant(in.Traces[0], in.Variants[1])
	if err != nil {
		return err
	}
	f.Report("makespan", world.Lower(o.makespan, compared.makespan))
	f.Report("jct", world.Lower(o.jct, compared.jct))
	f.Report("communication", world.Lower(o.communication, compared.communication))
	return nil
}

//go:embed *.csv *.yaml
var files embed.FS
