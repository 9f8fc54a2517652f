package claims

import (
	"context"
	"fmt"

	"github.com/marigram/marigram/experiments"
)

// Figure is one figure or table while it is reproduced.
type Figure struct {
	experiments.FigureSpec
	ctx    context.Context
	values map[string]float64
}

// Procedure computes the numbers of a figure from the inputs of its spec and
// reports one for each claim. An error means that none can be had.
type Procedure func(f *Figure) error

// Context is done when the user interrupts.
func (f *Figure) Context() context.Context { return f.ctx }

// Report gives the number of a claim, named without the figure. To report one
// twice panics.
func (f *Figure) Report(item string, value float64) {
	if _, twice := f.values[item]; twice {
		panic(fmt.Sprintf("claims: %s/%s is reported twice", f.Name, item))
	}
	f.values[item] = value
}

// reproduce runs the procedure of a figure and returns its numbers by claim.
func reproduce(ctx context.Context, name string) (map[string]float64, error) {
	spec, err := experiments.OpenFigure(name)
	if err != nil {
		return nil, err
	}
	run, ok := procedures[spec.Procedure]
	if !ok {
		return nil, fmt.Errorf("spec %s names the procedure %q, which is not there", name, spec.Procedure)
	}
	f := &Figure{FigureSpec: *spec, ctx: ctx, values: map[string]float64{}}
	if err := run(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f.values, nil
}
