package claims

import (
	"context"
	"fmt"

	"github.com/marigram/marigram/experiments/spec/figures"
)

var procedures = map[string]Procedure{}

// Register adds a procedure under the name by which specs of figures ask for it.
// Two of one name panic. Package claims/all registers those of this module.
func Register(name string, p Procedure) {
	if procedures[name] != nil {
		panic(fmt.Sprintf("claims: two procedures %q", name))
	}
	procedures[name] = p
}

// reproduce runs the procedure of a figure and returns it with its numbers by
// claim, none where there is an error.
func reproduce(ctx context.Context, name string) (*Figure, error) {
	none := &Figure{}
	s, err := figures.Open(name)
	if err != nil {
		return none, err
	}
	return reproduceSpec(ctx, s)
}

// reproduceSpec is reproduce of a figure whose spec is at hand.
func reproduceSpec(ctx context.Context, s *figures.Spec) (*Figure, error) {
	none := &Figure{}
	run, ok := procedures[s.Procedure]
	if !ok {
		return none, fmt.Errorf("spec %s names the procedure %q, which is not registered (package claims/all registers all)",
			s.Name, s.Procedure)
	}
	f := &Figure{Spec: *s, ctx: ctx, values: map[string]float64{}, notes: map[string]string{}}
	if err := run(f); err != nil {
		return none, fmt.Errorf("%s: %w", s.Name, err)
	}
	return f, nil
}
