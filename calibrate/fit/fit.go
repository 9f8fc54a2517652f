package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Every fifth row is held out, from the third, but never the last: rows are
// usually sorted, and the ends of a series are not to be extrapolated to.
const heldOutEvery, heldOutFirst = 5, 3

const (
	heldOutSome = "rows 3, 8, 13, ... of the selected rows, except the last"
	heldOutNone = "none: too few rows"
)

// Fit fits a family to the rows of a profile for which all conditions,
// such as gpu=K80, hold. version is marigram's.
func Fit(f Family, p *Measured, conditions []string, version string) (*Model, error) {
	rows, err := p.Where(conditions)
	if err != nil {
		return nil, err
	}
	if rows, err = f.Usable(rows); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	model := &Model{Family: f.Name, Formula: f.Formula, Source: f.Source, Target: f.Target, family: f}
	target, _ := column(f.Target)
	model.Unit = target.Unit
	if model.For, err = common(f, rows); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	if smallest := len(f.Parameters) + 1; len(rows) < smallest {
		return nil, fmt.Errorf("%s: %d rows for %s, expected at least %d: one per parameter, and one more", p.Name,
			len(rows),
			f.Name, smallest)
	}
	train := model.split(rows)
	values, err := f.Fit(train)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", p.Name, f.Name, err)
	}
	parameters, ok := f.parameters(len(values))
	if !ok {
		panic(fmt.Sprintf("fit: %s: %d values", f.Name, len(values)))
	}
	for i, parameter := range parameters {
		model.Parameters = append(model.Parameters, Value{parameter, values[i]})
	}
	model.ValidRange = ranges(f, train)
	if model.Residuals, err = model.compare(p.Name, rows); err != nil {
		return nil, err
	}
	for i := range rows {
		model.Residuals[i].HeldOut = model.HeldOut == heldOutSome && heldOut(i, len(rows))
	}
	model.Errors = errorsOf(model.Residuals)
	model.Provenance = provenance(p, conditions, rows, version)
	return model, model.check()
}

// heldOut reports whether row i of n, counted from 0, is held out.
func heldOut(i, n int) bool { return i%heldOutEvery == heldOutFirst-1 && i < n-1 }

// split returns the rows to fit: all, if too few were left to fit otherwise.
func (m *Model) split(rows []Measurement) []Measurement {
	var train []Measurement
	for i := range rows {
		if !heldOut(i, len(rows)) {
			train = append(train, rows[i])
		}
	}
	if len(train) < len(m.family.Parameters) || len(train) == len(rows) {
		m.HeldOut = heldOutNone
		return rows
	}
	m.HeldOut = heldOutSome
	return train
}

// Where returns the rows for which all conditions, such as gpu=K80, hold. It is
// an error if there are none.
func (p *Measured) Where(conditions []string) ([]Measurement, error) {
	rows := slices.Clone(p.Rows)
	for _, text := range conditions {
		name, value, ok := strings.Cut(text, "=")
		asked, known := column(name)
		if !ok || !known {
			return nil, fmt.Errorf("%s: condition %q, expected column=value with a column of %s", p.Name, text,
				columnNames(MeasuredColumns()))
		}
		rows = slices.DeleteFunc(rows, func(m Measurement) bool { return !m.is(asked, value) })
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s: no rows with %s", p.Name, strings.Join(conditions, " and "))
		}
	}
	return rows, nil
}

// common returns what the rows have in common, and an error where they should
// have more so.
func common(f Family, rows []Measurement) ([]Fixed, error) {
	out := []Fixed{}
	for _, name := range f.Same {
		shared, _ := column(name)
		first := rows[0].text(shared)
		for i := range rows {
			if other := rows[i].text(shared); other != first {
				return nil, fmt.Errorf("%s needs rows with one %s; there are %q and %q: select rows by %s", f.Name,
					name, first,
					other, name)
			}
		}
		out = append(out, Fixed{name, first})
	}
	return out, nil
}

func ranges(f Family, rows []Measurement) []Range {
	out := []Range{}
	for _, name := range f.Inputs {
		c, _ := column(name)
		covered := Range{name, c.Unit, math.Inf(1), math.Inf(-1)}
		for i := range rows {
			value := rows[i].number(c)
			covered.Min = min(covered.Min, value)
			covered.Max = max(covered.Max, value)
		}
		out = append(out, covered)
	}
	return out
}

func provenance(p *Measured, conditions []string, rows []Measurement, version string) Provenance {
	from := Provenance{Profile: p.Name, SHA256: p.SHA256, Chosen: conditions, LeftOut: len(p.Rows) - len(rows),
		Version: version}
	for i := range rows {
		from.Lines = append(from.Lines, rows[i].Line)
		date := rows[i].Date
		if date == "" {
			continue
		}
		if from.FirstDate == "" || date < from.FirstDate {
			from.FirstDate = date
		}
		from.LastDate = max(from.LastDate, date)
	}
	return from
}
