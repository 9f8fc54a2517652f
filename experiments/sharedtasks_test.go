package experiments

import (
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
)

const sharedSpec = `name: shared
market:
  synthetic: {regions: 1, zones: 1, machines: 12}
  pools: [{type: p3.2xlarge, quota: 12, on_demand_usd_per_h: 3.06, gpu: v100}]
  instances: {types: eva, on_demand_quota: 20}
model: {gang: {tasks: {kinds: eva, keeps: 0.95}}}
jobs: {of_kinds: {jobs: 30, mean_gap_s: 600, median_h: 2, sigma: 0.6}}
policies: [{name: eva}]
`

// Where tasks were: on instances while these were held, until their job was done, and then no more; each once at a time.
func TestTasksOnInstances(t *testing.T) {
	check := near.Count(t)
	set := runCluster(t, sharedSpec, "")
	type place struct {
		pool string
		n    int64
	}
	held := map[place]results.Instance{}
	for _, x := range set.Instances {
		held[place{x.Pool, x.Number}] = x
	}
	type task struct{ job, task int64 }
	left, shared := map[task]float64{}, false
	for _, x := range set.Tasks {
		on, known := held[place{x.Pool, x.Instance}]
		if !known || x.StartS < on.GrantedS || x.EndS > on.EndS || x.EndS < x.StartS || x.StartS < left[task{x.Job, x.Task}] {
			t.Errorf("%+v on %+v", x, on)
		}
		left[task{x.Job, x.Task}] = x.EndS
		for _, y := range set.Tasks {
			shared = shared || y.Job != x.Job && y.Pool == x.Pool && y.Instance == x.Instance && y.StartS < x.EndS && x.StartS < y.EndS
		}
	}
	for _, j := range set.Jobs {
		if last, has := left[task{j.Number, 0}]; !has || check.Off(last, *j.FinishS, 1e-6) {
			t.Errorf("job %d is done at %v, its first task was on instances until %v", j.Number, *j.FinishS, last)
		}
	}
	if !shared {
		t.Error("no instance is shared")
	}
}
