package claims

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/marigram/marigram/traces"
)

// The table of counts is what the recorded events come to.
func TestParcaeCountsAgainstMaterial(t *testing.T) {
	const path = "../../../shared/traces/bamboo-preemption-traces/p3-trace.csv"
	if _, err := os.Stat(path); err != nil {
		t.Skip("needs ../shared beside the checkout: ", err)
	}
	set, _, err := traces.Load(path, traces.Options{})
	if err != nil {
		t.Fatal(err)
	}
	counts, err := traces.Sample(set, time.Minute)
	if err != nil || len(counts) != 683 || !slices.Equal(counts, parcaeCounts()) {
		t.Errorf("%d counts, %v: not those of the table", len(counts), err)
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
	for _, r := range material(t, "facts/parcae/predictor_accuracy_computed.csv") {
		if name, ok := names[r["method"]]; ok {
			want["parcae/forecast/"+name+"-"+strconv.Itoa(int(parsed(t, r["I"])))] = parsed(t, r["mean_abs_error_nodes_per_interval"])
		}
	}
	claimed := 0
	for _, c := range Published() {
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
