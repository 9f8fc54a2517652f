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
	for _, residual := range errors {
		worst = max(worst, math.Abs(residual))
	}
	return worst
}

// Fit returns the laws of the types, in the order in which the types first occur.
// batch is the samples of a step in strong scaling, of a worker in weak scaling.
// The parameters are those of at least 0 with the least sum of squares of relative
// residuals. An error names the type, the size and what was expected.
func Fit(scaling Scaling, batch float64, rows []Measured) ([]Fitted, error) {
	var laws []Fitted
	seconds := map[string]map[int]float64{} // of a step, by type and number of workers
	for _, row := range rows {
		steps, err := row.stepsPerS(scaling, batch)
		if err != nil {
			return nil, err
		}
		if seconds[row.Type] == nil {
			seconds[row.Type] = map[int]float64{}
			laws = append(laws, Fitted{Law: Law{Scaling: scaling}, Type: row.Type})
		}
		if seconds[row.Type][row.Workers] != 0 {
			return nil, fmt.Errorf("type %s, %d workers: given twice", row.Type, row.Workers)
		}
		seconds[row.Type][row.Workers] = 1 / steps
	}
	for i := range laws {
		laws[i].fit(seconds[laws[i].Type])
	}
	return laws, nil
}

func (f *Fitted) fit(measured map[int]float64) {
	f.Sizes = slices.Sorted(maps.Keys(measured))
	seconds := make([]float64, len(f.Sizes))
	for i, workers := range f.Sizes {
		seconds[i] = measured[workers]
	}
	f.Law = solve(f.Scaling, f.Sizes, seconds)
	for i, workers := range f.Sizes {
		f.Residuals = append(f.Residuals, f.Step(workers)/seconds[i]-1)
		if len(f.Sizes) > 2 {
			otherSizes := slices.Delete(slices.Clone(f.Sizes), i, i+1)
			otherSeconds := slices.Delete(slices.Clone(seconds), i, i+1)
			law := solve(f.Scaling, otherSizes, otherSeconds)
			f.LeftOut = append(f.LeftOut, law.Step(workers)/seconds[i]-1)
		}
	}
}
