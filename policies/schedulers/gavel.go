package schedulers

import "github.com/marigram/marigram/policies/schedulers/share"

// MaxMin is Rounds under max-min fairness (share.MaxMin), with a choice among its optima: the largest least share is
// unique, the shares are not, and mean completion times follow them, by up to 18 % on small clusters.
type MaxMin struct {
	Rounds
	// Agnostic takes all models of GPU for equal.
	Agnostic bool
	// Optimum is one of the following; empty: LargestSum.
	Optimum Optimum `set:"optimum" names:"largest-sum,levels" doc:"which of the optima is taken: with the largest sum of shares of speed, or raised level by level (water filling)"`
}

// Optimum says which of the optima of a program is taken.
type Optimum string

const (
	// LargestSum takes one with the largest sum of normalised speeds.
	LargestSum Optimum = "largest-sum"
	// Levels raises the least speed, then the least of those that can still rise, and so on (water filling): the
	// normalised speeds are unique.
	Levels Optimum = "levels"
)

// NewMaxMin returns a MaxMin of a name, with the rounds of Gavel.
func NewMaxMin(name string, agnostic bool) *MaxMin {
	r := &MaxMin{Agnostic: agnostic, Optimum: LargestSum}
	r.As = name
	r.Round = defaultRound
	r.Every = defaultEvery
	r.Rule = func() share.Rule {
		return &share.MaxMin{Agnostic: r.Agnostic, Levels: r.Optimum == Levels}
	}
	return r
}
