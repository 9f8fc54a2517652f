package claims

import (
	"context"
	"fmt"

	"github.com/marigram/marigram/experiments/spec/figures"
)

// Figure is one figure or table while it is reproduced.
type Figure struct {
	figures.Spec
	ctx    context.Context
	values map[string]float64
	notes  map[string]string
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

// Note says in words what the number of a claim is of; it is passed over where the
// figure has no such claim.
func (f *Figure) Note(item, text string) { f.notes[item] = text }
