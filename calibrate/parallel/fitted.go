package parallel

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Fitted is the law of one instance type and how well it says what was measured.
type Fitted struct {
	Law
	Type  string
	Sizes []int // measured, ascending
	// Residuals are by size (predicted - measured)/measured step time.
	Residuals []float64
	// LeftOut are the same, each size predicted from the others; nil where fewer
	// than three sizes were measured.
	LeftOut []float64
}

// Worst returns the largest error of the law: of sizes above the least, each
// predicted from the others; the largest residual where fewer than three sizes
// were measured.
func (f *Fitted) Worst() float64 {
	errors := f.Residuals
	if f.LeftOut != nil {
		errors = f.LeftOut[1:]
	}
	worst := 0.0
	for _, e := range errors {
		worst = max(worst, math.Abs(e))
	}
	return worst
}

// Fit returns the laws of the types, in the order in which the types first occur.
// batch is the samples of a step in strong scaling, of a worker in weak scaling.
// The parameters are those of at least 0 with the least sum of squares of relative
// residuals. An error names the type, the size and what was expected.
func Fit(s Scaling, batch float64, rows []Measured) ([]Fitted, error) {
	var out []Fitted
	seconds := map[string]map[int]float64{}
	for _, r := range rows {
		v, err := r.stepsPerS(s, batch)
		if err != nil {
			return nil, err
		}
		if seconds[r.Type] == nil {
			seconds[r.Type] = map[int]float64{}
			out = append(out, Fitted{Law: Law{Scaling: s}, Type: r.Type})
		}
		if seconds[r.Type][r.Workers] != 0 {
			return nil, fmt.Errorf("type %s, %d workers: given twice", r.Type, r.Workers)
		}
		seconds[r.Type][r.Workers] = 1 / v
	}
	for i := range out {
		out[i].fit(seconds[out[i].Type])
	}
	return out, nil
}

func (f *Fitted) fit(measured map[int]float64) {
	f.Sizes = slices.Sorted(maps.Keys(measured))
	seconds := make([]float64, len(f.Sizes))
	for i, n := range f.Sizes {
		seconds[i] = measured[n]
	}
	f.Law = solve(f.Scaling, f.Sizes, seconds)
	for i, n := range f.Sizes {
		f.Residuals = append(f.Residuals, f.Step(n)/seconds[i]-1)
		if len(f.Sizes) > 2 {
			others := slices.Delete(slices.Clone(f.Sizes), i, i+1)
			rest := slices.Delete(slices.Clone(seconds), i, i+1)
			f.LeftOut = append(f.LeftOut, solve(f.Scaling, others, rest).Step(n)/seconds[i]-1)
		}
	}
}
