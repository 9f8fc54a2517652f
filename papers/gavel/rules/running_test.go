package rules

import (
	"fmt"
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// Where spot pools are full there may be no GPUs for a job, or for none: no rule waits for ever, and what it
// shares out can be had.
func TestModelsWithoutGPUs(t *testing.T) {
	rules := map[string]func() share.Rule{
		"max-min": func() share.Rule { return &share.MaxMin{} }, "max-min-levels": func() share.Rule { return &share.MaxMin{Levels: true} },
		"finish-time": func() share.Rule { return &FinishTime{} }, "min-duration": func() share.Rule { return &MinDuration{} },
		"max-sum": func() share.Rule { return &MaxSum{} }, "max-sum-cost": func() share.Rule { return &MaxSum{PerDollar: true} },
		"fifo_perf": func() share.Rule { return &FastestFIFO{} },
	}
	for name, rule := range rules {
		for _, gpus := range [][]int{{0, 0}, {0, 4}, {4, 0}, {0, 1}} {
			for _, speeds := range [][]float64{{1, 0}, {1, 2}, {1, 0, 0, 2}, {1, 2, 3, 0}} {
				t.Run(fmt.Sprint(name, gpus, speeds), func(t *testing.T) { withoutGPUs(t, rule(), gpus, speeds) })
			}
		}
	}
}

// withoutGPUs shares out GPUs, of which there may be none, twice, among three jobs whose speeds are these by turns.
func withoutGPUs(t *testing.T, rule share.Rule, gpus []int, speeds []float64) {
	check := near.Count(t)
	in := share.Input{GPUs: gpus, Price: []float64{1, 2}}
	for i := range 3 {
		at := 2 * i % len(speeds)
		in.Jobs = append(in.Jobs, share.Job{ID: i, GPUs: 1, Speed: speeds[at : at+2], Weight: 1, Left: 1000 * float64(1+i), Age: 100, Time: math.Inf(1)})
	}
	var x share.Shares
	for range 2 {
		rule.Share(&in, &x)
		used := make([]float64, len(gpus))
		for k, j := range x.Jobs {
			sum := 0.0
			for m, v := range x.X[k] {
				if !(v >= -1e-9 && v <= 1+1e-6) {
					t.Fatalf("job %d has a share of %v of model %d, expected 0 to 1", j, v, m)
				}
				used[m] += v * float64(in.Jobs[j].GPUs)
				sum += v
			}
			if !runsSomewhere(&in, j) && check.Above(sum, 0) {
				t.Errorf("job %d has a share of %v of GPUs on which it does not run", j, sum)
			}
			if check.Above(sum, 1+1e-6) {
				t.Errorf("job %d has shares of %v together, expected at most 1", j, sum)
			}
		}
		for m, n := range gpus {
			if check.Above(used[m], float64(n)+1e-5) {
				t.Errorf("%v of %d GPUs of model %d are shared out", used[m], n, m)
			}
		}
		for i := range in.Jobs {
			in.Jobs[i].Age += 100
		}
	}
}

// runsSomewhere reports whether a job runs on GPUs that there are.
func runsSomewhere(in *share.Input, job int) bool {
	for m, n := range in.GPUs {
		if n > 0 && in.Jobs[job].Speed[m] > 0 {
			return true
		}
	}
	return false
}

// What a job that has no GPUs to run on now leaves to others is shared as if it were not there.
func TestSharesWithJobsWithoutGPUs(t *testing.T) {
	check := near.Count(t)
	for name, rule := range map[string]share.Rule{"max-min": &share.MaxMin{},
		"finish-time": &FinishTime{}, "min-duration": &MinDuration{}} {
		in := share.Input{GPUs: []int{0, 1}}
		for i, v := range []float64{0, 1, 1} {
			in.Jobs = append(in.Jobs, share.Job{ID: i, GPUs: 1, Speed: []float64{1, v}, Weight: 1, Left: 1000, Age: 100, Time: math.Inf(1)})
		}
		var x share.Shares
		rule.Share(&in, &x)
		got := make([]float64, len(in.Jobs))
		for k, j := range x.Jobs {
			got[j] += x.X[k][1]
		}
		for i, want := range []float64{0, 0.5, 0.5} {
			if check.Off(got[i], want, 1e-5) {
				t.Errorf("%s: shares of %v of the only GPU, expected 0, 0.5 and 0.5", name, got)
				break
			}
		}
	}
}

// Steps that are lost take back the time in which they were done, not what they would take now, on fewer GPUs: no job
// is expected to have ended before it came.
func TestFinishTimeAfterLoss(t *testing.T) {
	check := near.Count(t)
	job := share.Job{ID: 1, GPUs: 4, Speed: []float64{8}, Weight: 1, Left: 9000, Time: math.Inf(1)}
	in := share.Input{GPUs: []int{8}, Jobs: []share.Job{job}}
	r := &FinishTime{}
	expect := func(left float64, gpus int) float64 {
		in.GPUs[0], in.Jobs[0].Left = gpus, left
		return r.expect(&in, in.Speeds())[0]
	}
	for _, c := range []struct {
		left float64
		gpus int
		want float64
	}{{8000, 8, 1000}, {4000, 8, 1000}, {2000, 1, 750 + 1000}, {8000, 1, 4000}, {6000, 8, 1000 + 750}} {
		if got := expect(c.left, c.gpus); check.OffRel(got, c.want, 1e-9) {
			t.Errorf("with %v steps left and %d GPUs: %v s, expected %v", c.left, c.gpus, got, c.want)
		}
	}
}
