package synth

import (
	"cmp"
	"fmt"
	"time"

	"github.com/marigram/marigram/traces/describe"
)

// Model is a way to make traces; the types in this package that implement it
// are its parameters.
type Model interface {
	// check returns what is wrong with the parameters for the pools.
	check(pools []GeneratorPool) error
	// make makes the pools' traces.
	make(m *making)
	// rate bounds the records of a pool per hour, on average.
	rate(pools []GeneratorPool) float64
}

// modelEntry is a model by name.
type modelEntry struct {
	name, what string
	blank      func() Model                                  // to decode parameters into
	fit        func(h *trace, opt FitOptions) (Model, error) // nil: cannot be fitted
	standard   func() (model Model, pools []GeneratorPool)   // without a trace; nil: needs one
}

// FitOptions says how to fit; the zero value is right.
type FitOptions struct {
	// Seeds is how many traces the goodness of fit is measured on; 0: 40.
	Seeds int
	// Block is the length of the blocks of the model block; 0: a day, or a
	// quarter of the shortest pool's record if that is shorter.
	Block time.Duration
	// MaxLifetime ends every lifetime of the models kaplan-meier and bathtub (Google's
	// preemptible VMs: 24 h); 0: no end.
	MaxLifetime time.Duration
}

const defaultSeeds = 40

func (o *FitOptions) seeds() int { return cmp.Or(o.Seeds, defaultSeeds) }

// fitSeeds is how many traces parameters are fitted on, where that takes
// simulation.
func (o *FitOptions) fitSeeds() int { return min(o.seeds(), 12) }

func (o *FitOptions) check() error {
	if o.Seeds < 0 || o.Seeds > 10_000 || o.Block < 0 || o.MaxLifetime < 0 ||
		o.MaxLifetime.Hours() > describe.MaxLifetimeHours {
		return fmt.Errorf("fit: seeds %d, block %v, longest life %v, expected 0 to 10000, and times from 0 to 100 years",
			o.Seeds, o.Block, o.MaxLifetime)
	}
	return nil
}

func within(x, low, high float64) bool { return x >= low && x <= high }

// each returns an error unless there is one of something for each pool.
func each(what string, n int, pools []GeneratorPool) error {
	if n != len(pools) {
		return fmt.Errorf("%s of %d pools, expected %d, one each", what, n, len(pools))
	}
	return nil
}

// minGapHours is the shortest time until the next machine comes: a second,
// the resolution of the coarsest clouds' own records.
const minGapHours = 1. / 3600
