package bound

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// problem is one job on one trace.
type problem struct {
	c           *sim.Config
	solver      solver
	first, last sim.Time // the job's submission, and the last instant of use to it
	segments    []segment
	goal        float64
}

// Known returns why the least cost of a job on a market is not known, before anything is worked out; nil where
// Hindsight has it.
func Known(c sim.Config) error {
	if len(c.Jobs) != 1 {
		return fmt.Errorf("bound: %d jobs, expected 1", len(c.Jobs))
	}
	if c.Billing.FreeFirstHour {
		return fmt.Errorf("bound: first hours of revoked instances are free: what is held has no least cost")
	}
	for p := range c.Market.Pools() {
		if len(c.Market.Commitments(p)) > 0 {
			return fmt.Errorf("bound: pool %s has commitments, which are paid whether used or not: "+
				"what is held has no least cost", c.Market.Pool(p).Name)
		}
	}
	if total := totalQuota(c.Market); total > maxWorkers {
		return fmt.Errorf("bound: the quotas allow %d instances, expected at most %d", total, maxWorkers)
	}
	switch m := c.Jobs[0].Model.(type) {
	case Separable:
		return nil
	case sim.MixedModel:
		return countSets(m, c.Market)
	case sim.PipelineModel:
		for p := range c.Market.Pools() {
			first := c.Market.Pool(0).InstanceType
			other := c.Market.Pool(p).InstanceType
			if first != other {
				return fmt.Errorf("bound: instances of %s and %s in layouts: the bound is for one type", first, other)
			}
		}
		return nil
	}
	return fmt.Errorf("bound: %T is neither Separable nor a sim.MixedModel or a sim.PipelineModel: "+
		"the least cost of its clusters is not known", c.Jobs[0].Model)
}

func totalQuota(market *sim.Market) int {
	total := 0
	for p := range market.Pools() {
		total += market.Pool(p).Quota
	}
	return total
}

func newProblem(c *sim.Config, onSpot bool) (*problem, error) {
	if err := Known(*c); err != nil {
		return nil, err
	}
	job := &c.Jobs[0]
	solver, err := newSolver(c)
	if err != nil {
		return nil, err
	}
	first := c.Start.Add(job.Submit)
	last := min(first.Add(job.Objective.Within), c.Market.End())
	if c.Horizon > 0 {
		last = min(last, c.Start.Add(c.Horizon))
	}
	return &problem{
		c:        c,
		solver:   solver,
		first:    first,
		last:     last,
		segments: cut(c, first, last, onSpot),
		goal:     job.Model.Goal(job.Objective.Loss),
	}, nil
}

// newSolver returns the solver of a job whose bound is Known.
func newSolver(c *sim.Config) (solver, error) {
	job := &c.Jobs[0]
	total := totalQuota(c.Market)
	switch m := job.Model.(type) {
	case Separable:
		price := job.ParameterServerPrice / 3600
		if c.Billing.SkipParameterServers {
			price = 0
		}
		return newMixture(m, c.Market, total, price)
	case sim.MixedModel:
		return newSets(m, c.Market, c.Pace()), nil
	}
	return newUnits(job.Model.(sim.PipelineModel), job.ParameterServers, c.Market.Pools(), total), nil
}

// charged adds to what instances and servers cost what is charged besides.
func (p *problem) charged(usd, seconds float64) float64 {
	job := &p.c.Jobs[0]
	if !math.IsInf(seconds, 1) {
		usd += job.StorageGB * job.StoragePrice * seconds / secondsPerMonth
	}
	return usd * (1 + p.c.Billing.Tax)
}

// unforeseen reports whether an instance may be under notice before an instant, or come under
// it then: such ones train until they go, but training is not set up for them.
func (p *problem) unforeseen(until sim.Time) bool {
	market := p.c.Market
	for i := range market.Pools() {
		pool := market.Pool(i)
		if pool.Notice == 0 {
			continue
		}
		last := until.Add(pool.Notice)
		if pool.Length > 0 && p.first.Add(pool.Length) <= last || pool.Until > 0 && pool.Until <= last {
			return true
		}
		for _, t := range market.Changes(i) {
			if t <= p.first || t > last {
				continue
			}
			capacity, limited := market.Capacity(i, t-1)
			if limited && capacity > 0 { // where it rises machines may take turns as well
				return true
			}
		}
	}
	return false
}

const secondsPerMonth = 730 * 3600
