package bound

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// tolerance is how much better than a solver's cluster another may be: a share of
// cost - lambda rate; rough is that of the fastest cluster. safety makes up for the rounding
// of sums.
const (
	tolerance = 2e-5
	rough     = 2e-4
	safety    = 1e-10
)

// corner is a cluster, by what it does and costs each second.
type corner struct {
	rate    float64 // progress, or more
	cost    float64 // USD
	workers []int32 // by pool
	servers int32
}

// value is what the cluster costs beyond what its progress is worth.
func (c *corner) value(lambda float64) float64 { return c.cost - lambda*c.rate }

// solver finds clusters of one model.
type solver interface {
	// begins returns the ways in which training can begin.
	begins() []begin
	// least returns a cluster with the least cost - lambda rate in a state, within the
	// tolerance, if it is below that of another; else that one. Nothing is a cluster. The
	// second result is what no cluster is below.
	least(s *state, lambda float64, other corner) (corner, float64)
	// fastest returns a cluster that makes the most progress, or nearly so, and what none
	// makes more than.
	fastest(s *state) (corner, float64)
}

func newSolver(c *sim.Config) (solver, error) {
	job, total := &c.Jobs[0], 0
	for p := range c.Market.Pools() {
		total += c.Market.Pool(p).Quota
	}
	if total > mostWorkers {
		return nil, fmt.Errorf("bound: the quotas allow %d instances, expected at most %d", total, mostWorkers)
	}
	if m, ok := job.Model.(Separable); ok {
		price := job.ParameterServerPrice / 3600
		if c.Billing.SkipParameterServers {
			price = 0
		}
		return newMixture(m, c.Market, total, price)
	}
	m, ok := job.Model.(sim.PipelineModel)
	if !ok {
		return nil, fmt.Errorf("bound: %T is neither Separable nor a sim.PipelineModel: the least cost of its clusters is not known", job.Model)
	}
	for p := range c.Market.Pools() {
		if a, b := c.Market.Pool(0).InstanceType, c.Market.Pool(p).InstanceType; a != b {
			return nil, fmt.Errorf("bound: instances of %s and %s in layouts: the bound is for one type", a, b)
		}
	}
	return newUnits(m, job.ParameterServers, c.Market.Pools(), total), nil
}

// known returns the best of the clusters that are known of a state.
func (s *state) best(lambda float64) corner {
	best := corner{}
	for _, c := range s.known {
		if c.value(lambda) < best.value(lambda) {
			best = c
		}
	}
	return best
}

// add makes a cluster known, and keeps those of the lower convex hull only, by rate.
func (s *state) add(c corner) {
	at := len(s.known)
	for at > 0 && s.known[at-1].rate > c.rate {
		at--
	}
	s.known = append(s.known, corner{})
	copy(s.known[at+1:], s.known[at:])
	s.known[at] = c
	last, hull := corner{}, s.known[:0]
	for _, c := range s.known {
		for len(hull) > 0 {
			before := corner{}
			if len(hull) > 1 {
				before = hull[len(hull)-2]
			}
			last = hull[len(hull)-1]
			if last.rate < c.rate && slope(before, last) < slope(last, c) {
				break
			}
			if last.rate == c.rate && last.cost <= c.cost {
				break
			}
			hull = hull[:len(hull)-1]
		}
		if len(hull) == 0 || hull[len(hull)-1].rate < c.rate {
			hull = append(hull, c)
		}
	}
	s.known = hull
}

// slope returns what more progress costs from one cluster to the next.
func slope(a, b corner) float64 {
	if b.rate <= a.rate {
		return math.Inf(1)
	}
	return (b.cost - a.cost) / (b.rate - a.rate)
}
