package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// LeftOut says how well a family predicts what it was not fitted on.
type LeftOut struct {
	Column    string     `json:"column"`    // whose values were left out, one at a time
	Residuals []Residual `json:"residuals"` // each row by the fit without its value
	Mean      float64    `json:"mean"`      // of |residual/measured|
	Worst     float64    `json:"worst"`
	// values without which nothing can be fitted: their rows are not predicted
	Unfitted []Unfitted `json:"unfitted,omitempty"`
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
			out.Unfitted = append(out.Unfitted, Unfitted{value, err.Error()})
			first = cmp.Or(first, err)
			continue
		}
		measured := rows[i].number(target)
		if measured == 0 {
			return nil, fmt.Errorf("line %d: %s: 0, expected more than 0 for a relative error", rows[i].Line, f.Target)
		}
		predicted := f.Predict(parameters, &rows[i])
		out.Residuals = append(out.Residuals, Residual{
			Line:      rows[i].Line,
			HeldOut:   true,
			Measured:  measured,
			Predicted: predicted,
			Residual:  predicted - measured,
			Outside:   f.Estimate,
		})
		off := math.Abs(predicted/measured - 1)
		out.Mean += off
		out.Worst = max(out.Worst, off)
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
