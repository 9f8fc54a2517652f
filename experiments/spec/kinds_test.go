package spec

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

func init() {
	model.Register(model.Kind{
		Key:    "plain",
		Name:   "of a test",
		Doc:    "models of which nobody knows how many instances are of use",
		Job:    func() model.Job { return &plain{} },
		Serves: []policies.Needs{policies.WorkerModels},
	})
}

type plain struct {
	Samples float64 `json:"samples,omitempty"`
}

func (p *plain) Open(model.Study) (*model.Opened, error) {
	return &model.Opened{On: func([]sim.Pool) (sim.Model, error) { return plainModel{}, nil }}, nil
}

type plainModel struct{ sim.Model }

// A model of which policies cannot ask how many instances are of use is refused under every policy, with its place.
func TestPlainModelIsRefused(t *testing.T) {
	for _, policy := range []string{"ondemand", "spotdnn"} {
		s, err := Parse("mine.yaml", []byte(`name: mine
model: {plain: {samples: 1}}
objectives: [{within: 1h}]
policies: [{name: `+policy+`}]
market:
  synthetic: {zones: 1}
  pools: [{type: a, quota: 1, on_demand_quota: 1, on_demand_usd_per_h: 1}]
`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Models()
		if err == nil || !strings.Contains(err.Error(), "mine.yaml:2:16") ||
			!strings.Contains(err.Error(), "is neither a sim.PipelineModel nor a sim.WorkerModel") {
			t.Errorf("%s: %v", policy, err)
		}
	}
}
