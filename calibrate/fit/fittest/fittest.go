// Package fittest makes profiles for tests of families.
package fittest

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/fit"
)

// Grid returns runs of one network on one GPU type: five numbers of GPUs by five
// batches, whose step times are what the family makes of them.
func Grid(f fit.Family, parameters []float64) *fit.Measured {
	p := &fit.Measured{Name: "grid.csv", SHA256: strings.Repeat("0", 64)}
	for _, gpus := range []int{1, 2, 3, 4, 8} {
		for _, batch := range []int{16, 32, 48, 64, 128} {
			m := fit.Measurement{Model: "m", GPU: "g", GPUs: gpus, Batch: batch, SyncS: math.NaN(), Line: len(p.Rows) + 2}
			m.StepS = f.Predict(parameters, &m)
			p.Rows = append(p.Rows, m)
		}
	}
	return p
}

// Synthetic returns a profile of rows; the target of each is what the family makes of
// it with the parameters.
func Synthetic(f fit.Family, parameters []float64, rows []fit.Measurement) *fit.Measured {
	for i := range rows {
		rows[i].Line = i + 2
		cell(&rows[i], f.Target).SetFloat(f.Predict(parameters, &rows[i]))
	}
	return &fit.Measured{Name: "made.csv", Rows: rows}
}

// cell returns the field of a row that a column is.
func cell(m *fit.Measurement, column string) reflect.Value {
	for field, v := range reflect.ValueOf(m).Elem().Fields() {
		if field.Tag.Get("col") == column {
			return v
		}
	}
	panic("fittest: no column " + column)
}

// SameFromFile writes and reads a model and compares its residuals.
func SameFromFile(t *testing.T, m *fit.Model, p *fit.Measured) {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	back, err := fit.ReadModel("m.json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := back.Check(p)
	if err != nil || len(list) != len(m.Residuals) {
		t.Fatal(len(list), err)
	}
	for i, r := range list {
		if r.Predicted != m.Residuals[i].Predicted {
			t.Errorf("line %d: %v from the file, %v from the fit", r.Line, r.Predicted, m.Residuals[i].Predicted)
		}
	}
}
