package calibrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// grid returns runs of one network on one GPU type, with the step times of f.
func grid(f Family, parameters []float64) *Measured {
	p := &Measured{Name: "grid.csv", SHA256: strings.Repeat("0", 64)}
	for _, gpus := range []int{1, 2, 3, 4, 8} {
		for _, batch := range []int{16, 32, 48, 64, 128} {
			m := Measurement{Model: "m", GPU: "g", GPUs: gpus, Batch: batch, SyncS: math.NaN(), GradientMB: math.NaN(), MemoryMB: math.NaN(), Line: len(p.Rows) + 2}
			m.StepS = f.Predict(parameters, &m)
			p.Rows = append(p.Rows, m)
		}
	}
	return p
}

// From runs that a family made, its fit finds the parameters back.
func TestFitFindsParameters(t *testing.T) {
	for _, c := range []struct {
		family Family
		where  []string
		most   []float64
		off    float64
	}{
		{stepTimeLinear, []string{"gpus=1"}, []float64{1, 0.1}, 1e-9},
		{stepTimeQuadratic, []string{"gpus=2"}, []float64{1, 0.1, 0.001}, 1e-6},
		{dataParallel, nil, []float64{1, 0.1, 1, 1}, 1e-9},
	} {
		t.Run(c.family.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var want []float64
				for i, most := range c.most {
					want = append(want, rapid.Float64Range(most/100, most).Draw(t, c.family.Parameters[i].Name))
				}
				m, err := FitMeasured(c.family, grid(c.family, want), c.where, "test")
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range m.Parameters {
					if math.Abs(p.Value-want[i]) > c.off*c.most[i] {
						t.Fatalf("%s is %v, made with %v", p.Name, p.Value, want[i])
					}
				}
				if m.Errors.HeldOut == nil || *m.Errors.HeldOut > 1e-6 {
					t.Fatalf("held out: %v", m.Errors.HeldOut)
				}
			})
		})
	}
}

// The capacity law: speeds are found back better than parameters, of which
// cap and p trade places where nothing saturates.
func TestFitContention(t *testing.T) {
	for _, want := range [][]float64{{11, 45, 8}, {21, 104, 4}, {2.1, 6.4, 3}} {
		p := grid(psContention, want)
		m, err := FitMeasured(psContention, p, []string{"batch_per_gpu=32"}, "test")
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range m.Parameters {
			if math.Abs(v.Value/want[i]-1) > 1e-3 {
				t.Errorf("%s is %v, made with %v", v.Name, v.Value, want[i])
			}
		}
	}
	p, err := PublishedMeasured("cmdare-p100")
	if err != nil {
		t.Fatal(err)
	}
	for _, ps := range []string{"1", "2"} {
		for _, model := range []string{"resnet-15", "resnet-32", "shake-shake-small-26x32", "shake-shake-big-26x96"} {
			m, err := FitMeasured(psContention, p, []string{"model=" + model, "parameter_servers=" + ps}, "test")
			if err != nil {
				t.Fatal(err)
			}
			if *m.Errors.Fitted > 0.03 || *m.Errors.HeldOut > 0.075 { // 1.2 to 2.9 %, 1.7 to 7.2 %
				t.Errorf("%s, %s servers: %v, held out %v", model, ps, *m.Errors.Fitted, *m.Errors.HeldOut)
			}
		}
	}
}

// The held-out rows have no say in the parameters.
func TestHeldOut(t *testing.T) {
	p := grid(dataParallel, []float64{0.1, 0.01, 0.2, 0.1})
	fit := func() *Fitted {
		m, err := FitMeasured(dataParallel, p, nil, "test")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	clean := fit()
	var held []int
	for i, r := range clean.Residuals {
		if r.HeldOut {
			held = append(held, i)
			p.Rows[i].StepS *= 3
		}
	}
	spoilt := fit()
	if !slices.Equal(held, []int{2, 7, 12, 17, 22}) || !reflect.DeepEqual(clean.Parameters, spoilt.Parameters) {
		t.Errorf("held out %v; parameters %v and %v", held, clean.Parameters, spoilt.Parameters)
	}
	if e := *spoilt.Errors.HeldOut; math.Abs(e-2.0/3) > 1e-6 || *spoilt.Errors.Fitted > 1e-9 {
		t.Errorf("errors %v, held out %v", *spoilt.Errors.Fitted, e)
	}
	p.Rows = p.Rows[:4]
	m, err := FitMeasured(stepTimeQuadratic, p, nil, "test")
	if err != nil || m.HeldOut != heldOutSome || m.Errors.HeldOut == nil {
		t.Errorf("four rows, three parameters: %v, %v", m, err)
	}
	p.Rows = p.Rows[:3]
	if m, err = FitMeasured(stepTimeQuadratic, p, nil, "test"); err != nil || m.HeldOut != heldOutNone || m.Errors.HeldOut != nil {
		t.Errorf("three rows, three parameters: %v, %v", m, err)
	}
}

func TestFitErrors(t *testing.T) {
	p := grid(dataParallel, []float64{0.1, 0.01, 0.2, 0.1})
	other := *p
	other.Rows = slices.Clone(p.Rows)
	other.Rows[4].GPU = "h"
	same := *p
	same.Rows = slices.Repeat(p.Rows[:1], 6)
	for _, c := range []struct {
		family Family
		of     *Measured
		where  []string
		says   string
	}{
		{stepTimeLinear, p, nil, `step-time-linear is fitted to one gpus; there are "1" and "2": choose the rows by gpus=...`},
		{dataParallel, &other, nil, `one gpu; there are "g" and "h"`},
		{stallLayers, p, nil, "stall-layers needs sync_time_s, which is empty in all rows"},
		{stepTimeLinear, p, []string{"gpus=5"}, "grid.csv: no rows with gpus=5"},
		{stepTimeLinear, p, []string{"speed=5"}, `condition "speed=5", expected column=value with a column of model`},
		{stepTimeLinear, p, []string{"gpus"}, `condition "gpus", expected`},
		{stepTimeQuadratic, p, []string{"gpus=1", "batch_per_gpu=16"}, "1 rows for step-time-quadratic, expected at least 3, one a parameter"},
		{stepTimeLinear, &same, nil, "the rows do not determine the parameters"},
	} {
		if _, err := FitMeasured(c.family, c.of, c.where, "test"); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %v: got %v, expected %s", c.family.Name, c.where, err, c.says)
		}
	}
	if _, err := FamilyNamed("cubic"); err == nil || !strings.Contains(err.Error(), "step-time-linear") {
		t.Errorf("got %v", err)
	}
}

// A family's columns are of the layout, and its inputs are numbers.
func TestFamilies(t *testing.T) {
	list := Families()
	if !slices.IsSortedFunc(list, func(a, b Family) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted")
	}
	for _, f := range list {
		if f.Formula == "" || f.Source == "" || f.Fit == nil || f.Predict == nil || len(f.Parameters) == 0 {
			t.Errorf("%s is not complete", f.Name)
		}
		for _, name := range append(f.needs(), f.Same...) {
			if _, ok := column(name); !ok {
				t.Errorf("%s: no column %q", f.Name, name)
			}
		}
		for _, name := range f.needs() {
			c, _ := column(name)
			(&Measurement{}).number(c)
		}
	}
}

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
		{`"family": "step-time-linear"`, `"family": "cubic"`, `m.json: no family "cubic"; there are data-parallel`},
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
	out, warnings, err := fitted(t).Speeds(p, []string{"one", "two"})
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if want := 128 / 0.74; math.Abs(out[0].SpeedSamplesPerS-want) > 1e-6 || out[1].SpeedSamplesPerS != 1 || p[0].SpeedSamplesPerS != 1 {
		t.Errorf("%+v", out)
	}
	_, warnings, err = fitted(t).Speeds(p, []string{"big"})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "the speed of big is predicted outside of what the model was fitted on (batch_per_gpu 256 is outside 16 to 128)") {
		t.Errorf("%v, %v", warnings, err)
	}
	if _, _, err = fitted(t).Speeds(p[1:2], nil); err == nil || !strings.Contains(err.Error(), `fitted on GPU "g", which no instance type`) {
		t.Errorf("got %v", err)
	}
	contention, err := FitMeasured(psContention, grid(psContention, []float64{1, 3, 4}), []string{"batch_per_gpu=16"}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = contention.Speeds(p, nil); err == nil || !strings.Contains(err.Error(), "without contention") {
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
