package fit

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
)

// Grid returns, for tests of families, runs of one network on one GPU type: five numbers of GPUs by five
// batches, whose step times are what the family makes of them.
func Grid(f Family, parameters []float64) *Measured {
	profile := &Measured{Name: "grid.csv", SHA256: strings.Repeat("0", 64)}
	for _, gpus := range []int{1, 2, 3, 4, 8} {
		for _, batch := range []int{16, 32, 48, 64, 128} {
			run := Measurement{Model: "m", GPU: "g", GPUs: gpus, Batch: batch, SyncS: math.NaN(),
				Line: len(profile.Rows) + 2}
			run.StepS = f.Predict(parameters, &run)
			profile.Rows = append(profile.Rows, run)
		}
	}
	return profile
}

// Synthetic returns, for tests of families, a profile of rows; the target of each is what the family makes of
// it with the parameters.
func Synthetic(f Family, parameters []float64, rows []Measurement) *Measured {
	for i := range rows {
		rows[i].Line = i + 2
		cell(&rows[i], f.Target).SetFloat(f.Predict(parameters, &rows[i]))
	}
	return &Measured{Name: "made.csv", Rows: rows}
}

// cell returns the field of a row that a column is.
func cell(m *Measurement, column string) reflect.Value {
	for field, value := range reflect.ValueOf(m).Elem().Fields() {
		if field.Tag.Get("col") == column {
			return value
		}
	}
	panic("fit: no column " + column)
}

// TB is what SameFromFile needs of a *testing.T.
type TB interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

// SameFromFile writes and reads a model and compares its residuals, for tests of families.
func SameFromFile(t TB, m *Model, p *Measured) {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadModel("m.json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := back.Check(p)
	if err != nil || len(list) != len(m.Residuals) {
		t.Fatal(len(list), err)
	}
	for i, residual := range list {
		if residual.Predicted != m.Residuals[i].Predicted {
			t.Errorf("line %d: %v from the file, %v from the fit", residual.Line, residual.Predicted,
				m.Residuals[i].Predicted)
		}
	}
}
