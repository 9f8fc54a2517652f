package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// replicaGroups returns jobs of groups of two instances for the suite's market, with outer steps if every is above 0.
func replicaGroups(every int) func(n int) []sim.Job {
	return func(n int) []sim.Job {
		jobs := simtest.Jobs(n)
		for i := range jobs {
			m, err := parallel.NewReplicated(parallel.Groups{Samples: 1e5, Batch: 64, Groups: 6, Workers: 2, Min: 1, Step: 8 * time.Second, Every: every,
				Sync: 20 * time.Second, Stall: 3 * time.Second, Restart: time.Minute, Interval: 20 * time.Minute, Save: 10 * time.Second}, 6)
			if err != nil {
				panic(err)
			}
			jobs[i].Model, jobs[i].Objective.Loss, jobs[i].ParameterServers = m, 0, 0
		}
		return jobs
	}
}

func TestSuiteReplicaGroups(t *testing.T) {
	for _, name := range []string{"mixed", "varuna"} {
		for _, every := range []int{0, 20} {
			info, err := policies.Named(name)
			if err != nil {
				t.Fatal(err)
			}
			simtest.Suite(t, func(*sim.Market) sim.Policy { return quick(info) }, simtest.On(replicaGroups(every)), simtest.Seeds(1))
		}
	}
}
