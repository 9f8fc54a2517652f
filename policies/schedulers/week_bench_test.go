package schedulers_test

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/throughput"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// week is jobs like those of Microsoft's Philly, made one by one: most have one GPU and are short, the long ones
// have most of the GPU time; there are four times as many at noon as at midnight.
type week struct {
	jobs, next int
	gap        float64 // mean, s
	at         float64
	draws      sim.Stream
}

// philly is a number of jobs in some weeks, which load a cluster of GPUs to a share.
func philly(jobs int, weeks, gpus, load float64) week {
	const meanGang, sigma = 2.07, 2.0
	gap := weeks * 7 * 86400 / float64(jobs)
	seconds := load * gpus * gap / meanGang // a job, in the mean
	w := week{jobs: jobs, gap: gap, draws: sim.Rand{Seed: 1}.Stream(sim.PurposeUser, 0)}
	w.at = seconds / math.Exp(sigma*sigma/2) // the median, until Open
	return w
}

func (w week) Open() sim.Arrivals { return &arriving{week: w, median: w.at} }

// arriving is what is left of a week.
type arriving struct {
	week
	median float64
}

func (a *arriving) Fork() sim.Arrivals {
	c := *a
	return &c
}

// gangs and their shares, cumulated.
var gangs = []struct {
	gpus  int
	share float64
}{{1, 0.75}, {2, 0.85}, {4, 0.93}, {8, 0.985}, {16, 0.997}, {32, 1}}

func (a *arriving) Next(job *sim.Job) (bool, error) {
	if a.next == a.jobs {
		return false, nil
	}
	if a.next == 0 {
		a.at = 0
	}
	n := uint64(4 * a.next)
	a.next++
	day := 1 - 0.6*math.Cos(2*math.Pi*a.at/86400)
	a.at += a.draws.Exponential(n) * a.gap / day
	gpus, u := 0, a.draws.Uniform(n+1)
	for _, g := range gangs {
		if gpus = g.gpus; u < g.share {
			break
		}
	}
	model, ok := job.Model.(*throughput.Gang)
	if !ok {
		model = new(throughput.Gang)
	}
	*model = throughput.Gang{GPUs: gpus, Total: math.Ceil(a.median * math.Exp(2*a.draws.Normal(n+2)))}
	*job = sim.Job{Submit: sim.At(math.Round(a.at)).Sub(0), Model: model, Objective: sim.Objective{Within: time.Hour}}
	return true, nil
}

// thousands is a cluster of servers of 8 GPUs, 40 a switch.
func thousands(tb testing.TB, servers int) *sim.Market {
	var pools []sim.Trace
	for k := range servers {
		pools = append(pools, sim.Trace{
			Pool:   sim.Pool{Name: fmt.Sprint("server-", k), Region: fmt.Sprint("switch-", k/40), Quota: 8},
			Prices: []sim.Price{{USD: 1}},
		})
	}
	m, err := sim.NewMarket(sim.At(1e9), pools)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// BenchmarkWeek runs a week of 100,000 jobs on 1,000 GPUs; ten such weeks, in which a decision costs what it did: it
// does not follow how many jobs there were; and a week of 1,000,000 jobs on 10,000 GPUs.
func BenchmarkWeek(b *testing.B) {
	for _, x := range []struct{ jobs, weeks, gpus int }{{100_000, 1, 1000}, {1_000_000, 10, 1000}, {1_000_000, 1, 10_000}} {
		if testing.Short() && x.jobs > 100_000 {
			continue
		}
		m := thousands(b, x.gpus/8)
		for name, p := range map[string]sim.Policy{
			"fifo": &schedulers.FIFO{Placement: schedulers.Consolidated}, "tiresias": &schedulers.LAS{Limits: schedulers.DefaultLimits},
		} {
			b.Run(fmt.Sprintf("%s/jobs=%d/gpus=%d", name, x.jobs, x.gpus), func(b *testing.B) {
				start := simtest.CPUTime()
				var decisions, events int64
				for range b.N {
					w, err := sim.New(sim.Config{Market: m, Policy: p, Source: philly(x.jobs, float64(x.weeks), float64(x.gpus), 0.9)})
					if err != nil {
						b.Fatal(err)
					}
					t := w.Run()
					if w.Err() != nil {
						b.Fatal(w.Err())
					}
					decisions, events = t.Decisions, t.Events
				}
				cpu := float64(simtest.CPUTime() - start)
				var mem runtime.MemStats
				runtime.ReadMemStats(&mem)
				b.ReportMetric(cpu/float64(b.N)/1e9, "cpu-s")
				b.ReportMetric(cpu/float64(b.N)/float64(x.jobs), "cpu-ns/job")
				b.ReportMetric(cpu/float64(b.N)/float64(decisions), "cpu-ns/decision")
				b.ReportMetric(float64(events), "events")
				b.ReportMetric(float64(mem.Sys)/1e6, "MB")
			})
		}
	}
}

// In the middle of a week nothing is allocated at an event, but for room that a job needs and none had before in its
// slot; and a week is the same on one processor.
func TestWeek(t *testing.T) {
	check := near.Count(t)
	m := thousands(t, 10)
	for _, p := range []sim.Policy{&schedulers.FIFO{Placement: schedulers.Consolidated}, &schedulers.FIFO{Backfill: true},
		&schedulers.LAS{Limits: schedulers.DefaultLimits}} {
		c := sim.Config{Market: m, Policy: p, Source: philly(8000, 1, 80, 0.8)}
		w, err := sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		w.RunUntil(sim.At(5.9 * 86400)) // at night, when there are fewer jobs than there were at noon
		before := w.Totals().Events
		n := testing.AllocsPerRun(1, func() { w.RunUntil(w.Now().Add(4 * time.Hour)) })
		if events := w.Totals().Events - before; check.Above(20*n, float64(events)) || events < 200 {
			t.Errorf("%s: %v allocations in %d events", p.Name(), n, events)
		}
		w.Run()
		all := *w.Totals()
		was := runtime.GOMAXPROCS(1)
		w, err = sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		w.Run()
		runtime.GOMAXPROCS(was)
		if got := *w.Totals(); !reflect.DeepEqual(got, all) {
			t.Errorf("%s: on one processor %+v, expected %+v", p.Name(), got, all)
		}
	}
}
