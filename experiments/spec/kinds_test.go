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

// A policy is written with the keys that it has of its own for the kind of the model, which are read again.
func TestPolicyWithKeysOfAKind(t *testing.T) {
	const text = `policies:
  - name: checkpoint
    settings:
      interval_s: 600
    throughput:
      published: bamboo-bert
      interpolate: true
    recovery:
      restart_s: 0.0
      save_s: 3.5
      redundant: 1e-07
`
	s, err := Parse("mine.yaml", []byte(text+`name: mine
model: {pipelined: {samples: 3000, throughput: {published: bamboo-bert}}}
objectives: [{within: 1h}]
market:
  synthetic: {zones: 1}
  pools: [{type: a, quota: 64, on_demand_usd_per_h: 1}]
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := YAML(s.Policies...); got != text {
		t.Errorf("%s, want\n%s", got, text)
	}
}
