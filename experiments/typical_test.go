package experiments_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

// pricesOnly is a spec of 16 days of prices and no record of capacity, but what is assumed of it.
func pricesOnly(t *testing.T, capacity, more string) (*spec.Spec, error) {
	t.Helper()
	dir := t.TempDir()
	price := func(day int) string {
		return fmt.Sprintf(`{"AvailabilityZone": "us-east-1a", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", `+
			`"SpotPrice": "1.0", "Timestamp": "2026-01-%02dT00:00:00Z"}`, day)
	}
	for name, text := range map[string]string{
		"prices.json": `{"SpotPriceHistory": [` + price(1) + "," + price(17) + "]}",
		"spec.yaml": `
name: prices-only
starts: {every: 12h}
model: {published: spotdnn-resnet110, begin_loss: 4.605}
objectives: [{loss: 0.54, within: 6h}]
policies: [{name: reactive}, {name: spotdnn-safe}]
market:
  traces: [{name: prices, path: prices.json}]
  pools:
    - {type: p3.2xlarge, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3.06, prices: {trace: prices}` + capacity + more + `}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return spec.Open(filepath.Join(dir, "spec.yaml"))
}

// Prices alone get preemptions that are assumed, of which there are the more the more is assumed, and the safe form is
// in time whatever is.
func TestTypicalCapacity(t *testing.T) {
	check := near.Count(t)
	s, err := pricesOnly(t, ", capacity: {typical: band}", "")
	if err != nil {
		t.Fatal(err)
	}
	all, err := experiments.Assumptions(t.Context(), s, nil, experiments.NewStudy)
	if err != nil || len(all) != 3 || experiments.Assumed(s) != spec.TypicalBand {
		t.Fatalf("%d assumptions, %v", len(all), err)
	}
	for k, a := range all {
		reactive, safe := &a.Rows[0], &a.Rows[1]
		if !strings.Contains(reactive.Replay, "capacity assumed: typical "+a.Name) || reactive.SamplingUnit != results.ByStart {
			t.Errorf("%s: %q by %s", a.Name, reactive.Replay, reactive.SamplingUnit)
		}
		if best := experiments.BestOf(a.Rows, 0); safe.Met != safe.Runs || len(best) == 0 || reactive.NoBest != "" {
			t.Errorf("%s: %d of %d runs of the safe form are in time, %d policies are the best", a.Name, safe.Met, safe.Runs, len(best))
		}
		// Four instances for some 4.5 h: of V100 one is lost in 2.745 h.
		if lost := reactive.Preemptions; k == 0 && lost > 0.2 || k == 1 && check.Off(lost, reactive.InstanceH/2.745, 1) {
			t.Errorf("%s: %v preemptions in %v h", a.Name, lost, reactive.InstanceH)
		}
	}
	if low, high := all[0].Rows[0], all[2].Rows[0]; low.Met != low.Runs || high.Met == high.Runs {
		t.Errorf("reactive: %d and %d of %d runs in time", low.Met, high.Met, low.Runs)
	}
}

// Without a record or an assumption nothing is judged, and what does not go together is refused.
func TestTypicalRefused(t *testing.T) {
	s, err := pricesOnly(t, "", "")
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	set, err := study.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if rows := experiments.Aggregates(set.Summaries); rows[0].NoBest == "" || experiments.BestOf(rows, 1) != nil {
		t.Errorf("%q", rows[0].Replay)
	}
	if all, err := experiments.Assumptions(t.Context(), s, nil, experiments.NewStudy); all != nil || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	for capacity, want := range map[string]string{
		", capacity: {typical: often}":                                         "expected low, band or high",
		", capacity: {}":                                                       "expected the trace that has it, or typical",
		", capacity: {typical: low, trace: prices}":                            "trace",
		", capacity: {typical: low, pool: a}":                                  "expected typical alone",
		", capacity: {typical: low}, replay: {adapter: binary_all}":            "expected no adapter",
		", capacity: {typical: low}, replay: {adapter: count_cap, scale: 2.0}": "expected no adapter",
	} {
		if _, err := pricesOnly(t, capacity, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", capacity, err, want)
		}
	}
}

// A constant price takes the trace of the capacity, whose unit of time the spec says: of two machines one is lost after
// an hour.
func TestConstantPrice(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"events.csv": "0,add,a\n0,add,b\n3600,remove,a\n30000,remove,b\n",
		"spec.yaml": `
name: constant
horizon_s: 7200
model: {published: spotdnn-resnet110, begin_loss: 4.605}
objectives: [{loss: 0.54, within: 2h}]
policies: [{name: reactive}]
market:
  traces: [{name: fleet, path: events.csv, format: node-events, unit: 1s}]
  boot: {median_s: 0, sigma: 0}
  pools: [{type: p3.2xlarge, quota: 2, prices: {usd_per_h: 0.9}, capacity: {trace: fleet}, replay: {adapter: per_event}}]
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spec.Open(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		t.Fatal(err)
	}
	set, err := study.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Two machines for an hour, one for another, and a parameter server for two.
	if want := 0.9*3 + 0.192*2; near.Count(t).Off(set.Summaries[0].CostUSD, want, 1e-9) {
		t.Errorf("%v USD, expected %v", set.Summaries[0].CostUSD, want)
	}
	for from, to := range map[string]string{"unit: 1s": "unit: fast", ", capacity: {trace: fleet}": ""} {
		text, err := os.ReadFile(filepath.Join(dir, "spec.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := spec.Parse(filepath.Join(dir, "spec.yaml"), []byte(strings.Replace(string(text), from, to, 1))); err == nil {
			t.Errorf("%q instead of %q is taken", to, from)
		}
	}
}
