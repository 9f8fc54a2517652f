package papers

import (
	"fmt"
	"math"
	"path"

	"github.com/marigram/marigram/internal/near"
)

// Claim is one published number that marigram is compared with.
type Claim struct {
	Name   string // system/figure/item; the part before the last slash is the figure
	Series string // what it is a point of in the figure; may be empty
	X      string // where it lies on the figure's x axis: a number or a label; may be empty

	Published float64
	Unit      string
	Kind      Kind
	Tolerance float64 // most that the error may be; see Kind
	Source    string  // paper and place
	Origin    Origin  // kind of source
	Fitted    bool    // the number, or the measurements that it is of, are an input or what a law is fitted to: no prediction
	Open      string  // why it is not claimed (yet); empty: it is claimed
}

// Kind says what the error of a claim is and thus what its tolerance means.
type Kind string

// The kinds.
const (
	Relative Kind = "relative" // |simulated - published| as a share of the published
	Absolute Kind = "absolute" // |simulated - published| in the claim's unit
	Exact    Kind = "exact"    // Absolute with a tolerance of 0
	Max      Kind = "most"     // how far the simulated is above the published bound
	Min      Kind = "least"    // how far it is below
)

// Figure returns the figure or table that the claim is a number of.
func (c *Claim) Figure() string { return path.Dir(c.Name) }

// Timed reports whether the number depends on the clock of the machine, and on what else it does.
func (c *Claim) Timed() bool {
	return c.Unit == "s of planning" || c.Unit == "times as fast" || c.Unit == "ticks/CPU-s"
}

// Error returns the error of a simulated number; NaN if that is NaN or infinite, so that no bound holds by it.
func (c *Claim) Error(simulated float64) float64 {
	if math.IsInf(simulated, 0) {
		return math.NaN()
	}
	d := simulated - c.Published
	switch c.Kind {
	case Relative:
		return math.Abs(d / c.Published)
	case Max:
		return max(d, 0)
	case Min:
		return max(-d, 0)
	}
	return math.Abs(d)
}

func (c *Claim) check() error {
	switch c.Kind {
	case Relative:
		if c.Published == 0 {
			return fmt.Errorf("relative to 0")
		}
	case Absolute:
	case Exact, Max, Min:
		if c.Tolerance != 0 {
			return fmt.Errorf("kind %s with tolerance %v, expected 0", c.Kind, c.Tolerance)
		}
	default:
		return fmt.Errorf("kind %q", c.Kind)
	}
	if !near.Between(c.Tolerance, 0, math.Inf(1)) || math.IsInf(c.Published, 0) || math.IsNaN(c.Published) {
		return fmt.Errorf("published %v, tolerance %v", c.Published, c.Tolerance)
	}
	return nil
}

// Counted returns the origin that the claim is counted under: its own, or Zero where the
// number is 0 and says little (no event, no stall). A difference from a published plan or
// curve is not such a number, though it is to be 0.
func (c *Claim) Counted() Origin {
	if c.Published == 0 && c.Unit != "instances off the plan" && c.Unit != "standard errors" {
		return Zero
	}
	return c.Origin
}
