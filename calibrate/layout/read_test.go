package layout

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

// The project's own profiles.
const (
	h100 = "../facts/h100"
	h200 = "../facts/h200"
)

// wholeSteps returns the measured step times and peaks of a folder of the profiler, by network and batch.
func wholeSteps(t *testing.T, folder string) (steps, peaks map[string]float64) {
	t.Helper()
	var in profilerIn
	if err := readJSON(folder, profilerFile, &in); err != nil {
		t.Fatal(err)
	}
	steps, peaks = map[string]float64{}, map[string]float64{}
	for i := range in.Measurements {
		m := &in.Measurements[i]
		key := fmt.Sprintf("%s-%s,%d", m.Model, m.Precision, m.Batch)
		switch {
		case m.Value == nil:
		case m.Quantity == "step_s":
			steps[key] = *m.Value
		case m.Quantity == "peak_memory_mb":
			peaks[key] = *m.Value * 1e6
		}
	}
	return steps, peaks
}

// whole is all of a network on one GPU, a micro-batch a step.
func whole(p *Profile, gpu string, micro int) Layout {
	l := Layout{Micro: micro, Batch: micro, Stages: []Stage{{Replicas: []Place{{gpu, "a", 1, 1}}}}}
	for i := range p.Layers() {
		l.Stages[0].Layers = append(l.Stages[0].Layers, i)
	}
	return l
}

// compared is what a folder of the profiler measured of whole steps, with what its layers and sizes say.
type compared struct {
	keys   []string
	rows   []Measured
	models []*Model
}

func compare(t *testing.T, folder, gpu string) *compared {
	t.Helper()
	set, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	steps, peaks := wholeSteps(t, folder)
	c := &compared{}
	for _, network := range set.Networks() {
		p, err := set.Profile(network)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range p.Points(gpu) {
			key := fmt.Sprintf("%s,%d", network, at.Micro)
			if steps[key] == 0 || peaks[key] == 0 {
				t.Fatalf("%s: no whole step", key)
			}
			c.keys = append(c.keys, key)
			c.rows, c.models = append(c.rows, Measured{whole(p, gpu, at.Micro), steps[key], peaks[key]}), append(c.models, &Model{Profile: p})
		}
	}
	return c
}

// table compares each step with a runtime, and writes FOLDER/layouts.csv; half names what a row was used for. No step
// is off by more than limit.
func (c *compared) table(t *testing.T, folder string, r Runtime, limit float64, half func(i int) string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("network,batch,half,step_s,step_error_pct,memory_gb,memory_error_pct\n")
	for i := range c.rows {
		step, err := r.relative(&c.rows[i], false, c.models[i])
		if err != nil {
			t.Fatal(err)
		}
		memory, err := r.relative(&c.rows[i], true, c.models[i])
		if err != nil {
			t.Fatal(err)
		}
		near.Abs(t, c.keys[i]+": layers and update, as a share of the step beyond it", step, 0, limit)
		fmt.Fprintf(&text, "%s,%s,%.5f,%.2f,%.2f,%.1f\n", c.keys[i], half(i), c.rows[i].Step, 100*step, c.rows[i].Memory/1e9, 100*memory)
	}
	testutil.GoldenText(t, folder+"/layouts.csv", text.String())
}

// Layers and update add up to the measured steps, and sizes to the measured peaks: layouts.csv has what is left. The
// memory of the runtime torch is fitted to every second step of the H100; all of the H200 is held out. One micro-batch
// keeps no gradients from another, hence the 1.
func TestProfilerResiduals(t *testing.T) {
	c := compare(t, h100, "H100")
	var fitted []Measured
	var of []*Model
	for i := 0; i < len(c.rows); i += 2 {
		fitted, of = append(fitted, c.rows[i]), append(of, c.models[i])
	}
	one, err := RuntimeNamed(ProfilerRuntime)
	if err != nil {
		t.Fatal(err)
	}
	one.State--
	got, err := Fit(Runtime{Compute: 1, State: 4, Kept: 1}, []string{"state"}, true, fitted, func(i int) *Model { return of[i] })
	if err != nil {
		t.Fatal(err)
	}
	near.Abs(t, "state", got.State, one.State, 1e-3)
	c.table(t, h100, one, 0.01, func(i int) string { return [...]string{"fitted", "held out"}[i%2] })
	compare(t, h200, "H200").table(t, h200, one, 0.016, func(int) string { return "held out" })
}

// What was not measured is an error that names what was.
func TestProfilerRefuses(t *testing.T) {
	set, err := Open(h100)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		network string
		at      Point
		want    string
	}{
		{"bert-large-bf16", Point{"H100", 32, 1}, "of bert-large-bf16 no batch has both its layers and its update measured"},
		{"resnet-50-fp32", Point{"H100", 16, 1}, "(its update: refused: spread "},
		{"resnet-152-tf32", Point{"H100", 16, 1}, "(refused: conv1, forward_s: refused: spread 0.149 over 0.05)"},
		{"gpt2-1.5b-tf32", Point{"H100", 4, 1}, "expected one of these micro-batches with tensor parallelism: 2 with 1, 8 with 1"},
		{"gpt2-1.5b-tf32", Point{"H100", 2, 2}, "a micro-batch of 2 and tensor parallelism 2; expected one of these"},
		{"gpt2-1.5b-tf32", Point{"A100-80", 2, 1}, "not profiled on A100-80: the nearest by memory is H100"},
	} {
		p, err := set.Profile(x.network)
		if err == nil {
			_, err = p.Times(x.at)
		}
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s, %s: %v, expected %q", x.network, x.at, err, x.want)
		}
	}
	p, err := set.Profile("gpt2-1.5b-tf32")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Sizes(2); err == nil {
		t.Error("sizes for tensor parallelism 2")
	}
	l := whole(p, "H100", 8)
	l.Stages[0].Replicas = append(l.Stages[0].Replicas, Place{"H100", "b", 1, 1})
	if _, err := (&Model{Profile: p, Links: NewLinks(nil, nil), Runtime: Runtime{Compute: 1}}).Cost(&l); err == nil ||
		!strings.Contains(err.Error(), "no link of H100 in a was measured") {
		t.Errorf("a second replica without a link: %v", err)
	}
}

// profilerText is a profile of one network of two layers at one batch.
const profilerText = `{"provenance": {"gpu": "X", "gpus": 1}, "measurements": [
 {"model": "m", "precision": "fp32", "batch_per_gpu": 2, "quantity": "optimiser_s", "value": 0.5, "note": ""},
 {"model": "m", "precision": "fp32", "batch_per_gpu": 2, "quantity": "layers", "value": null, "note": "", "layers": [
  {"layer": "a", "forward_s": 1, "backward_s": 2, "weight_bytes": 400, "activation_bytes": 80, "output_bytes": 16},
  {"layer": "b", "forward_s": 3, "backward_s": 4, "weight_bytes": 0, "activation_bytes": 8, "output_bytes": 8}]}]}`

func parseProfiler(text string) (*Set, error) {
	var in profilerIn
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, err
	}
	return in.set()
}

// Bytes are by sample, in numbers of four; what is no profile is an error.
func TestProfilerForm(t *testing.T) {
	set, err := parseProfiler(profilerText)
	if err != nil {
		t.Fatal(err)
	}
	p, err := set.Profile("m-fp32")
	if err != nil {
		t.Fatal(err)
	}
	sizes, _ := p.Sizes(1)
	times, _ := p.Times(Point{"X", 2, 1})
	if sizes[0] != (Size{Params: 100, Output: 2, Activations: 10}) || times[1] != (Time{3, 4, 0.5}) {
		t.Errorf("sizes %v, times %v", sizes, times)
	}
	for _, x := range []struct{ old, with, want string }{
		{`"gpu": "X"`, `"gpu": ""`, "expected 1 with a name"},
		{`"gpus": 1`, `"gpus": 2`, "2 GPUs"},
		{`"forward_s": 3`, `"forward_s": 0`, "layer b of m-fp32: 0 s forward"},
		{`"weight_bytes": 400`, `"weight_bytes": -1`, "layer a of m-fp32: "},
		{`"batch_per_gpu": 2`, `"batch_per_gpu": -2`, "-2 samples"},
		{`"quantity": "layers"`, `"quantity": "layer"`, ""},
	} {
		set, err := parseProfiler(strings.ReplaceAll(profilerText, x.old, x.with))
		if x.want == "" {
			if err != nil || len(set.Networks()) != 0 {
				t.Errorf("%s: %v, %v", x.with, set, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, expected %q", x.with, err, x.want)
		}
	}
}

// Whatever the file says, a profile that is read has lists of one length and times above 0.
func FuzzProfiler(f *testing.F) {
	f.Add(profilerText)
	f.Fuzz(func(t *testing.T, text string) {
		set, err := parseProfiler(text)
		if err != nil {
			return
		}
		for _, network := range set.Networks() {
			p, err := set.Profile(network)
			if err != nil {
				t.Fatal(err)
			}
			for _, gpu := range p.GPUs() {
				for _, at := range p.Points(gpu) {
					times, err := p.Times(at)
					if err != nil || len(times) != p.Layers() {
						t.Fatalf("%s: %v, %v", at, times, err)
					}
				}
			}
		}
	})
}
