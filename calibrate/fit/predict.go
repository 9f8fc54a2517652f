package fit

import (
	"bytes"
	"cmp"
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
			return 0, "", fmt.Errorf("%s predicts from %s: expected %s=value", m.Family, strings.Join(m.family.Inputs, ", "),
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
	names, values := []string{"source"}, []string{"asked for"}
	set := map[string]bool{}
	for _, text := range conditions {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("%q, expected column=value", text)
		}
		names, values, set[name] = append(names, name), append(values, value), true
	}
	for _, f := range m.For {
		if !set[f.Column] {
			names, values, set[f.Column] = append(names, f.Column), append(values, f.Value), true
		}
	}
	if !set["gpu"] {
		return nil, fmt.Errorf("no gpu: expected gpu=value")
	}
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	if err := w.WriteAll([][]string{names, values}); err != nil {
		return nil, err
	}
	p, err := ReadMeasured("the run", &table)
	if err != nil {
		return nil, err
	}
	return &p.Rows[0], nil
}

// OfInstances returns an error unless the model predicts the time of a step from
// what is known of an instance type: its GPUs and their batch.
func (m *Model) OfInstances() error {
	if m.Target != "step_time_s" {
		return fmt.Errorf("family %s predicts %s, expected one of step_time_s", m.Family, m.Target)
	}
	for _, in := range m.family.Inputs {
		if in != "gpus" && in != "batch_per_gpu" {
			return fmt.Errorf("family %s predicts from %s, expected one that needs gpus and batch_per_gpu only", m.Family, in)
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
	for _, f := range m.For {
		if f.Column == column {
			return f.Value
		}
	}
	return ""
}

// LeftOut says how well a family predicts what it was not fitted on.
type LeftOut struct {
	Column    string     `json:"column"`    // whose values were left out, one at a time
	Residuals []Residual `json:"residuals"` // each row by the fit without its value
	Mean      float64    `json:"mean"`      // of |residual/measured|
	Worst     float64    `json:"worst"`
	Unfitted  []Unfitted `json:"unfitted,omitempty"` // values without which nothing can be fitted: their rows are not predicted
}

// Unfitted is a value without which there is no fit, and why.
type Unfitted struct {
	Value string `json:"value"`
	Why   string `json:"why"`
}

// LeaveOut fits the model's family again to the rows of a profile that meet the
// conditions of its own fit, without those of one value of a column after the
// other, and predicts these. It is an error if no value can be left out.
func (m *Model) LeaveOut(p *Measured, name string) (*LeftOut, error) {
	if _, err := columnNamed(name); err != nil {
		return nil, err
	}
	rows, err := p.Where(m.Provenance.Chosen)
	if err != nil {
		return nil, err
	}
	if rows, err = m.family.Usable(rows); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	if _, err := common(m.family, rows); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	out, err := m.family.LeaveOut(rows, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	return out, nil
}

// LeaveOut predicts each of the rows, all Usable, by a fit to those that have
// another value in a column. It is an error if no value can be left out, or a
// target is 0.
func (f *Family) LeaveOut(rows []Measurement, name string) (*LeftOut, error) {
	c, err := columnNamed(name)
	if err != nil {
		return nil, err
	}
	out := &LeftOut{Column: c.Name}
	target, _ := column(f.Target)
	var first error
	for i := range rows {
		value := rows[i].text(c)
		if slices.ContainsFunc(out.Unfitted, func(u Unfitted) bool { return u.Value == value }) {
			continue
		}
		parameters, err := f.fitWithout(rows, c, value)
		if err != nil {
			out.Unfitted, first = append(out.Unfitted, Unfitted{value, err.Error()}), cmp.Or(first, err)
			continue
		}
		x := rows[i].number(target)
		if x == 0 {
			return nil, fmt.Errorf("line %d: %s: 0, expected more than 0 for a relative error", rows[i].Line, f.Target)
		}
		y := f.Predict(parameters, &rows[i])
		out.Residuals = append(out.Residuals, Residual{Line: rows[i].Line, HeldOut: true, Measured: x, Predicted: y,
			Residual: y - x, Outside: f.Estimate})
		out.Mean, out.Worst = out.Mean+math.Abs(y/x-1), max(out.Worst, math.Abs(y/x-1))
	}
	if len(out.Residuals) == 0 {
		return nil, first
	}
	out.Mean /= float64(len(out.Residuals))
	return out, nil
}

// fitWithout returns the parameters from the rows without a value in a column.
func (f *Family) fitWithout(rows []Measurement, c Column, value string) ([]float64, error) {
	train := slices.DeleteFunc(slices.Clone(rows), func(r Measurement) bool { return r.text(c) == value })
	if len(train) < len(f.Parameters) {
		return nil, fmt.Errorf("%d rows without %s %s, expected at least %d for %s", len(train), c.Name, value,
			len(f.Parameters), f.Name)
	}
	parameters, err := f.Fit(train)
	if err != nil {
		return nil, fmt.Errorf("without %s %s: %w", c.Name, value, err)
	}
	return parameters, nil
}
