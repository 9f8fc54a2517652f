package experiments_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil/pulled"
	"github.com/marigram/marigram/sim"
)

const layoutSpec = `name: layouts
model:
  layout:
    profiles: pulled:sailor
    network: OPT-350
    samples: 100000
    global_batch: 256
    gpus: [{type: p3.2xlarge, gpu: V100-16}]
    links: {zone_gb_per_s: 1.2}
    recovery: {restart_s: 180, reconfigure_s: 60, save_s: 10}
objectives: [{name: day, within: 24h}]
policies: [{name: sailor}]
market:
  synthetic: {zones: 1}
  pools: [{type: p3.2xlarge, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3.06}]
`

// What is wrong with a model of layouts is said with its line and what was expected.
func TestLayoutErrors(t *testing.T) {
	pulled.Dir(t, "sailor")
	open := func(text string) error {
		path := filepath.Join(t.TempDir(), "spec.yaml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Open(path)
		if err == nil {
			_, err = experiments.NewStudy(s)
		}
		return err
	}
	if err := open(layoutSpec); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ old, with, want string }{
		{"    links: {zone_gb_per_s: 1.2}\n", "", `:4:13: model.layout: links is missing, and no link of zone "" was measured, expected links`},
		{"gpu: V100-16", "gpu: V100-17", ":8:36: model.layout.gpus[0].gpu: "},
		{"OPT-350", "OPT-351", ":5:14: model.layout.network: "},
		{"{type: p3.2xlarge, gpu", "{type: p3.8xlarge, gpu",
			`:15:18: market.pools[0].type: no GPU of instance type "p3.2xlarge" in model.layout.gpus; there are p3.8xlarge`},
		{"global_batch: 256", "global_batch: -1", ":7:19: model.layout.global_batch: -1"},
		{"{name: sailor}", "{name: varuna}", ":12:12: policies[0]: policy varuna needs a pipelined model"},
		{"  synthetic:", "  moves: {gb: 1, usd_per_gb: 0.02}\n  synthetic:",
			":14:10: market.moves: what moves is worked out by the model, which is of layouts, " +
				"expected none: model.layout.links has"},
	} {
		if !strings.Contains(layoutSpec, x.old) {
			t.Fatalf("the spec has no %q", x.old)
		}
		if err := open(strings.Replace(layoutSpec, x.old, x.with, 1)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: %v, expected %q", x.with, err, x.want)
		}
	}
}

// The project's own H100 trains what was measured on it, with links that the spec says: 64 samples a step are 8
// micro-batches of 8, each of which takes its layers' time, and one update. The runtime is that of the profiler, and
// said.
func TestLayoutsOnTheH100(t *testing.T) {
	dir, err := filepath.Abs("../calibrate/facts/h100")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("pulled:sailor", dir, "OPT-350", "gpt2-1.5b-tf32", "256", "64", "V100-16", "H100", "samples: 100000", "samples: 64000",
		"sailor}", "ondemand}").Replace(layoutSpec)
	open := func(text string) (*experiments.Study, error) {
		s, err := spec.Parse("h100", []byte(text))
		if err != nil {
			return nil, err
		}
		return experiments.NewStudy(s)
	}
	study, err := open(text)
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(study.Warnings, "\n"); !strings.Contains(said, "runtime torch: transfers and all-reduces were not measured") {
		t.Errorf("warnings: %s", said)
	}
	set, err := study.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const step = 8*0.559091 + 0.04679506 // s: layers of 8 samples, optimiser_s (facts/h100)
	seen := false
	for _, row := range set.Spans {
		if row.Layout == "layers 0-49: 1 x 1 H100; micro-batch 8" && row.RateProgressPerS > 0 {
			seen = true
			near.Rel(t, "samples per second", row.RateProgressPerS, 64/step, 1e-4)
		}
	}
	if !seen {
		t.Error("never trained on one H100")
	}
	for _, x := range []struct{ old, with, want string }{
		{"    links: {zone_gb_per_s: 1.2}\n", "", "no links were measured with the layers, expected zone_gb_per_s"},
		{"gpu: H100", "gpu: A100-80", "was not profiled on A100-80: the nearest by memory is H100"},
		{"gpt2-1.5b-tf32", "bert-large-bf16", "of bert-large-bf16 no batch has both its layers and its update measured"},
	} {
		if _, err := open(strings.Replace(text, x.old, x.with, 1)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: %v, expected %q", x.with, err, x.want)
		}
	}
}

// Where the best layout depends on how much of a transfer is hidden, a warning says so, with both times of each; where
// it does not, nothing is said.
func TestLayoutsThatDependOnTransfers(t *testing.T) {
	pulled.Dir(t, "sailor")
	mixed := strings.NewReplacer("OPT-350", "GPT-Neo-2.7", "256", "1024",
		"gpus: [{type: p3.2xlarge, gpu: V100-16}]", "gpus: [{type: p3.8xlarge, gpu: V100-16, count: 4}, {type: a100, gpu: A100-40, count: 4}]",
		"pools: [{type: p3.2xlarge, quota: 4, on_demand_quota: 4, on_demand_usd_per_h: 3.06}]",
		"pools: [{type: p3.8xlarge, quota: 16, on_demand_usd_per_h: 12.24}, {type: a100, quota: 16, on_demand_usd_per_h: 14.7}]").Replace(layoutSpec)
	one := strings.Replace(layoutSpec, "quota: 4, on_demand_quota: 4", "quota: 1, on_demand_quota: 1", 1)
	for text, want := range map[string]bool{mixed: true, one: false} {
		s, err := spec.Parse("layouts", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		study, err := experiments.NewStudy(s)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(study.Warnings, "\n")
		depends := strings.Contains(said, "depends on the factor of transfers, exposed: 1.63 was measured on consumer GPUs, 4.12 on GH200")
		if depends != want || depends && (!strings.Contains(said, "s a step at 1.63") || !strings.Contains(said, "s at 4.12)")) {
			t.Errorf("warnings: %s", said)
		}
	}
}

// A row of the timeline has the layout in which the job trains, none where it waits, and decisions say it; the
// candidate that sailor took is what it holds where it stays.
func TestLayoutsInTimelines(t *testing.T) {
	pulled.Dir(t, "sailor")
	s, err := spec.Parse("layouts", []byte(layoutSpec))
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
	layouts := map[string]int{}
	for _, row := range results.JobSpans(set.Spans) {
		idle := row.Activity == sim.Waiting.String() || row.Activity == sim.Starting.String()
		if idle && row.Layout != "" || row.RateProgressPerS > 0 && row.Layout == "" {
			t.Fatalf("%s at %v samples/s in layout %q", row.Activity, row.RateProgressPerS, row.Layout)
		}
		layouts[row.Layout]++
	}
	if len(layouts) < 3 {
		t.Errorf("layouts and none: %v", layouts)
	}
	said, kept := 0, 0
	for _, d := range set.Decisions {
		if strings.Contains(d.State, "; layout layers 0-") {
			said++
		}
		if d.Reason != "another layout gains too little" {
			continue
		}
		for _, c := range set.Candidates {
			if c.Decision == d.Number && c.Chosen {
				kept++
				if _, held, _ := strings.Cut(d.State, "; layout "); !strings.HasPrefix(c.Note, held) {
					t.Errorf("at %v s: took %q, trains in %q", d.AtS, c.Note, held)
				}
			}
		}
	}
	if said == 0 || kept == 0 {
		t.Errorf("%d of %d decisions say the layout, %d kept it", said, len(set.Decisions), kept)
	}
}

// A network of which no layer was measured trains by its sizes, on A100 only, and says how sure that is.
func TestLayoutOfSizes(t *testing.T) {
	ofSizes := strings.NewReplacer("    profiles: pulled:sailor\n    network: OPT-350\n", "    sizes: {hidden: 4096, heads: 32, layers: 32, seq: 2048}\n",
		"gpu: V100-16}", "gpu: A100-40, count: 8}", "zone_gb_per_s: 1.2", "zone_gb_per_s: 50").Replace(layoutSpec)
	open := func(text string) (*experiments.Study, error) {
		path := filepath.Join(t.TempDir(), "spec.yaml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Open(path)
		if err != nil {
			return nil, err
		}
		return experiments.NewStudy(s)
	}
	study, err := open(ofSizes)
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(study.Warnings, "\n"); !strings.Contains(said, "no layer was measured") || strings.Contains(said, "beyond") {
		t.Errorf("%s, expected that no layer was measured", said)
	}
	study, err = open(strings.Replace(ofSizes, "seq: 2048", "seq: 4096", 1))
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(study.Warnings, "\n"); !strings.Contains(said, "seq 4096 (measured: 1024 to 2048)") {
		t.Errorf("%s, expected that seq is beyond what was measured", said)
	}
	for _, x := range []struct{ old, with, want string }{
		{"gpu: A100-40", "gpu: H100-80", "expected one of: A100"},
		{"gpu: A100-40", "gpu: A100", "the memory of GPU \"A100\" is not known, expected A100-40 or A100-80"},
		{"heads: 32", "heads: 33", "model.layout.sizes: 33 heads, expected a divisor of hidden, 4096"},
		{"    samples", "    network: OPT-350\n    samples", "expected sizes or network, not both"},
		{"    samples", "    profiles: pulled:sailor\n    samples", "profiles"},
		{"    links: {zone_gb_per_s: 50}\n", "", "no links were measured with the layers, expected zone_gb_per_s"},
	} {
		if _, err := open(strings.Replace(ofSizes, x.old, x.with, 1)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, expected %q", x.with, err, x.want)
		}
	}
}
