package fit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/stats"
)

// Model is a family fitted to a profile of measured runs: a model file.
type Model struct {
	Family     string     `json:"family"`
	Formula    string     `json:"formula"`
	Source     string     `json:"source"` // of the formula
	Target     string     `json:"target"`
	Unit       string     `json:"unit"` // of target and residuals
	Parameters []Value    `json:"parameters"`
	For        []Fixed    `json:"for"`         // what the rows have in common
	ValidRange []Range    `json:"valid_range"` // of the rows that were fitted
	HeldOut    string     `json:"held_out"`    // how the rows were split
	Errors     Errors     `json:"errors"`
	Residuals  []Residual `json:"residuals"` // by row of the profile
	Provenance Provenance `json:"provenance"`

	family Family
}

// Value is a parameter with what the fit made of it.
type Value struct {
	Parameter
	Value float64 `json:"value"`
}

// Fixed is a column that has one value in all rows.
type Fixed struct {
	Column string `json:"column"`
	Value  string `json:"value"` // as in the profile; "" if it is empty there
}

// Range is where the fitted rows lie in one input.
type Range struct {
	Input string  `json:"input"`
	Unit  string  `json:"unit,omitempty"`
	Min   float64 `json:"least"`
	Max   float64 `json:"most"`
}

// Residual compares a row with its prediction.
type Residual struct {
	Line      int     `json:"line"` // of the profile
	HeldOut   bool    `json:"held_out"`
	Measured  float64 `json:"measured"`
	Predicted float64 `json:"predicted"`
	Residual  float64 `json:"residual"` // predicted less measured
	Outside   string  `json:"outside,omitempty"`
}

// Errors are means of |residual| as a share of the mean of the measured.
type Errors struct {
	Fitted  *float64 `json:"fitted"`   // nil: all measured are 0
	HeldOut *float64 `json:"held_out"` // nil also if no rows were held out
}

// Provenance says what a model file was made of.
type Provenance struct {
	Profile   string   `json:"profile"` // name of the file
	SHA256    string   `json:"sha256"`
	Chosen    []string `json:"chosen,omitempty"` // conditions on the rows, column=value
	Lines     []int    `json:"lines"`            // of the rows used
	LeftOut   int      `json:"rows_left_out"`    // not chosen, or without a cell that the family needs
	FirstDate string   `json:"first_date"`       // of the rows used; "" if none is dated
	LastDate  string   `json:"last_date"`
	Version   string   `json:"marigram"`
}

// Predict returns the target for a row, and in what the row lies outside of
// what the model was fitted on; "" if in nothing.
func (m *Model) Predict(row *Measurement) (value float64, outside string) {
	values := make([]float64, len(m.Parameters))
	for i, parameter := range m.Parameters {
		values[i] = parameter.Value
	}
	return m.family.Predict(values, row), m.outside(row)
}

func (m *Model) outside(row *Measurement) string {
	var out []string
	if m.family.Estimate != "" {
		out = append(out, m.family.Estimate)
	}
	for _, fixed := range m.For {
		known, _ := column(fixed.Column)
		if value := row.text(known); value != fixed.Value {
			out = append(out, fmt.Sprintf("%s %q was fitted, not %q", fixed.Column, fixed.Value, value))
		}
	}
	for _, covered := range m.ValidRange {
		known, _ := column(covered.Input)
		if value := row.number(known); !(value >= covered.Min && value <= covered.Max) {
			out = append(out, fmt.Sprintf("%s %v is outside %v to %v", covered.Input, value, covered.Min, covered.Max))
		}
	}
	return strings.Join(out, ", ")
}

// Check predicts the rows of a profile that have the target and the inputs of
// the model, and says how far off it is. An error means that there are none.
func (m *Model) Check(p *Measured) ([]Residual, Errors, error) {
	rows, err := m.family.Usable(p.Rows)
	if err != nil {
		return nil, Errors{}, fmt.Errorf("%s: %w", p.Name, err)
	}
	residuals, err := m.compare(p.Name, rows)
	return residuals, errorsOf(residuals), err
}

func (m *Model) compare(profile string, rows []Measurement) ([]Residual, error) {
	target, _ := column(m.Target)
	out := make([]Residual, len(rows))
	for i := range rows {
		measured := rows[i].number(target)
		predicted, outside := m.Predict(&rows[i])
		if !stats.Finite(predicted) {
			return nil, fmt.Errorf("%s:%d: %s: %v measured, %v predicted, expected a finite number", profile,
				rows[i].Line,
				m.Target, measured, predicted)
		}
		out[i] = Residual{Line: rows[i].Line, Measured: measured, Predicted: predicted,
			Residual: predicted - measured, Outside: outside}
	}
	return out, nil
}

func errorsOf(list []Residual) Errors {
	mean := func(held bool) *float64 {
		off := 0.0
		all := 0.0
		for _, residual := range list {
			if residual.HeldOut == held {
				off += math.Abs(residual.Residual)
				all += residual.Measured
			}
		}
		if all == 0 {
			return nil
		}
		return new(off / all)
	}
	return Errors{mean(false), mean(true)}
}

// OpenModel reads a model file; see ReadModel.
func OpenModel(path string) (*Model, error) { return csvtext.Open(path, ReadModel) }

// ReadModel reads a model file as Fit makes them. name is for errors.
func ReadModel(name string, r io.Reader) (*Model, error) {
	data, err := io.ReadAll(io.LimitReader(r, csvtext.MaxBytes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	model := &Model{}
	if err := in.Decode(model); err != nil {
		return nil, fmt.Errorf("%s%s: not a model file of marigram calibrate fit: %w", name, jsonLine(data, err), err)
	}
	if model.family, err = FamilyNamed(model.Family); err == nil {
		err = model.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return model, nil
}

// jsonLine returns ":" and the line of an error, as far as that says.
func jsonLine(data []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var at int64
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	default:
		return ""
	}
	return fmt.Sprint(":", 1+bytes.Count(data[:min(at, int64(len(data)))], []byte("\n")))
}

// check reports what of the file the family does not have so.
func (m *Model) check() error {
	f := &m.family
	parameters, ok := f.parameters(len(m.Parameters))
	if m.Target != f.Target || !ok || len(m.For) != len(f.Same) || len(m.ValidRange) != len(f.Inputs) {
		return fmt.Errorf("target %q, %d parameters, %d common columns, %d ranges; %s has %q, %d, %d, %d", m.Target,
			len(m.Parameters), len(m.For), len(m.ValidRange), f.Name, f.Target, len(f.Parameters), len(f.Same),
			len(f.Inputs))
	}
	if fixed, _ := column(f.Target); m.Unit != fixed.Unit {
		return fmt.Errorf("unit %q, expected %q: that of %s", m.Unit, fixed.Unit, f.Target)
	}
	for i, parameter := range m.Parameters {
		if parameter.Name != parameters[i].Name || parameter.Unit != parameters[i].Unit ||
			!stats.Finite(parameter.Value) {
			return fmt.Errorf("parameter %s of %v %s, expected a finite %s in %s", parameter.Name, parameter.Value,
				parameter.Unit, parameters[i].Name,
				parameters[i].Unit)
		}
	}
	for i, fixed := range m.For {
		if fixed.Column != f.Same[i] {
			return fmt.Errorf("column %q in common, expected %q", fixed.Column, f.Same[i])
		}
	}
	for i, covered := range m.ValidRange {
		if covered.Input != f.Inputs[i] || !(covered.Min <= covered.Max) {
			return fmt.Errorf("valid range of %q from %v to %v, expected one of %q", covered.Input, covered.Min,
				covered.Max, f.Inputs[i])
		}
	}
	return nil
}
