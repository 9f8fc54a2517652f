package policies_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// replicaGroups returns jobs of groups of two instances for the suite's market, with outer steps if every is above 0,
// and whose batch stays the same when groups leave if kept.
func replicaGroups(every int, kept bool) func(n int) []sim.Job {
	return func(n int) []sim.Job {
		jobs := simtest.Jobs(n)
		for i := range jobs {
			m, err := parallel.NewReplicated(parallel.Groups{Samples: 1e5, Batch: 64, Groups: 6, Workers: 2, Min: 1, Step: 8 * time.Second, Kept: kept,
				Every: every, Sync: 20 * time.Second, Stall: 3 * time.Second, Restart: time.Minute, Interval: 20 * time.Minute,
				Save: 10 * time.Second}, 6)
			if err != nil {
				panic(err)
			}
			jobs[i].Model, jobs[i].Objective.Loss, jobs[i].ParameterServers = m, 0, 0
		}
		return jobs
	}
}

// Every policy of one job passes the suite on groups that keep the batch; two of them with outer steps and with
// batches that shrink as well.
func TestSuiteReplicaGroups(t *testing.T) {
	for _, info := range policies.List() {
		switch info.Needs {
		case policies.WorkerModels, policies.OneType, policies.AnyModel, policies.MixedPools, policies.RestartingPipelines:
			both := info.Name == "mixed" || info.Name == "varuna"
			for _, every := range []int{0, 20} {
				for _, kept := range []bool{true, false} {
					if !both && (every > 0 || !kept) {
						continue
					}
					t.Run(fmt.Sprintf("%s/every=%d,kept=%t", info.Name, every, kept), func(t *testing.T) {
						simtest.Suite(t, func(*sim.Market) sim.Policy { return quick(info) }, simtest.On(replicaGroups(every, kept)), simtest.Seeds(1))
					})
				}
			}
		}
	}
}
