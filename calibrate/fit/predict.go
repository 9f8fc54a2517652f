package fit

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
)

// PredictOf predicts the run that conditions such as batch_per_gpu=64 describe;
// what the fitted rows have in common is taken from there if it is not among
// them. outside is as of Predict. Errors name the column that is wrong, or that
// the family needs.
func (m *Model) PredictOf(conditions []string) (value float64, outside string, err error) {
	row, err := m.rowOf(conditions)
	if err != nil {
		return 0, "", err
	}
	for _, name := range m.family.Inputs {
		if c, _ := column(name); !row.has(c) {
			return 0, "", fmt.Errorf("%s predicts from %s: expected %s=value", m.Family,
				strings.Join(m.family.Inputs, ", "),
				name)
		}
	}
	if m.family.Knows != nil {
		if err := m.family.Knows(row); err != nil {
			return 0, "", err
		}
	}
	value, outside = m.Predict(row)
	if !(value >= 0) || math.IsInf(value, 1) { // all columns are quantities
		return 0, "", fmt.Errorf("%s predicts a %s of %v, expected a finite one of at least 0; outside its fitted "+
			"range a model may predict anything", m.Family, m.Target, value)
	}
	return value, outside, nil
}

// rowOf reads the run as a profile of one row.
func (m *Model) rowOf(conditions []string) (*Measurement, error) {
	names := []string{"source"}
	values := []string{"asked for"}
	for _, text := range conditions {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("%q, expected column=value", text)
		}
		names = append(names, name)
		values = append(values, value)
	}
	for _, fixed := range m.For {
		if !slices.Contains(names[1:], fixed.Column) {
			names = append(names, fixed.Column)
			values = append(values, fixed.Value)
		}
	}
	if !slices.Contains(names, "gpu") {
		return nil, fmt.Errorf("no gpu: expected gpu=value")
	}
	var table bytes.Buffer
	writer := csv.NewWriter(&table)
	if err := writer.WriteAll([][]string{names, values}); err != nil {
		return nil, err
	}
	profile, err := ReadMeasured("the run", &table)
	if err != nil {
		return nil, err
	}
	return &profile.Rows[0], nil
}

// OfInstances returns an error unless the model predicts the time of a step from
// what is known of an instance type: its GPUs and their batch.
func (m *Model) OfInstances() error {
	if m.Target != "step_time_s" {
		return fmt.Errorf("family %s predicts %s, expected one of step_time_s", m.Family, m.Target)
	}
	for _, in := range m.family.Inputs {
		if in != "gpus" && in != "batch_per_gpu" {
			return fmt.Errorf("family %s predicts from %s, expected one that needs gpus and batch_per_gpu only",
				m.Family, in)
		}
	}
	return nil
}

// Covers reports whether the model predicts the GPU of a row: the one that it was
// fitted on, or any that its family has the facts of.
func (m *Model) Covers(row *Measurement) bool {
	if m.family.Knows != nil {
		return m.family.Knows(row) == nil
	}
	return row.GPU == m.Fixed("gpu")
}

// Fixed returns what the fitted rows have in common in a column, "" if nothing.
func (m *Model) Fixed(column string) string {
	for _, fixed := range m.For {
		if fixed.Column == column {
			return fixed.Value
		}
	}
	return ""
}
