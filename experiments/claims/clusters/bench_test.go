package clusters

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/experiments/claims/reference/dally"
	reference "github.com/marigram/marigram/experiments/claims/reference/eva"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// perCPU runs something with so many jobs, and says how many are done in a second of processor time.
func perCPU(b *testing.B, jobs int, run func()) {
	begun := simtest.CPUTime()
	for range b.N {
		run()
	}
	b.ReportMetric(float64(jobs*b.N)/(simtest.CPUTime()-begun).Seconds(), "jobs/cpu-s")
}

// overload makes jobs of 1 to 8 GPUs that keep so many GPUs more than busy.
func overload(n, gpus int) []sim.Job {
	draws := sim.Rand{Seed: 1}.Stream(sim.PurposeUser, 0)
	jobs := make([]sim.Job, n)
	at := 0.0
	for j := range jobs {
		k := uint64(4 * j)
		at += math.Round(draws.Exponential(k) * 600 * 32 / float64(gpus))
		jobs[j] = sim.Job{Submit: sim.At(at).Sub(0), Objective: sim.Objective{Within: time.Hour},
			Model: &throughput.Gang{GPUs: 1 << draws.Intn(k+1, 4), Total: math.Round(math.Exp(5 + 5*draws.Uniform(k+2)))}}
	}
	return jobs
}

// world runs a scheduler over and over. Its jobs come one by one, as those of a spec's trace do.
func world(b *testing.B, pools []sim.History, jobs []sim.Job, p sim.Policy) {
	m, err := sim.NewMarket(sim.At(1e8), pools)
	if err != nil {
		b.Fatal(err)
	}
	all := &tally{}
	c := sim.Config{Market: m, Source: oneByOne{jobs: jobs}, Policy: p, JobRecorder: all}
	w, err := sim.New(c)
	if err != nil {
		b.Fatal(err)
	}
	perCPU(b, len(jobs), func() {
		if err := w.Reset(c); err != nil {
			b.Fatal(err)
		}
		all.finished = 0
		w.Run()
		if err := w.Err(); err != nil || all.finished < len(jobs) {
			b.Fatalf("%d of %d jobs finished: %v", all.finished, len(jobs), err)
		}
	})
}

// oneByOne is a source of jobs.
type oneByOne struct {
	jobs []sim.Job
	next int
}

func (o oneByOne) Open() sim.Arrivals { return &o }

func (o *oneByOne) Fork() sim.Arrivals { c := *o; return &c }

func (o *oneByOne) Next(job *sim.Job) (bool, error) {
	if o.next == len(o.jobs) {
		return false, nil
	}
	*job = o.jobs[o.next]
	o.next++
	return true, nil
}

// tally counts jobs.
type tally struct{ finished int }

func (*tally) Job(sim.Time, int, sim.JobEvent) {}

func (t *tally) Ended(_ int, _ *sim.Job, totals *sim.JobTotals) {
	if totals.Finished {
		t.finished++
	}
}

// BenchmarkPeers simulates what the public simulators were timed with.
func BenchmarkPeers(b *testing.B) {
	cluster32, err := servers("n8g4")
	if err != nil {
		b.Fatal(err)
	}
	for name, p := range map[string]sim.Policy{
		"fifo-yarn": &schedulers.FIFO{Placement: schedulers.Consolidated}, "dlas-gpu": &schedulers.LAS{Limits: schedulers.DefaultLimits, AsReleased: true},
		"shortest-gpu": &schedulers.Shortest{Key: schedulers.RemainingService},
	} {
		b.Run("tiresias/"+name, func(b *testing.B) { world(b, cluster32, overload(2000, 32), p) })
	}
	for _, nodes := range []int{4, 64} {
		b.Run(fmt.Sprintf("starburst/%d-nodes", nodes), func(b *testing.B) {
			pools, err := servers(fmt.Sprintf("n%dg8", nodes))
			if err != nil {
				b.Fatal(err)
			}
			pools = append(pools, sim.History{Pool: sim.Pool{Name: "cloud", OnDemand: true, Quota: cloudRoom}, Prices: []sim.Price{{USD: 1}}})
			world(b, pools, overload(20_000, 8*nodes), &schedulers.Starburst{Patience: schedulers.PerGPUHour, Factor: 0.25})
		})
	}
	b.Run("dally", func(b *testing.B) {
		c := dally.Config{Cluster: dally.Cluster{Racks: 4, Machines: 2, Slots: 2, GPUs: 4}, Lease: 600, Chunk: 100, History: 24, Rack: -1, Network: -1, Jobs: dallyJobs("p0")}
		perCPU(b, len(c.Jobs), func() { dally.Run(c) })
	})
	for _, scheduler := range []string{"no-packing", "eva"} {
		b.Run("eva/"+scheduler, func(b *testing.B) {
			c := manyEvaJobs(b, scheduler)
			perCPU(b, len(c.Jobs), func() { reference.Run(c) })
		})
	}
}

// manyEvaJobs is 200 jobs: five times those of trace a, the next an hour after the last that arrived.
func manyEvaJobs(b *testing.B, scheduler string) reference.Config {
	c, err := evaConfig("a", scheduler, 0.95, false)
	if err != nil {
		b.Fatal(err)
	}
	once, first := c.Jobs, 0
	for range 4 {
		first = c.Jobs[len(c.Jobs)-1].Arrival + 3600
		for _, j := range once {
			j.Arrival += first
			c.Jobs = append(c.Jobs, j)
		}
	}
	return c
}
