package parcae

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/parcae/reference"
	"github.com/marigram/marigram/policies/forecast"
	"github.com/marigram/marigram/policies/parcae"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// The table of counts is what the recorded events come to.
func TestParcaeCountsAgainstMaterial(t *testing.T) {
	set := pulled.Set(t, "bamboo-aws-p3")
	counts := make([]float64, 683)
	for _, event := range set.InstanceEvents {
		change := 1.0 // it comes
		if event.Kind == traces.KindPreempt || event.Kind == traces.KindTerminate {
			change = -1
		}
		minute := (event.T - set.Manifest.TStartUs + time.Minute.Microseconds() - 1) / time.Minute.Microseconds()
		for m := minute; m < int64(len(counts)); m++ {
			counts[m] += change
		}
	}
	if !slices.Equal(counts, recordedCounts()) {
		t.Errorf("%v: not those of the table", counts)
	}
}

// What the claims compare with is what the material computed.
func TestParcaeErrorsAgainstMaterial(t *testing.T) {
	names := map[string]string{
		"ARIMA(1,1,0)+const with guards (Poisson off)":      "parcae",
		"ARIMA(1,1,0)+const raw without cleaning or guards": "arima-1-1-0-drift",
		"current available nodes (persistence)":             "persistence",
		"moving average of the last 12":                     "moving-average",
	}
	want := map[string]float64{}
	for _, r := range testutil.Rows(t, "papers/parcae/testdata/predictor_accuracy_computed.csv") {
		if name, ok := names[r["method"]]; ok {
			want["parcae/forecast/"+name+"-"+strconv.Itoa(int(testutil.Number(t, r["I"])))] = testutil.Number(t, r["mean_abs_error_nodes_per_interval"])
		}
	}
	claimed := 0
	for _, c := range papers.Published() {
		if c.Figure() == "parcae/forecast" {
			claimed++
			if v, ok := want[c.Name]; !ok || v != c.Published {
				t.Errorf("%s: %v, the material has %v", c.Name, c.Published, v)
			}
		}
	}
	if claimed != len(want) || claimed != 24 {
		t.Errorf("%d claims of %d numbers, want 24", claimed, len(want))
	}
}

// Minute by minute and event by event: what the world's policies train on the p3
// trace, without notices and boot times, against the replay without slips
// (DEVIATIONS.md 53). The world is never behind where both forecast, and no
// further from the replay than its means over places and its plans on the
// forecast of what is there already can explain.
func TestParcaeDiscreteAndContinuous(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: 30 runs of 11 hours")
	}
	counts := pipeline.ParcaeTrace()
	w := world{Instances: 32, IntervalS: 60, Seeds: 5}
	market, err := w.market(counts)
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range []string{"bert", "gpt-1.5b", "resnet152"} {
		model, err := migrating(network)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			policy, forecaster string
			rule               reference.Rule
			min, max           float64 // ratio
		}{
			{"parcae", "parcae", reference.Proactive, 1, 1.09},
			{"parcae-ideal", "", reference.Proactive, 0.98, 1.01},
			{"parcae-reactive", "", reference.Migrating, 0.98, 1.01},
			{"ideal-no-overhead", "", reference.Unhindered, 0.995, 1.0001},
		} {
			p := reference.Simulator{Model: model.Parcae, Rule: c.rule, Ahead: 12, Planner: parcae.NewPlanner(model.Parcae, 32, 60)}
			if c.forecaster != "" {
				info, err := forecast.Named(c.forecaster)
				if err != nil {
					t.Fatal(err)
				}
				p.Forecast = counted(info.New(forecast.Setup{Window: 12, Max: 32}))
			}
			minutes := p.Replay(counts)
			discrete := minutes[len(minutes)-1].Samples
			continuous, _, err := w.run(market, model, func() (sim.Policy, error) { return (&spec.Policy{Name: c.policy, Settings: nil}).New() }, 0, len(counts))
			if err != nil {
				t.Fatal(err)
			}
			ratio := continuous / discrete
			t.Logf("%-10s %-18s %.4f", network, c.policy, ratio)
			if ratio < c.min || ratio > c.max {
				t.Errorf("%s, %s: %v in the world, %v minute by minute: %v times", network, c.policy, continuous, discrete, ratio)
			}
		}
	}
}
