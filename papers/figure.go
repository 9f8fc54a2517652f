package papers

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Figure is one figure or table while it is reproduced.
type Figure struct {
	Spec
	ctx    context.Context
	values map[string]float64
	notes  map[string]string
}

// Context is done when the user interrupts.
func (f *Figure) Context() context.Context { return f.ctx }

// Report gives the number of a claim, named without the figure. To report one
// twice panics.
func (f *Figure) Report(item string, value float64) {
	if _, twice := f.values[item]; twice {
		panic(fmt.Sprintf("papers: %s/%s is reported twice", f.Name, item))
	}
	f.values[item] = value
}

// Note says in words what the number of a claim is of; it is passed over where the
// figure has no such claim.
func (f *Figure) Note(item, text string) { f.notes[item] = text }

// ReportErrors reports the mean and the largest of errors.
func (f *Figure) ReportErrors(item string, errs []float64) {
	f.Report(item+"-mean-error", stat.Mean(errs, nil))
	f.Report(item+"-largest-error", slices.Max(errs))
}

// Median returns the median of numbers, in any order.
func Median(x []float64) float64 {
	return stat.Quantile(0.5, stat.LinInterp, slices.Sorted(slices.Values(x)), nil)
}

// reproduce runs the procedure of a figure and returns it with its numbers by
// claim, none where there is an error.
func reproduce(ctx context.Context, name string) (*Figure, error) {
	s, err := OpenSpec(name)
	if err != nil {
		return &Figure{}, err
	}
	return reproduceSpec(ctx, s)
}

// reproduceSpec is reproduce of a figure whose spec is at hand.
func reproduceSpec(ctx context.Context, s *Spec) (*Figure, error) {
	var run Procedure
	if p, ok := paperOf(s.Name); ok {
		run = p.Procedures[s.Procedure]
	}
	if run == nil {
		return &Figure{}, fmt.Errorf("spec %s names the procedure %q, which its paper does not have (package papers/all registers all)",
			s.Name, s.Procedure)
	}
	f := &Figure{Spec: *s, ctx: ctx, values: map[string]float64{}, notes: map[string]string{}}
	if err := run(f); err != nil {
		return &Figure{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	return f, nil
}
