package kueue

import (
	"fmt"
	"slices"
	"testing"
)

// class is jobs of Kueue's performance test: so many in each queue, one every interval.
type class struct {
	name                  string
	jobs                  int
	everyMS, runsMS, gpus int64
	priority              int32
}

// large is its configuration large-scale: 10 cohorts of 100 queues, 50,000 jobs (test/performance/scheduler/configs of
// github.com/kubernetes-sigs/kueue at ff69552).
var large = []class{
	{"small", 35, 60, 150, 1, 50},
	{"medium", 11, 300, 350, 5, 100},
	{"large", 4, 700, 700, 20, 200},
}

// baseline is its configuration of that name: 5 cohorts of 6 queues, 15,000 jobs.
var baseline = []class{
	{"small", 350, 100, 200, 1, 50},
	{"medium", 100, 500, 500, 5, 100},
	{"large", 50, 1200, 1000, 20, 200},
}

// BenchmarkKueuePerformance plays them with a millisecond for a second, so that nothing is lost to rounding, and reports
// the mean time from the creation of a job to its last admission by class. The wall times that Kueue prints, 351 and
// 1,179 s, are real time with an API server.
func BenchmarkKueuePerformance(b *testing.B) {
	for _, of := range []struct {
		name            string
		cohorts, queues int
		classes         []class
	}{{"baseline", 5, 6, baseline}, {"large", 10, 100, large}} {
		b.Run(of.name, func(b *testing.B) {
			for b.Loop() {
				jobs, admissions, waits := playPerformance(b, of.cohorts, of.queues, of.classes)
				b.ReportMetric(float64(jobs), "jobs")
				b.ReportMetric(float64(admissions), "admissions")
				for k := range of.classes {
					b.ReportMetric(waits[k], of.classes[k].name+"-ms")
				}
			}
		})
	}
}

// performanceEvent is a job that arrives, or the end of one.
type performanceEvent struct {
	at  int64
	job int
	run int
}

func playPerformance(b testing.TB, cohorts, queues int, classes []class) (all, admissions int, waits []float64) {
	var config Config
	config.ReleaseAtOnce = true
	var jobs []*Job
	var coming []performanceEvent
	var runs []int64
	var classOf []int
	for c := range cohorts {
		for q := range queues {
			name := fmt.Sprintf("queue-%d-%d", c, q)
			config.Queues = append(config.Queues, ClusterQueue{Name: name, Cohort: fmt.Sprint("cohort-", c), Weight: 1,
				Groups: gpus(Quota{Nominal: 20, Borrowing: 100, Lending: NoLimit}), Within: LowerPriority, Reclaim: Any,
				TryNextToPreempt: true})
			for number, k := range classes {
				for i := range k.jobs {
					at := int64(i) * k.everyMS
					coming = append(coming, performanceEvent{at: at, job: len(jobs)})
					jobs = append(jobs, ask(fmt.Sprintf("%s-%s-%d", k.name, name, i), name, k.priority, at, k.gpus))
					runs = append(runs, k.runsMS)
					classOf = append(classOf, number)
				}
			}
		}
	}
	cluster, err := New(config)
	if err != nil {
		b.Fatal(err)
	}
	slices.SortFunc(coming, func(x, y performanceEvent) int { return int(x.at - y.at) })
	buckets := map[int64][]performanceEvent{}
	starts := make([]int, len(jobs))
	admitted := make([]int64, len(jobs)) // last
	last := coming[len(coming)-1].at
	for now := int64(0); now <= last; now++ {
		n := 0
		for _, e := range buckets[now] {
			if starts[e.job] == e.run {
				cluster.Finish(e.job)
				n++
			}
		}
		delete(buckets, now)
		for len(coming) > 0 && coming[0].at == now {
			if err := cluster.Submit(coming[0].job, jobs[coming[0].job]); err != nil {
				b.Fatal(err)
			}
			coming = coming[1:]
			n++
		}
		if n == 0 {
			continue
		}
		err := cluster.Settle(now, func(e Event) {
			switch e.Kind {
			case Admitted:
				admissions++
				starts[e.Job]++
				admitted[e.Job] = now
				end := now + runs[e.Job]
				buckets[end] = append(buckets[end], performanceEvent{at: end, job: e.Job, run: starts[e.Job]})
				last = max(last, end)
			case Preempted:
				starts[e.Job]++
			}
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	waits = make([]float64, len(classes))
	for j, number := range classOf {
		n := float64(cohorts * queues * classes[number].jobs)
		waits[number] += float64(admitted[j]-jobs[j].Created) / n
	}
	return len(jobs), admissions, waits
}
