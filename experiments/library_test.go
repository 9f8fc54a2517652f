package experiments_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/replay"
)

const (
	libraryFleet = "0,add,a\n0,add,b\n5400000,remove,b\n9000000,add,c\n14400000,remove,a\n21600000,add,d\n"
	librarySpec  = `name: library
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.6, within: 6h}]
policies: [{name: reactive, settings: {instances: 2}}]
market:
  traces: [{name: fleet, path: events.csv}]
  pools:
    - {type: p3.2xlarge, quota: 2, prices: {trace: fleet, usd_per_h: 0.92}, capacity: {trace: fleet}, replay: {adapter: per_event}}
`
)

// A program that puts a run together by hand, and sets no boot time, gets the same
// dollars and the same finish as a spec that sets none.
func TestLibraryAgreesWithSpecs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"events.csv": libraryFleet, "library.yaml": librarySpec} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spec.Open(filepath.Join(dir, "library.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	row, err := study.Worker().Run(experiments.Case{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	total := byHand(t, filepath.Join(dir, "events.csv"))
	if !row.Finished || row.CostUSD != total.Bill.Total() || *row.FinishS != total.Jobs[0].Elapsed.Seconds() {
		t.Errorf("the spec: %v USD, %v s; by hand: %v USD, %v s", row.CostUSD, *row.FinishS, total.Bill.Total(), total.Jobs[0].Elapsed.Seconds())
	}
	if row.Preemptions != 1 || total.Preemptions != 1 {
		t.Errorf("%d and %d preemptions, expected 1", row.Preemptions, total.Preemptions)
	}
}

// byHand runs the study with the packages below this one.
func byHand(t *testing.T, events string) *sim.Totals {
	t.Helper()
	fleet, _, err := catalogue.Load(events, traces.Options{})
	if err != nil {
		t.Fatal(err)
	}
	assumption := replay.Replay{Adapter: replay.PerEvent, Notice: sim.DefaultNotice("aws"), FlatPrice: 0.92}
	pools, end, err := assumption.Traces(replay.New(fleet), replay.Window{})
	if err != nil {
		t.Fatal(err)
	}
	pools[0].Pool.InstanceType, pools[0].Pool.Name, pools[0].Pool.Quota = "p3.2xlarge", "p3.2xlarge", 2
	market, err := sim.NewMarket(end, pools)
	if err != nil {
		t.Fatal(err)
	}
	profile, coefficients, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	model, err := ps.NewASP(profile, coefficients, ps.FormArtifact, []string{"p3.2xlarge"})
	if err != nil {
		t.Fatal(err)
	}
	policy, err := policies.New("reactive")
	if err != nil {
		t.Fatal(err)
	}
	if err := policies.Configure(policy, map[string]any{"instances": 2}); err != nil {
		t.Fatal(err)
	}
	world, err := sim.New(sim.Config{Market: market, Policy: policy, Seed: 1, Billing: sim.PerSecond(), Jobs: []sim.Job{{
		Model: model, Objective: sim.Objective{Loss: 0.6, Within: 6 * time.Hour},
		ParameterServers: 1, ParameterServerPrice: sim.DefaultParameterServerPrice,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return world.Run()
}
