package sailor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/internal/testutil/pulled"
)

// fits are the inputs of sailor/heldout.
func fits(t *testing.T) *heldOutInputs {
	t.Helper()
	data, err := os.ReadFile("heldout.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Inputs heldOutInputs `yaml:"inputs"`
	}
	if err := yaml.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return &s.Inputs
}

// The table of runtimes has what the fit gives, and residuals.csv what is left of each measured layout.
func TestResiduals(t *testing.T) {
	pulled.Dir(t, "sailor")
	list, fitted, err := residuals(fits(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range layout.Runtimes() {
		got, ours := fitted[want.Name]
		if !ours {
			continue // TestProfilerResiduals has torch
		}
		near.Abs(t, want.Name+" compute", got.Compute, want.Compute, 1e-3)
		near.Abs(t, want.Name+" exposed", got.Exposed, want.Exposed, 1e-3)
		near.Abs(t, want.Name+" sync", got.Sync, want.Sync, 1e-3)
		near.Abs(t, want.Name+" base", got.BaseGB, want.BaseGB, 1e-3)
		near.Abs(t, want.Name+" tp", got.TPGB, want.TPGB, 1e-3)
		near.Abs(t, want.Name+" state", got.State, want.State, 1e-3)
		near.Abs(t, want.Name+" kept", got.Kept, want.Kept, 1e-3)
	}
	var text strings.Builder
	text.WriteString("family,plan,half,step_error_pct,memory_error_pct,simulator_step_error_pct,simulator_memory_error_pct\n")
	for _, r := range list {
		half := "fitted"
		if r.held {
			half = "held out"
		}
		fmt.Fprintf(&text, "%s,%s,%s,%.1f,%.1f,%.1f,%.1f\n", r.family.Name, r.plan, half, 100*(r.step/r.Step-1), 100*(r.memory/r.Memory-1),
			100*(r.sailorStep/r.Step-1), 100*(r.sailorMemory/r.Memory-1))
	}
	testutil.GoldenText(t, "residuals.csv", text.String())
	testutil.Compared(t, "sailor", len(list))
}

// The slips of the data that DEVIATIONS.md names are there.
func TestSlips(t *testing.T) {
	root := pulled.Dir(t, "sailor")
	file := func(name string) layout.Measured {
		f, err := os.Open(filepath.Join(root, filepath.FromSlash(validation), name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		m, err := readMeasured(name, f)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	three, six := file("mit/N3/plan_config_N3_D1.json"), file("mit/N6/plan_config_N6_D2.json")
	if three.Step != six.Step || three.Memory != six.Memory || len(three.Stages[0].Replicas) == len(six.Stages[0].Replicas) {
		t.Error("mit/N6_D2 no longer has the measurements of mit/N3_D1")
	}
	if m := file("clariden/GPT-NEO/N4/plan_config_N4_D4.json"); len(m.Stages) != 1 || len(m.Stages[0].Layers) != 26 {
		t.Error("clariden/GPT-NEO/N4_D4 no longer has the 26 layers of OPT-350M")
	}
	if m := file("clariden/GPT-NEO/N4/plan_config_N4_D1.json"); m.Stages[2].Layers[3] != 29 {
		t.Error("clariden/GPT-NEO/N4_D1 no longer has layer 29 twice")
	}
}

// What was not profiled is an error that names the nearest.
func TestNotProfiled(t *testing.T) {
	set, err := layout.Open(pulled.Dir(t, "sailor"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Profile("Llama-3-8"); err == nil || !strings.Contains(err.Error(), `"LLAMA-3-8"`) {
		t.Error(err)
	}
	p, err := set.Profile("OPT-350")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[layout.Point]string{
		{GPU: "A100", Micro: 8, TP: 4}:      "the nearest is A100-40; profiled are A100-40, A100-80, GH-96,",
		{GPU: "H100", Micro: 8, TP: 4}:      "the nearest by memory is A100-80",
		{GPU: "RTX-4090", Micro: 8, TP: 4}:  "the nearest is RTX-2080",
		{GPU: "V100-16", Micro: 16, TP: 4}:  "expected one of these micro-batches with tensor parallelism: 1 with 4, 2 with 4, 4 with 4, 8 with 4",
		{GPU: "A100-40", Micro: 32, TP: 16}: "1 with 1, 1 with 2, 1 with 4, 2 with 1",
	} {
		if _, err := p.Times(at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, expected %q", at, err, want)
		}
	}
	if _, err := set.Links.Curve(layout.End{Zone: "europe-west4-a", GPU: "A100-40", GPUs: 1}, layout.End{}); err == nil ||
		!strings.Contains(err.Error(), "A100-40 in us-central1-a") {
		t.Error(err)
	}
}

// The computed rows of published speeds are what calibrate/layout computes.
func TestPublishedSpeeds(t *testing.T) {
	set, err := layout.Open(pulled.Dir(t, "sailor"))
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := layout.RuntimeNamed(layout.DefaultRuntime)
	if err != nil {
		t.Fatal(err)
	}
	networks := map[string]string{"gpt-neo-2.7b": "GPT-Neo-2.7", "llama-3-8b": "LLAMA-3-8", "opt-30b": "OPT-30", "opt-350m": "OPT-350"}
	gpus := map[string]string{"A100": "A100-40", "GH200": "GH-96", "V100": "V100-16"}
	n := near.Count(t)
	for _, s := range parallel.Speeds() {
		if s.How != "computed" {
			continue
		}
		p, err := set.Profile(networks[s.Network])
		if err != nil {
			t.Fatal(err)
		}
		m := layout.Model{Profile: p, Links: set.Links, Runtime: runtime}
		pool := layout.Pool{GPU: gpus[s.GPU], Zone: "us-central1-a", Node: s.Node, Nodes: s.GPUs / s.Node}
		plan, err := m.Best([]layout.Pool{pool}, int(s.Batch), layout.Want{})
		if err != nil {
			t.Fatal(err)
		}
		n.Rel(fmt.Sprintf("%s on %d %s", s.Network, s.GPUs, s.GPU), s.Batch/plan.Step, s.SamplesPerS, 1e-4)
	}
	if n.N() < 30 {
		t.Errorf("%d rows were compared", n.N())
	}
}
