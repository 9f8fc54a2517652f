// Package notebooks is the kind of models of sessions of notebooks, which need GPUs only while a cell runs (package
// calibrate/notebooks).
package notebooks

import (
	"github.com/marigram/marigram/calibrate/notebooks"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func init() {
	model.Register(model.Kind{
		Key:        "notebooks",
		Name:       "of sessions of notebooks",
		Doc:        "sessions of notebooks, which need GPUs only while a cell runs, on hosts",
		Job:        func() model.Job { return &sessions{} },
		Serves:     []policies.Needs{policies.Sessions},
		NoTraining: true,
		NoBound:    "sessions of notebooks: the least cost of hosts for cells is not known",
	})
}

// sessions is the option of calibrate/notebooks as a job.
type sessions struct {
	notebooks.Option `json:",inline"`
}

// Open implements model.Job.
func (s *sessions) Open(study model.Study) (*model.Opened, error) {
	platform, err := s.Platform(study.Path)
	if err != nil {
		return nil, err
	}
	return &model.Opened{On: func([]sim.Pool) (sim.Model, error) { return platform, nil }}, nil
}
