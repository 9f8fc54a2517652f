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
	// WithoutForesight is a lower bound of the expected cost of policies that do not know the future and always meet the objective, with its standard
	// error, over the runs (Foresight). They are null where the law of the market is not known, and if the objective cannot be met in all.
	WithoutForesight       *float64 `json:"without_foresight,omitempty"`
	WithoutForesightStdErr *float64 `json:"without_foresight_std_err,omitempty"`

	bounds, cost, under float64
	unknowing           Foresight
	manyJobs            bool
}

// Add adds a run, if its bound was asked for.
func (c *Ceiling) Add(r *Summary) {
	if r.BoundUSD == nil {
		return
	}
	c.Runs++
	c.manyJobs = c.manyJobs || r.ManyJobs()
	if !math.IsInf(*r.BoundUSD, 1) {
		c.CanMeet++
		c.bounds += *r.BoundUSD
		mean := c.bounds / float64(c.CanMeet)
		c.USD = &mean
	}
	if r.BoundSpotUSD != nil && !math.IsInf(*r.BoundSpotUSD, 1) {
		c.CanMeetOnSpot++
	}
	if r.WithoutForesightUSD != nil {
		c.unknowing.Add(*r.WithoutForesightUSD, *r.BoundUSD)
	}
	c.WithoutForesight, c.WithoutForesightStdErr = nil, nil
	if n := c.unknowing.N(); n == c.Runs && n > 1 {
		usd, stdErr := c.unknowing.Mean()
		c.WithoutForesight, c.WithoutForesightStdErr = &usd, &stdErr
	}
	if r.OnTime() && *r.BoundUSD > 0 {
		c.cost += r.CostUSD
		c.under += *r.BoundUSD
		above := c.cost/c.under - 1
		c.Above = &above
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
	if c.manyJobs {
		if c.CanMeet == 0 {
			return "no schedule meets all deadlines in any run, even one that knows the future"
		}
		return fmt.Sprintf("a schedule that knows the future can meet all deadlines in at most %d of %d runs, and pays at least %s USD (mean)",
			c.CanMeet, c.Runs, units.USD(*c.USD))
	}
	if c.CanMeet == 0 {
		return "no policy can meet the objective in any run, even one that knows the future"
	}
	text := fmt.Sprintf("a policy that knows the future can meet the objective in at most %d of %d runs, on spot alone in at most %d, and pays "+
		"at least %s USD (mean)",
		c.CanMeet, c.Runs, c.CanMeetOnSpot, units.USD(*c.USD))
	if c.WithoutForesight != nil {
		text += fmt.Sprintf("; one that does not know it, and always meets the objective, at least %s USD +- %s in expectation (standard error of %d futures)",
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

// Foresight brings together, over futures, the two lower bounds of what a policy pays that does not know the future: that of
// bound.WithoutForesight and that of who does know it. Neither is the tighter one everywhere. Of the
// even futures the one is taken whose mean over the odd ones is higher, and the other way round: no future chooses for itself, so the expectation
// of Mean is below the expected cost whichever is taken. The zero value is empty.
type Foresight struct{ halves [2]half }

// half is sums over every second future.
type half struct {
	n                float64
	without, bound   float64
	without2, bound2 float64 // of squares
}

// Add adds a future: what bound.WithoutForesight and bound.Hindsight say of it, USD.
func (f *Foresight) Add(without, bound float64) {
	h := &f.halves[f.N()%2]
	h.n++
	h.without, h.bound = h.without+without, h.bound+bound
	h.without2, h.bound2 = h.without2+without*without, h.bound2+bound*bound
}

// N returns the number of futures.
func (f *Foresight) N() int { return int(f.halves[0].n + f.halves[1].n) }

// Mean returns a lower bound of the expected cost of every policy that does not know the future and always meets the objective, USD, and its
// standard error. It panics for less than two futures.
func (f *Foresight) Mean() (usd, stdErr float64) {
	if f.N() < 2 {
		panic("results: Foresight of less than two futures")
	}
	sum, squares := 0.0, 0.0
	for i := range f.halves {
		if h := &f.halves[i]; f.halves[1-i].higher() {
			sum, squares = sum+h.without, squares+h.without2
		} else {
			sum, squares = sum+h.bound, squares+h.bound2
		}
	}
	n := float64(f.N())
	usd = sum / n
	return usd, math.Sqrt(max(squares-n*usd*usd, 0) / (n - 1) / n)
}

// higher reports whether the bound without foresight is above the other in the mean.
func (h *half) higher() bool { return h.without > h.bound }
