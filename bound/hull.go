package bound

import (
	"math"
)

// safety makes up for rounding in the model (a weighted batch of 0.1 samples).
const safety = 2e-5

// corner is a cluster, by what it does and costs each second.
type corner struct {
	rate float64 // progress
	cost float64 // USD
}

// tolerance is how much better than a solver's cluster, and than a hull, a cluster may be:
// a share of cost - lambda rate.
const tolerance = 1e-4

// solver finds clusters of one model.
type solver interface {
	// begin returns the progress at which training can begin at most.
	begin() float64
	// solve returns the cluster of least cost - lambda rate within a segment; nothing is one.
	solve(s *segment, lambda float64) corner
}

// hullOf returns the lower convex hull of (rate, cost) of all clusters of a segment, from
// nothing to the fastest.
func hullOf(s solver, x *segment) []corner {
	nothing := corner{}
	some := s.solve(x, math.MaxFloat32)
	if some.rate <= 0 {
		return []corner{nothing}
	}
	hull := []corner{nothing}
	refine(s, x, nothing, some, &hull)
	return append(hull, some)
}

// refine adds the corners between two, if there are any.
func refine(s solver, x *segment, a, b corner, hull *[]corner) {
	lambda := (b.cost - a.cost) / (b.rate - a.rate)
	c := s.solve(x, lambda)
	gain := a.cost - lambda*a.rate - (c.cost - lambda*c.rate)
	if !(gain > tolerance*math.Abs(a.cost-lambda*a.rate)) || c.rate <= a.rate || c.rate >= b.rate {
		return
	}
	refine(s, x, a, c, hull)
	*hull = append(*hull, c)
	refine(s, x, c, b, hull)
}
