package pairs

import (
	"github.com/marigram/marigram/policies/schedulers/share"
)

// NewMaxMin returns Rounds of a name under max-min fairness (share.MaxMinPacked).
func NewMaxMin(name string) *Rounds {
	p := newRounds(name)
	p.Rule = func() share.Rule { return &share.MaxMinPacked{} }
	return &p
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
