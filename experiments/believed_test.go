package experiments_test

import (
	"reflect"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
)

// A wrong belief in durations changes what those do that ask for them, who are then no oracles any more, and nobody else.
func TestBelievedDurations(t *testing.T) {
	rows := func(sigma string) map[string]results.Summary {
		s, err := spec.Parse("believed.yaml", []byte(`
name: believed
market: {servers: [{gpu: v100, gpus: 4, count: 2}]}
jobs: {gavel: {jobs: 40, mean_gap_s: 900}, believed_sigma: `+sigma+`}
model: {gang: {speeds: gavel}}
policies: [{name: fifo}, {name: srtf}, {name: gavel}, {name: gavel-makespan}]
`))
		if err != nil {
			t.Fatal(err)
		}
		study, err := experiments.NewStudy(s)
		if err != nil {
			t.Fatal(err)
		}
		worker, out := study.Worker(), map[string]results.Summary{}
		for i, p := range s.Policies {
			r, err := worker.Run(experiments.Case{Policy: i, Seed: s.Seed})
			if err != nil {
				t.Fatal(err)
			}
			out[p.Name] = r
		}
		return out
	}
	exact, wrong := rows("0"), rows("1")
	for name, knows := range map[string]bool{"fifo": false, "srtf": true, "gavel": false, "gavel-makespan": true} {
		a, b := exact[name], wrong[name]
		if a.Oracle != knows || b.Oracle {
			t.Errorf("%s: marked %v, and with a wrong belief %v", name, a.Oracle, b.Oracle)
		}
		a.Oracle = false
		if same := reflect.DeepEqual(a, b); same == knows {
			t.Errorf("%s asks for durations: %v, but is the same with another belief: %v", name, knows, same)
		}
	}
}
