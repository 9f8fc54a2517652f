package pairs

import (
	"github.com/marigram/marigram/policies/schedulers/share"
)

// MaxMin is Rounds under max-min fairness (share.MaxMinPacked), with a choice among its optima.
type MaxMin struct {
	Rounds
	// Optimum is one of the following; empty: LargestSum.
	Optimum Optimum `set:"optimum" names:"largest-sum,ecos" doc:"which of the optima is taken: one with the largest sum of shares of speed, or where ECOS ends, the solver of Gavel's experiments, which spreads shares over many pairs"`
}

// Optimum says which of the optima of a program is taken.
type Optimum string

const (
	// ECOS takes that at which ECOS ends, the solver of Gavel's experiments.
	ECOS Optimum = "ecos"
	// LargestSum takes one with the largest sum of normalised speeds.
	LargestSum Optimum = "largest-sum"
)

// NewMaxMin returns a MaxMin of a name, with the rounds of Gavel.
func NewMaxMin(name string) *MaxMin {
	p := &MaxMin{Rounds: newRounds(name), Optimum: LargestSum}
	p.Rule = func() share.Rule { return &share.MaxMinPacked{ECOS: p.Optimum == ECOS} }
	return p
}

// NewFIFO returns Rounds of a name that serve jobs first come first served, and put those that find no GPUs beside others.
func NewFIFO(name string) *Rounds {
	p := newRounds(name)
	p.Rule, p.OnlyShares = func() share.Rule { return &share.FastestFIFO{Pack: true} }, true
	return &p
}

// NewFinishTime returns Rounds of a name under finish-time fairness.
func NewFinishTime(name string) *Rounds {
	p := newRounds(name)
	p.Rule = func() share.Rule { return &share.FinishTimePacked{} }
	return &p
}

// NewMinDuration returns Rounds of a name that make the time until all jobs are done short.
func NewMinDuration(name string) *Rounds {
	p := newRounds(name)
	p.Rule = func() share.Rule { return &share.MinDurationPacked{} }
	return &p
}

// Gandiva is Rounds of pairs that are drawn (share.Gandiva).
type Gandiva struct {
	Rounds
	// Draws is the seed of the draws.
	Draws int `set:"draws" min:"0" max:"1000000000" doc:"seed of the draws of pairs, the same in all runs"`
}

// NewGandiva returns a Gandiva, with the rounds of Gavel.
func NewGandiva() *Gandiva {
	p := &Gandiva{Rounds: newRounds("gandiva")}
	p.Rule = func() share.Rule { return share.NewGandiva(int64(p.Draws)) }
	return p
}

// newRounds returns Rounds with the times of Gavel.
func newRounds(name string) Rounds { return Rounds{As: name, Round: defaultRound, Every: defaultEvery} }
