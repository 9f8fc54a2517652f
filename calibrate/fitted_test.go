package calibrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func fitted(t testing.TB) *Fitted {
	t.Helper()
	p := grid(stepTimeLinear, []float64{0.1, 0.01})
	p.Rows[0].Date, p.Rows[1].Date = "2024-03-31", "2023-12-01"
	m, err := FitMeasured(stepTimeLinear, p, []string{"gpus=2"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A model file is read as it was written, and predicts the same.
func TestModelFile(t *testing.T) {
	m := fitted(t)
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadFitted("m.json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	again, _ := json.MarshalIndent(back, "", "  ")
	if !bytes.Equal(data, again) {
		t.Errorf("written\n%s\nread\n%s", data, again)
	}
	row := Measurement{Model: "m", GPU: "g", GPUs: 2, Batch: 100}
	if y, outside := back.Predict(&row); math.Abs(y-1.1) > 1e-9 || outside != "" {
		t.Errorf("%v %q", y, outside)
	}
	row.Batch, row.GPU = 129, "h"
	if _, outside := back.Predict(&row); outside != `gpu "g" was fitted, not "h", batch_per_gpu 129 is outside 16 to 128` {
		t.Errorf("outside: %q", outside)
	}
	if p := m.Provenance; p.LeftOut != 20 || !slices.Equal(p.Lines, []int{7, 8, 9, 10, 11}) || p.FirstDate != "" || p.Version != "test" {
		t.Errorf("%+v", p)
	}
	whole, err := FitMeasured(dataParallel, func() *Measured {
		p := grid(dataParallel, []float64{1, 1, 1, 1})
		p.Rows[3].Date, p.Rows[5].Date = "2024-03-31", "2023-12-01"
		return p
	}(), nil, "test")
	if err != nil || whole.Provenance.FirstDate != "2023-12-01" || whole.Provenance.LastDate != "2024-03-31" {
		t.Errorf("%v, %+v", err, whole.Provenance)
	}
}

func TestReadFittedErrors(t *testing.T) {
	data, err := json.MarshalIndent(fitted(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"family": "step-time-linear"`, `"family": "cubic"`, `m.json: no family "cubic"; there are batch-memory`},
		{`"family"`, `"famly"`, `m.json: not a model file of marigram calibrate fit: json: unknown field "famly"`},
		{`"name": "a"`, `"name": "z"`, `m.json: parameter z of`},
		{`"unit": "s/sample"`, `"unit": "ms"`, `expected a finite b in s/sample`},
		{`"target": "step_time_s"`, `"target": "sync_time_s"`, `target "sync_time_s"`},
		{`"least": 16`, `"least": 1600`, `valid range of "batch_per_gpu" from 1600 to 128`},
		{`"column": "gpu"`, `"column": "gpus"`, `column "gpus" in common, expected "gpu"`},
		{`"gpus=2"`, `2`, `m.json:89: not a model file`},
		{`"lines"`, `lines`, `m.json:91: not a model file`},
	} {
		text := strings.Replace(string(data), c[0], c[1], 1)
		if _, err := ReadFitted("m.json", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: got %v, expected %s", c[1], err, c[2])
		}
	}
	if _, err := ReadFitted("m.json", strings.NewReader("")); err == nil {
		t.Error("accepted nothing")
	}
}

func FuzzReadFitted(f *testing.F) {
	data, err := json.Marshal(fitted(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := ReadFitted("m.json", strings.NewReader(text)); err == nil {
			y, _ := m.Predict(&Measurement{GPUs: 1, Batch: 1, Layers: 1, GradientMB: 1})
			_ = fmt.Sprint(y)
		} else if !strings.HasPrefix(err.Error(), "m.json") {
			t.Errorf("an error without its file: %v", err)
		}
	})
}

// A profile gets the predicted speeds of its types with the model's GPU.
func TestSpeeds(t *testing.T) {
	p := Profile{{InstanceType: "one", GPU: "g", GPUs: 2, BatchPerGPU: 64, SpeedSamplesPerS: 1}, {InstanceType: "two", GPU: "h", GPUs: 2, BatchPerGPU: 64, SpeedSamplesPerS: 1},
		{InstanceType: "big", GPU: "g", GPUs: 2, BatchPerGPU: 256, SpeedSamplesPerS: 1}}
	out, warnings, err := PredictSpeeds(fitted(t), p, []string{"one", "two"})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if want := 128 / 0.74; math.Abs(out[0].SpeedSamplesPerS-want) > 1e-6 || out[1].SpeedSamplesPerS != 1 || p[0].SpeedSamplesPerS != 1 {
		t.Errorf("%+v", out)
	}
	_, warnings, err = PredictSpeeds(fitted(t), p, []string{"big"})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "the speed of big is predicted outside of what the model was fitted on (batch_per_gpu 256 is outside 16 to 128)") {
		t.Errorf("%v, %v", warnings, err)
	}
	if _, _, err = PredictSpeeds(fitted(t), p[1:2], nil); err == nil || !strings.Contains(err.Error(), `fitted on GPU "g", which no instance type`) {
		t.Errorf("got %v", err)
	}
	contention, err := FitMeasured(psContention, grid(psContention, []float64{1, 3, 4}), []string{"batch_per_gpu=16"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = PredictSpeeds(contention, p, nil); err == nil || !strings.Contains(err.Error(), "without contention") {
		t.Errorf("got %v", err)
	}
}

func TestPrices(t *testing.T) {
	const head = "instance_type,gpu,gpus,usd_per_h\n"
	for text, says := range map[string]string{
		head + "a,K80,1,1\na,K80,1,1\n": `p.csv:3: instance_type: "a", expected a name that is used once`,
		head + ",K80,1,1\n":             `p.csv:2: instance_type: "", expected a name`,
		head + "a,K80,0,1\n":            `p.csv:2: gpus: "0"`,
		head + "a,K80,1,-1\n":           `p.csv:2: usd_per_h: "-1"`,
		"gpu\nx\n":                      `p.csv:1: no column "instance_type"`,
	} {
		if _, err := ReadPrices("p.csv", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%q: got %v, expected %s", text, err, says)
		}
	}
	if p, err := PriceOf(StashPrices(), "p3.16xlarge"); err != nil || p != (Price{"p3.16xlarge", "V100", 8, 24.48}) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := PriceOf(nil, "x"); err == nil {
		t.Error("a price of nothing")
	}
}
