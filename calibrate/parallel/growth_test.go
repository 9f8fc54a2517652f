package parallel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
)

// trainsByScan is what Job.trains says, by going through all sizes.
func trainsByScan(j *Job, n int) bool {
	return n >= j.Min && n <= j.Max && (j.Sizes == nil || slices.Contains(j.Sizes, n))
}

// boundsByScan is the least number of instances that WorkerBounds says, by trying one number after the other.
func boundsByScan(m *Model, need float64) int {
	hi := m.MaxUseful()
	for n := 1; n <= hi; n++ {
		training := m.clusters[n].training
		if training == 0 {
			continue
		}
		reaches := func(rate float64) bool { return rate >= need }
		if slices.ContainsFunc(m.teams[training].rate, reaches) {
			return n
		}
	}
	return hi + 1
}

// Sizes and bounds that are searched for are those that a scan finds.
func TestSearchesFindWhatScansFind(t *testing.T) {
	cases := testutil.Size(300, 30_000)
	for seed := range uint64(cases) {
		draw := rand.New(rand.NewPCG(seed, 49))
		pools := 1 + draw.IntN(3)
		job := Job{Samples: 1e6 * draw.Float64(), Batch: 1 + draw.Float64(), Min: 1 + draw.IntN(4)}
		job.Max = job.Min + draw.IntN(40)
		if draw.IntN(3) > 0 {
			for n := job.Min; n <= job.Max; n++ {
				if draw.IntN(2) == 0 {
					job.Sizes = append(job.Sizes, n)
				}
			}
		}
		if job.check() != nil {
			continue // no size at all
		}
		batch := func(workers int) float64 { return job.Batch * float64(workers) }
		seconds := func(workers, pool int) float64 {
			return 1/float64(workers) + 0.1*draw.Float64()*float64(workers+pool)
		}
		m := newModel(job, pools, batch, seconds)
		for n := range job.Max + 3 {
			if got, want := job.trains(n), trainsByScan(&job, n); got != want {
				t.Fatalf("seed %d: %d instances of sizes %v train: %v, expected %v", seed, n, job.Sizes, got, want)
			}
		}
		for range 20 {
			seconds := math.Exp(20*draw.Float64() - 2)
			to := job.Samples * draw.Float64()
			lo, _ := m.WorkerBounds(math.Inf(1), to, seconds)
			if want := boundsByScan(m, m.left(math.Inf(1), to)/seconds); lo != want {
				t.Fatalf("seed %d: at least %d instances in %v s, expected %d", seed, lo, seconds, want)
			}
		}
		if lo, _ := m.WorkerBounds(0, 0, 0); lo != boundsByScan(m, math.NaN()) {
			t.Fatalf("seed %d: at least %d instances for no work in no time", seed, lo)
		}
	}
}

func TestSizesAscend(t *testing.T) {
	job := Job{Samples: 1, Batch: 1, Min: 1, Max: 4, Sizes: []int{4, 2}}
	if job.check() == nil {
		t.Error("sizes 4 and 2 are taken as ascending")
	}
}

// timeOf returns how long the quickest of some calls takes.
func timeOf(f func()) time.Duration {
	quickest := time.Duration(math.MaxInt64)
	for range 5 {
		began := time.Now()
		f()
		quickest = min(quickest, time.Since(began))
	}
	return quickest
}

// 16 times as many groups take about 16 times as long to set up, and not 256 times. The few are set up 16 times, so
// that a busy machine interrupts both alike.
func TestGroupsGrowLinearly(t *testing.T) {
	const few, times = 4096, 16
	build := func(groups int) {
		g := Groups{Samples: 1e9, Batch: 512, Groups: groups, Workers: 1, Min: 1, Step: 10 * time.Second}
		if _, err := NewReplicated(g, 3); err != nil {
			t.Fatal(err)
		}
	}
	small := timeOf(func() {
		for range times {
			build(few)
		}
	})
	large := timeOf(func() { build(few * times) })
	if ratio := large.Seconds() / small.Seconds(); ratio > 6 {
		t.Errorf("%d times %d groups take %v to set up, as many at once %v: %.1f times as long, expected about as long",
			times, few, small, large, ratio)
	}
}
