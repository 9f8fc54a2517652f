package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// dataParallel returns jobs whose workers train in step, for the suite's market:
// two zones and on demand, of a small type and of a large one.
func dataParallel(n int) []sim.Job {
	jobs := simtest.Jobs(n)
	for i := range jobs {
		small := parallel.Law{Scaling: parallel.Strong, Alone: 7, Exchange: 0.4, Latency: 0.05}
		large := parallel.Law{Scaling: parallel.Strong, Alone: 4, Exchange: 0.4, Latency: 0.05}
		laws := []parallel.Law{small, small, small, large, large, large}
		m, err := parallel.New(parallel.Job{Samples: 2e6, Batch: 512, Min: 1, Max: 16, Restart: 2 * time.Minute, Resize: 30 * time.Second,
			Save: 10 * time.Second, Persist: 20 * time.Second}, laws)
		if err != nil {
			panic(err)
		}
		jobs[i].Model, jobs[i].Objective.Loss, jobs[i].ParameterServers = m, 0, 0
	}
	return jobs
}

func TestSuiteDataParallel(t *testing.T) {
	for _, info := range policies.List() {
		switch info.Needs {
		case policies.WorkerModels, policies.OneType, policies.AnyModel, policies.RestartingPipelines:
			t.Run(info.Name, func(t *testing.T) {
				simtest.Suite(t, func(*sim.Market) sim.Policy { return quick(info) }, simtest.On(dataParallel), simtest.Seeds(*suites))
			})
		}
	}
}
