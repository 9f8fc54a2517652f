package fit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/internal/near"
)

func fitted(t testing.TB) *fit.Model {
	t.Helper()
	p := fit.Grid(named(t, "step-time-linear"), []float64{0.1, 0.01})
	p.Rows[0].Date, p.Rows[1].Date = "2024-03-31", "2023-12-01"
	m, err := fit.Fit(named(t, "step-time-linear"), p, []string{"gpus=2"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A model file is read as it was written, and predicts the same.
func TestModelFile(t *testing.T) {
	check := near.Count(t)
	m := fitted(t)
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	back, err := fit.ReadModel("m.json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	again, _ := json.MarshalIndent(back, "", "  ")
	if !bytes.Equal(data, again) {
		t.Errorf("written\n%s\nread\n%s", data, again)
	}
	row := fit.Measurement{Model: "m", GPU: "g", GPUs: 2, Batch: 100}
	if y, outside := back.Predict(&row); check.Off(y, 1.1, 1e-9) || outside != "" {
		t.Errorf("%v %q", y, outside)
	}
	row.Batch, row.GPU = 129, "h"
	if _, outside := back.Predict(&row); outside != `gpu "g" was fitted, not "h", batch_per_gpu 129 is outside 16 to 128` {
		t.Errorf("outside: %q", outside)
	}
	if p := m.Provenance; p.LeftOut != 20 || !slices.Equal(p.Lines, []int{7, 8, 9, 10, 11}) || p.FirstDate != "" || p.Version != "test" {
		t.Errorf("%+v", p)
	}
	whole, err := fit.Fit(named(t, "data-parallel"), func() *fit.Measured {
		p := fit.Grid(named(t, "data-parallel"), []float64{1, 1, 1, 1})
		p.Rows[3].Date, p.Rows[5].Date = "2024-03-31", "2023-12-01"
		return p
	}(), nil, "test")
	if err != nil || whole.Provenance.FirstDate != "2023-12-01" || whole.Provenance.LastDate != "2024-03-31" {
		t.Errorf("%v, %+v", err, whole.Provenance)
	}
}

func TestReadModelErrors(t *testing.T) {
	data, err := json.MarshalIndent(fitted(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"family": "step-time-linear"`, `"family": "cubic"`, `m.json: unknown family "cubic", expected one of: batch-memory`},
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
		if _, err := fit.ReadModel("m.json", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: got %v, expected %s", c[1], err, c[2])
		}
	}
	if _, err := fit.ReadModel("m.json", strings.NewReader("")); err == nil {
		t.Error("accepted nothing")
	}
}

func FuzzReadModel(f *testing.F) {
	data, err := json.Marshal(fitted(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := fit.ReadModel("m.json", strings.NewReader(text)); err == nil {
			y, _ := m.Predict(&fit.Measurement{GPUs: 1, Batch: 1, Layers: 1, GradientMB: 1})
			_ = fmt.Sprint(y)
		} else if !strings.HasPrefix(err.Error(), "m.json") {
			t.Errorf("an error without its file: %v", err)
		}
	})
}

// One run is predicted from what is said of it and what all fitted rows share.
func TestPredictOf(t *testing.T) {
	check := near.Count(t)
	m, err := fit.Fit(named(t, "step-time-linear"), fit.Grid(named(t, "step-time-linear"), []float64{0.1, 0.01}), []string{"gpus=2"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if x, outside, err := m.PredictOf([]string{"batch_per_gpu=20"}); err != nil || check.Off(x, .3, 1e-9) || outside != "" {
		t.Errorf("%v, %q, %v", x, outside, err)
	}
	if _, outside, err := m.PredictOf([]string{"batch_per_gpu=20", "gpus=4"}); err != nil || !strings.Contains(outside, `gpus "2" was fitted, not "4"`) {
		t.Errorf("%q, %v", outside, err)
	}
	for text, says := range map[string]string{
		"gpus=2":             "step-time-linear predicts from batch_per_gpu: expected batch_per_gpu=value",
		"batch_per_gpu":      `"batch_per_gpu", expected column=value`,
		"batch_per_gpu=many": `batch_per_gpu: "many", expected a whole number`,
		"speed=1":            `column "speed" is unknown`,
	} {
		if _, _, err := m.PredictOf([]string{text}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, expected %s", text, err, says)
		}
	}
}
