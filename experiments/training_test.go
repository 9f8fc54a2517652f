package experiments

import (
	"context"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies"
)

// trained returns the quickstart with a training, every policy and one seed.
func trained(t *testing.T, training string) (*spec.Spec, error) {
	t.Helper()
	data, err := os.ReadFile("specs/quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "published: spotdnn-resnet110", "published: spotdnn-resnet110\n  training: "+training, 1)
	s, err := spec.Parse("x.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	s.Seeds = 1
	return s, s.Choose(workerPolicies())
}

// workerPolicies returns the policies for models of workers.
func workerPolicies() (names []string) {
	for _, info := range policies.List() {
		if _, oracle := info.Defaults().(policies.RunOracle); info.Needs.Workers() && !oracle {
			names = append(names, info.Name)
		}
	}
	return names
}

func runTraining(t *testing.T, training string) []results.Summary {
	t.Helper()
	spec, err := trained(t, training)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStudy(spec)
	if err != nil {
		t.Fatal(err)
	}
	return runStudy(t, s).Summaries
}

// Every mode runs under every policy on a market that takes workers away; with a
// barrier the same on-demand cluster or a larger one costs more.
func TestTrainingModes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	asp := runTraining(t, "{mode: asp}")
	modes := []string{"{mode: bsp, sigma: 0.3}", "{mode: flexible, sigma: 0.3, exchange_each_s: 0.01}",
		"{mode: backup, backups: 1, sigma: 0.3, exchange_s: 0.1}", "{mode: ssp, staleness: 2, sigma: 0.3}"}
	for _, training := range modes[:testutil.Size(2, len(modes))] {
		t.Run(training, func(t *testing.T) {
			got := runTraining(t, training)
			for i, r := range got {
				if !r.Finished && asp[i].Finished && r.Policy != "fixed" { // which goes on with what is left
					t.Errorf("%s, %s: not finished", r.Objective, r.Policy)
				}
				if r.Policy == "ondemand" && !(r.CostUSD > asp[i].CostUSD) {
					t.Errorf("%s: %v USD on demand, %v USD asynchronously", r.Objective, r.CostUSD, asp[i].CostUSD)
				}
			}
		})
	}
}

// The mode asp with the defaults is the model without a mode.
func TestTrainingDefaults(t *testing.T) {
	with := runTraining(t, "{mode: asp, sigma: 0.5, parameter_servers: 1, chief_loss: replaced}")
	spec := study(t, "quickstart", 1).Spec
	if err := spec.Choose(workerPolicies()); err != nil {
		t.Fatal(err)
	}
	chosen, err := NewStudy(spec)
	if err != nil {
		t.Fatal(err)
	}
	if plain := runStudy(t, chosen).Summaries; !reflect.DeepEqual(with, plain) {
		t.Errorf("with\n%+v\nwithout\n%+v", with, plain)
	}
	if two := runTraining(t, "{parameter_servers: 2}"); !(two[0].CostPSUSD > with[0].CostPSUSD) {
		t.Error("a second parameter server costs nothing")
	}
}

// A run whose master is taken is lost, is said to be, and has its bill.
func TestMasterLost(t *testing.T) {
	lost := 0
	spec, err := trained(t, "{chief_loss: job-lost}")
	if err != nil {
		t.Fatal(err)
	}
	spec.Seeds = 10
	s, err := NewStudy(spec)
	if err != nil {
		t.Fatal(err)
	}
	set, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range set.Summaries {
		if !strings.Contains(r.Warnings, "lost with its chief") {
			continue
		}
		lost++
		if r.Finished || r.Preemptions == 0 || r.CostUSD <= 0 || r.Policy == "ondemand" {
			t.Errorf("%+v", r)
		}
	}
	if lost == 0 {
		t.Error("no run was lost")
	}
}

func TestBadTraining(t *testing.T) {
	for training, says := range map[string]string{
		"{mode: hogwild}":                   `x.yaml:11:20: model.training.mode: "hogwild", expected asp, bsp, ssp, backup or flexible`,
		"{mode: bsp, staleness: 2}":         "model.training.staleness: 2, expected only with mode: ssp; it is bsp",
		"{backups: 2}":                      "model.training.backups: 2, expected only with mode: backup; it is absent",
		"{exchange_s: 2}":                   "model.training.exchange_s: 2, expected only with mode: bsp, backup or flexible; it is absent",
		"{mode: ssp, exchange_each_s: 2}":   "model.training.exchange_each_s: 2, expected only with mode: bsp, backup or flexible; it is ssp",
		"{sigma: 0}":                        "model.training.sigma: 0, expected 0.01 to 2",
		"{mode: ssp, staleness: -1}":        "staleness -1",
		"{mode: backup, backups: 65}":       "at most 64 backups",
		"{chief_loss: panic}":               `model.training.chief_loss: "panic", expected replaced, rolls-back or job-lost`,
		"{parameter_servers: 0}":            "model.training.parameter_servers: 0, expected 1 to 1024",
		"{mode: bsp, exchange_s: .inf}":     "expected a finite number",
		"{mode: backup, backups: 1.5}":      "expected a whole number",
		"{mode: backup, backup_workers: 1}": "backup_workers",
	} {
		if _, err := trained(t, training); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %.300v, expected %q", training, err, says)
		}
	}
}
