// Package peers times what the public simulators of schedulers were timed with, for benchmarks.
package peers

import (
	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
	"math"
	"testing"
	"time"
)

// PerCPU runs something with n jobs, and says how many are done in a second of processor time.
func PerCPU(b *testing.B, jobs int, run func()) {
	begun := simtest.CPUTime()
	for range b.N {
		run()
	}
	b.ReportMetric(float64(jobs*b.N)/(simtest.CPUTime()-begun).Seconds(), "jobs/cpu-s")
}

// Overload makes jobs of 1 to 8 GPUs that keep n GPUs more than busy.
func Overload(n, gpus int) []sim.Job {
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

// Scheduler runs a scheduler over and over. Its jobs come one by one, as those of a spec's trace do.
func Scheduler(b *testing.B, pools []sim.Trace, jobs []sim.Job, p sim.Policy) {
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
	PerCPU(b, len(jobs), func() {
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
