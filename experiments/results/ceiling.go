package results

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/internal/units"
)

// Ceiling is what no policy can beat, over the runs of one policy for one objective whose
// bounds were asked for.
type Ceiling struct {
	Runs          int      `json:"runs"`
	CanMeet       int      `json:"can_meet"`         // runs in which some policy may meet the objective
	CanMeetOnSpot int      `json:"can_meet_on_spot"` // the same without instances on demand
	USD           *float64 `json:"usd"`              // mean of the bounds of CanMeet; null for none
	// Above is what the runs that met the objective cost above their bounds, all together, as
	// a share of these; null for none.
	Above *float64 `json:"above"`
	// WithoutForesight is a lower bound of the expected cost of policies that do not know the future and always meet
	// the objective, with its standard error, over the runs (Foresight). They are null where the law of the market is
	// not known, and if the objective cannot be met in all.
	WithoutForesight       *float64 `json:"without_foresight,omitempty"`
	WithoutForesightStdErr *float64 `json:"without_foresight_std_err,omitempty"`

	bounds, cost, under float64
	unknowing           Foresight
}

// Add adds a run, if its bound was asked for.
func (c *Ceiling) Add(r *Summary) {
	if r.BoundUSD == nil {
		return
	}
	c.Runs++
	if !math.IsInf(*r.BoundUSD, 1) {
		c.CanMeet++
		c.bounds += *r.BoundUSD
		c.USD = new(c.bounds / float64(c.CanMeet))
	}
	if r.BoundSpotUSD != nil && !math.IsInf(*r.BoundSpotUSD, 1) {
		c.CanMeetOnSpot++
	}
	if r.WithoutForesightUSD != nil {
		c.unknowing.Add(*r.WithoutForesightUSD, *r.BoundUSD)
	}
	c.WithoutForesight = nil
	c.WithoutForesightStdErr = nil
	if futures := c.unknowing.N(); futures == c.Runs && futures > 1 {
		usd, stdErr := c.unknowing.Mean()
		c.WithoutForesight = &usd
		c.WithoutForesightStdErr = &stdErr
	}
	if r.Met && *r.BoundUSD > 0 {
		c.cost += r.CostUSD
		c.under += *r.BoundUSD
		c.Above = new(c.cost/c.under - 1)
	}
}

// Known reports whether any bound was asked for.
func (c *Ceiling) Known() bool { return c.Runs > 0 }

// Better reports whether it rules out less than another of the same runs: policies of which
// each has speeds of its own have ceilings of their own.
func (c *Ceiling) Better(o *Ceiling) bool {
	return c.CanMeet > o.CanMeet || c.CanMeet == o.CanMeet && c.USD != nil && *c.USD < *o.USD
}

// String says what no policy can beat.
func (c *Ceiling) String() string {
	if c.CanMeet == 0 {
		return "no policy can meet the objective in any run, even one that knows the future"
	}
	text := fmt.Sprintf("a policy that knows the future can meet the objective in at most %d of %d runs, "+
		"on spot alone in at most %d, and pays at least %s USD (mean)",
		c.CanMeet, c.Runs, c.CanMeetOnSpot, units.USD(*c.USD))
	if c.WithoutForesight != nil {
		text += fmt.Sprintf("; one that does not know it, and always meets the objective, at least %s USD +- %s "+
			"in expectation (standard error of %d futures)",
			units.USD(*c.WithoutForesight), units.USD(*c.WithoutForesightStdErr), c.Runs)
	}
	return text
}

// AboveText is Above as text, empty if there is none.
func (c *Ceiling) AboveText() string {
	if c.Above == nil {
		return ""
	}
	return units.Percent(*c.Above)
}
