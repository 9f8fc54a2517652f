package reference

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/papers/gavel/rules"
	"github.com/marigram/marigram/policies/schedulers/share"
)

// The rules of a round by arithmetic: GPUs of one model at 3,600 USD an hour, jobs of a step a second and GPU, rounds
// of 360 s.
func TestRoundsByHand(t *testing.T) {
	check := near.Count(t)
	alone := func(arrival, steps float64) Job {
		return Job{Arrival: arrival, GPUs: 1, Steps: steps, Weight: 1, Speed: []float64{1}}
	}
	never := Result{JCT: math.NaN()}
	tests := []struct {
		name string
		gpus int
		rule share.Rule
		only bool // units without a share do not run
		jobs []Job
		want []Result // JCT, USD; NaN: the job is dropped
	}{
		{"a job that is short ends within the round", 1, &rules.FastestFIFO{}, true, []Job{alone(0, 100)}, []Result{{JCT: 100, USD: 100}}},
		{"and one that waits takes its GPU at once: the round is over with the last that runs", 1, &rules.FastestFIFO{}, true,
			[]Job{alone(0, 100), alone(50, 300)}, []Result{{JCT: 100, USD: 100}, {JCT: 350, USD: 300}}},
		{"a GPU that is left early waits for the end of the round", 2, &rules.FastestFIFO{}, true,
			[]Job{alone(0, 720), alone(0, 100), alone(10, 50)}, []Result{{JCT: 720, USD: 720}, {JCT: 100, USD: 100}, {JCT: 400, USD: 50}}},
		{"shares are also worked out for nobody, at 100 s: the next job waits for those of 2,020 s, and all since 100 s counts as run", 1,
			&rules.FastestFIFO{}, true, []Job{alone(0, 100), alone(1000, 50)}, []Result{{JCT: 100, USD: 100}, {JCT: 1070, USD: 1970}}},
		{"shares are worked out again after 1,920 s: the third job, seen at 720 s, runs from 2,520 s on", 3, rules.Isolated{}, false,
			[]Job{alone(0, 4000), alone(10, 4000), alone(370, 10)}, []Result{{JCT: 4000, USD: 4000}, {JCT: 4350, USD: 4000}, {JCT: 2160, USD: 10}}},
		{"a job of two GPUs with a step left fails five times, is dropped at 2.5 s, and shares are those of 0.5 s until 1,920.5 s", 2, &rules.FastestFIFO{}, true,
			[]Job{{GPUs: 2, Steps: 1, Weight: 1, Speed: []float64{2}}, alone(0, 10)}, []Result{never, {JCT: 1930.5, USD: 1928}}},
		{"a small job passes a large one that does not fit", 2, rules.Isolated{}, false,
			[]Job{alone(0, 360), {GPUs: 2, Steps: 720, Weight: 1, Speed: []float64{2}}, alone(0, 360)},
			[]Result{{JCT: 360, USD: 360}, {JCT: 720, USD: 720}, {JCT: 360, USD: 360}}},
	}
	for _, x := range tests {
		got := Run(Config{Jobs: x.jobs, GPUs: []int{x.gpus}, Order: []int{0}, Rule: x.rule, OnlyShares: x.only, Price: []float64{3600}})
		for i, want := range x.want {
			if dropped := math.IsNaN(want.JCT); dropped != !got[i].Done || !dropped && (check.Off(got[i].JCT, want.JCT, 1e-9) || check.Off(got[i].USD, want.USD, 1e-9)) {
				t.Errorf("%s: job %d: %+v, expected %v s, %v USD", x.name, i, got[i], want.JCT, want.USD)
			}
		}
	}
}
