package papers

import (
	"fmt"
	"math"
	"path"
	"slices"

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
	Basis     Basis   // where the tolerance, or the bound, comes from; empty where nothing but the number will do
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

// Basis says where the tolerance of a claim comes from, or of a claim of kind Max or Min the bound.
type Basis string

// The bases.
const (
	OwnError Basis = "paper"  // the error, or the bound, that the source states itself
	Digits   Basis = "digits" // rounding: up to a unit of the last digit of the source, or what sums of floating-point numbers differ by
	Noise    Basis = "noise"  // standard errors of what was drawn
	Ours     Basis = "ours"   // chosen by us, and no error comes near it
	After    Basis = "after"  // chosen by us when the error was known, or so near to it that it may have been
)

// bases returns all bases in the order in which they are counted.
func bases() []Basis { return []Basis{OwnError, Digits, Noise, Ours, After} }

// Text says in words where a tolerance of the basis comes from.
func (b Basis) Text() string {
	switch b {
	case OwnError:
		return "the source's own error or bound"
	case Digits:
		return "its digits, or rounding"
	case Noise:
		return "standard errors"
	case Ours:
		return "ours"
	case After:
		return "ours, set when the error was known or next to it"
	}
	return "none: exact"
}

// nextTo is the share of a tolerance of ours above which an error counts as next to it.
const nextTo = 0.9

// NextTo reports whether the error of a simulated number is so near to the tolerance that the tolerance may have been
// set by it: above nine tenths of it. It asks so of tolerances only, not of bounds.
func (c *Claim) NextTo(simulated float64) bool {
	if c.Kind != Relative && c.Kind != Absolute {
		return false
	}
	return c.Error(simulated) > nextTo*c.Tolerance
}

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
	if (c.Kind == Exact) != (c.Basis == "") || c.Basis != "" && !slices.Contains(bases(), c.Basis) {
		return fmt.Errorf("kind %s with tolerance_from %q, expected one of %v, and nothing for %s", c.Kind, c.Basis, bases(), Exact)
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
