package experiments

import (
	"fmt"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// cannotTrain says that the i-th policy holds a fixed number of instances of one pool on which the job cannot train, and
// the smallest on which it can; empty if that is not so.
func (s *Study) cannotTrain(i int, job *sim.Job, kinds []kind) (string, error) {
	policy, err := s.Spec.Policies[i].New()
	if err != nil {
		return "", err
	}
	for _, x := range policies.Settings(policy) {
		n, is := x.Value.(float64)
		if x.Name != "instances" || !is || x.Min < 1 || trainsOn(job, kinds, int(n)) {
			continue
		}
		name := s.Spec.Policies[i].Name
		for smallest := 1; smallest <= maxTried; smallest++ {
			if trainsOn(job, kinds, smallest) {
				return fmt.Sprintf("policy %s holds %d of one pool (instances), on which the job cannot train: expected at least %d "+
					"(-s policy.%s.instances=%d)", name, int(n), smallest, name, smallest), nil
			}
		}
	}
	return "", nil
}

// layPipelines lays out the pipelines of a model that has them, and no workers, on n instances.
func layPipelines(l *sim.Layout, model sim.Model, n int) {
	if m, piped := model.(sim.PipelineModel); piped {
		if _, workers := model.(sim.WorkerModel); !workers {
			d, p := m.Best(n)
			l.Pipelines, l.Stages = int32(d), int32(p)
		}
	}
}

// trainsOn reports whether a job trains on n instances of one kind.
func trainsOn(job *sim.Job, kinds []kind, n int) bool {
	l := sim.Layout{Workers: make([]int32, len(kinds)), Servers: int32(max(job.ParameterServers, 1))}
	layPipelines(&l, job.Model, n)
	for k := range kinds {
		clear(l.Workers)
		l.Workers[k] = int32(n)
		if job.Model.Rate(&l).Progress > 0 {
			return true
		}
	}
	return false
}
