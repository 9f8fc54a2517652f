package clairvoyant

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/sim"
)

// Policy follows the cheapest schedule that it finds. SetRun has to be called before each run.
type Policy struct {
	player

	// Bases are ordinary policies, neither Stateful nor asked at price changes, whose runs are schedules as well. If
	// one of them costs less than all schedules, as it may where the schedule of its run is another run, it is asked
	// itself.
	Bases []sim.Policy

	search search
	base   sim.Policy // is asked; nil: the schedule is followed
}

// SetRun looks for the schedule of a run; the run's own policy is not asked. Where no
// policy can meet the objective it holds nothing. It is an error where package
// bound has no bound.
func (p *Policy) SetRun(c sim.Config) error {
	_, separable := c.Jobs[0].Model.(bound.Separable)
	if !separable || len(c.Jobs) != 1 {
		return fmt.Errorf("clairvoyant: expected one job of workers on parameter servers")
	}
	b, clusters, cuts, err := bound.Clusters(c, factors...)
	if err != nil {
		return err
	}
	p.schedule = schedule{}
	p.base = nil
	if b.Possible() {
		p.schedule, err = p.search.find(c, &b, newGrid(&c, clusters, cuts), p.Bases)
		p.base = p.search.base
	}
	return err
}

// Decide implements sim.Policy. It panics if SetRun was not called.
func (p *Policy) Decide(v sim.View, plan *sim.Plan) {
	if p.schedule == nil {
		panic("clairvoyant: the policy was not told the run (SetRun)")
	}
	if p.base != nil {
		p.base.Decide(v, plan)
		return
	}
	p.player.Decide(v, plan)
}

// find returns the cheapest schedule that it finds, that of the largest price of
// progress if none meets the objective.
func (s *search) find(c sim.Config, b *bound.Bound, g *grid, bases []sim.Policy) (schedule, error) {
	c.Recorder = nil
	s.config = c
	s.best = nil
	s.base = nil
	s.usd = math.Inf(1)
	var tried []attempt
	for factor := smallest; factor < largest; factor *= ratio {
		plan := g.best(factor * b.Lambda)
		met, err := s.judge(plan)
		if err != nil {
			return nil, err
		}
		tried = append(tried, attempt{plan, met})
	}
	if err := s.judgeShared(tried); err != nil {
		return nil, err
	}
	for _, base := range bases {
		held, usd, err := s.record(base)
		if err != nil {
			return nil, err
		}
		if _, err := s.judge(held); err != nil {
			return nil, err
		}
		if usd < s.usd {
			s.usd = usd
			s.best = held
			s.base = base
		}
	}
	if s.best == nil {
		return tried[len(tried)-1].schedule, nil
	}
	return s.best, nil
}

// Prices of progress go from n times Lambda to m, by this ratio.
const (
	smallest = 0.6
	largest  = 6
	ratio    = 1.05
)
