package hadar

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/gavel/reference"
	"github.com/marigram/marigram/papers/hadar/auction"
	"github.com/marigram/marigram/papers/internal/world"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/policies/schedulers/share"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces/synth/workload"
)

// hadarInputs describe jobs that are all there at once on a cluster of several models of GPU.
type hadarInputs struct {
	Jobs     int          `json:"jobs"`
	Seed     uint64       `json:"seed"`
	GPUHours [][2]float64 `json:"gpu_hours"` // on V100: classes of jobs, equally frequent, each from and to
	Servers  int          `json:"servers"`   // of each model
	GPUs     int          `json:"gpus"`      // of a server
	Restart  float64      `json:"restart_s"`
}

// compared is what became of the jobs under a scheduler, means.
type compared struct{ jct, queue, makespan, fairness float64 }

// cluster returns the servers as pools, or each model as one.
func (in *hadarInputs) cluster(servers, gpus int) (pools []sim.Trace, model []int) {
	for m, name := range throughput.Gavel().GPUs {
		for k := range servers {
			pools = append(pools, sim.Trace{Pool: sim.Pool{Name: fmt.Sprintf("%s-%d", name, k), GPU: name, Quota: gpus}, Prices: []sim.Price{{}}})
			model = append(model, m)
		}
	}
	return pools, model
}

// run simulates a scheduler on n servers of each model.
func (in *hadarInputs) run(servers, gpus int, p sim.Policy) (c compared, err error) {
	if in.Jobs < 1 || servers < 1 || gpus < 1 || len(in.GPUHours) == 0 {
		return c, fmt.Errorf("%d jobs of %d classes on %d servers of %d GPUs, expected at least one of each", in.Jobs, len(in.GPUHours), servers, gpus)
	}
	pools, model := in.cluster(servers, gpus)
	draws := sim.Rand{Seed: in.Seed}.Stream(sim.PurposeUser, 0)
	var jobs []sim.Job
	var alone []float64 // s that each job takes with an equal part of the cluster for itself
	for i, generated := range (&workload.Gavel{Seed: int64(in.Seed), SeveralGPUs: true}).Make(in.Jobs) {
		class := in.GPUHours[int(draws.Uniform(uint64(2*i))*float64(len(in.GPUHours)))]
		hours := class[0] + (class[1]-class[0])*draws.Uniform(uint64(2*i+1))
		speeds := throughput.Gavel().Speeds(generated.Kind, generated.GPUs)
		g := &throughput.Gang{GPUs: generated.GPUs, Restart: papers.Seconds(in.Restart),
			Total: hours / float64(generated.GPUs) * 3600 * throughput.Gavel().Speed(generated.Kind, "v100", generated.GPUs)}
		even, part := 0.0, float64(servers*gpus)/float64(in.Jobs*generated.GPUs)
		for _, m := range model {
			g.Speeds = append(g.Speeds, speeds[m])
		}
		for _, x := range speeds {
			even += x * min(part, 1/float64(len(speeds)))
		}
		jobs, alone = append(jobs, sim.Job{Model: g}), append(alone, g.Total/even)
	}
	totals, err := world.RunJobs(pools, jobs, p)
	if err != nil {
		return c, err
	}
	c.jct, c.makespan = world.Times(jobs, totals)
	for j, t := range totals.Jobs {
		c.queue += t.Waited.Seconds() / float64(in.Jobs)
		c.fairness += t.Elapsed.Seconds() / alone[j] / float64(in.Jobs)
	}
	return c, nil
}

// all simulates the reconstruction, Gavel's max-min fairness, and first come first served without a look at models
// of GPU.
func (in *hadarInputs) all() (hadar, gavel, fifo compared, err error) {
	together := in.Servers * in.GPUs
	hadar, err = in.run(in.Servers, in.GPUs, &auction.Hadar{Restart: time.Duration(in.Restart * float64(time.Second))})
	if err == nil {
		gavel, err = in.run(1, together, &schedulers.Rounds{Rule: func() share.Rule { return &share.MaxMin{} }})
	}
	if err == nil {
		fifo, err = in.run(1, together, &schedulers.Rounds{Rule: func() share.Rule { return reference.NewFIFO(int64(in.Seed)) }, OnlyShares: true})
	}
	return hadar, gavel, fifo, err
}

// hadarPublished reports the ratios that the abstracts give.
func hadarPublished(f *papers.Figure) error {
	var in hadarInputs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	hadar, gavel, fifo, err := in.all()
	if err != nil {
		return err
	}
	f.Report("yarn-jct-ratio", fifo.jct/hadar.jct)
	f.Report("gavel-jct-ratio", gavel.jct/hadar.jct)
	f.Report("gavel-queue", world.Lower(hadar.queue, gavel.queue))
	f.Report("gavel-fairness", world.Lower(hadar.fairness, gavel.fairness))
	f.Report("gavel-duration-ratio", gavel.makespan/hadar.makespan)
	return nil
}

// hadarBounds reports the two ratios that the reconstruction is expected to exceed.
func hadarBounds(f *papers.Figure) error {
	var in hadarInputs
	if err := f.Inputs(&in); err != nil {
		return err
	}
	hadar, gavel, fifo, err := in.all()
	if err != nil {
		return err
	}
	f.Report("yarn-jct-ratio", fifo.jct/hadar.jct)
	f.Report("gavel-jct-ratio", gavel.jct/hadar.jct)
	return nil
}
