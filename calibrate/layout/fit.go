package layout

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// Fit fits parameters of a runtime, named as in the table, to measured layouts: the least mean of |computed/measured
// - 1| of the time of a step, or with memory of the largest memory of a GPU. Compute and sync are at least 1: layers
// and links are no faster in training than when they were measured alone; all others are at least 0. What is not
// named stays as in start. of returns the model of a row's network.
func Fit(start Runtime, names []string, memory bool, rows []Measured, of func(row int) *Model) (Runtime, error) {
	out := start
	var values []*float64
	var least []float64
	for _, name := range names {
		value, bound, err := out.parameter(name)
		if err != nil {
			return start, err
		}
		values = append(values, value)
		least = append(least, bound)
	}
	var failed error
	loss := func(x []float64) float64 {
		sum := 0.0
		outside := 0.0
		for k := range x {
			*values[k] = max(x[k], least[k])
			outside += *values[k] - x[k]
		}
		for i := range rows {
			off, err := out.relative(&rows[i], memory, of(i))
			if err != nil {
				failed = err
			}
			sum += math.Abs(off)
		}
		return sum/float64(len(rows)) + 10*outside
	}
	x := make([]float64, len(values))
	for k := range x {
		x[k] = *values[k]
	}
	// A simplex can collapse before it is at the least: the search starts again where it ended.
	for range 3 {
		loss(x)
		if failed != nil {
			return start, failed
		}
		settings := &optimize.Settings{
			FuncEvaluations: 1500,
			Converger:       &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 200},
		}
		found, err := optimize.Minimize(optimize.Problem{Func: loss}, x, settings, &optimize.NelderMead{})
		if err != nil && found == nil {
			return start, err
		}
		x = found.X
	}
	loss(x)
	return out, failed
}

// relative returns computed/measured - 1 of a layout.
func (r *Runtime) relative(row *Measured, memory bool, m *Model) (float64, error) {
	cost, err := (&Model{m.Profile, m.Links, *r}).Cost(&row.Layout)
	if memory {
		return cost.Memory/row.Memory - 1, err
	}
	return cost.Step/row.Step - 1, err
}

// parameter returns where a parameter is kept, and its least value.
func (r *Runtime) parameter(name string) (value *float64, least float64, err error) {
	switch name {
	case "compute":
		return &r.Compute, 1, nil
	case "sync":
		return &r.Sync, 1, nil
	case "exposed":
		return &r.Exposed, 0, nil
	case "base_gb":
		return &r.BaseGB, 0, nil
	case "tp_gb":
		return &r.TPGB, 0, nil
	case "state":
		return &r.State, 0, nil
	case "kept":
		return &r.Kept, 0, nil
	}
	return nil, 0, fmt.Errorf("no parameter %q of a runtime, "+
		"expected compute, exposed, sync, base_gb, tp_gb, state or kept", name)
}
