package bound

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// Bound is what no policy can beat.
type Bound struct {
	USD      float64 // no run that meets the objective costs less; +Inf if none can
	Seconds  float64 // no run meets it sooner; +Inf if none can within its time
	Lambda   float64 // USD that one more unit of progress costs at the optimum
	Segments int     // stretches of constant prices and capacity
}

// Possible reports whether the bound does not rule out that a policy meets the objective.
func (b *Bound) Possible() bool { return !math.IsInf(b.USD, 1) }

// Hindsight returns the bound of one job on one market; Config.Policy is not asked. It
// is an error where the bound would not hold, or is not known: free first hours, several
// jobs, and models that are neither of alike instances nor Separable.
func Hindsight(c sim.Config) (Bound, error) { return hindsight(&c, false) }

// OnSpot is Hindsight for policies that hold nothing on demand.
func OnSpot(c sim.Config) (Bound, error) { return hindsight(&c, true) }

func hindsight(c *sim.Config, onSpot bool) (Bound, error) {
	switch {
	case len(c.Jobs) != 1:
		return Bound{}, fmt.Errorf("bound: %d jobs, expected 1", len(c.Jobs))
	case c.Billing.FreeFirstHour:
		return Bound{}, fmt.Errorf("bound: first hours of revoked instances are free: what is held has no least cost")
	}
	for p := range c.Market.Pools() {
		if len(c.Market.Commitments(p)) > 0 {
			return Bound{}, fmt.Errorf("bound: pool %s has commitments, which are paid whether used or not: what is held has no least cost", c.Market.Pool(p).Name)
		}
	}
	job := &c.Jobs[0]
	s, err := newSolver(c)
	if err != nil {
		return Bound{}, err
	}
	need := (job.Model.Goal(job.Objective.Loss) - s.begin()) * (1 - safety - tolerance)
	if need <= 0 {
		return Bound{}, nil
	}
	first := c.Start.Add(job.Submit)
	last := min(first.Add(job.Objective.Within), c.Market.End())
	if c.Horizon > 0 {
		last = min(last, c.Start.Add(c.Horizon))
	}
	segments := cut(c.Market, first, last, onSpot)
	plain := fill(segments, s, need, nil)
	if !plain.Possible() {
		return plain, nil
	}
	return fill(segments, s, need, newBoots(c, first, last, segments, plain.USD)), nil
}

// edge is a way to make more progress in one segment: from one cluster of a hull to the
// next.
type edge struct {
	slope float64 // USD per unit of progress
	most  float64 // progress
}

// fill makes the progress that is needed at the least cost, of all segments.
func fill(segments []segment, s solver, need float64, b *boots) Bound {
	var edges []edge
	hulls := map[string][]corner{}
	done, out := 0.0, Bound{USD: math.Inf(1), Seconds: math.Inf(1), Segments: len(segments)}
	var begin sim.Time
	if len(segments) > 0 {
		begin = segments[0].from
	}
	for i := range segments {
		x := segments[i]
		if b != nil {
			x = b.raise(x)
		}
		hull, known := hulls[x.key()]
		if !known {
			hull = hullOf(s, &x)
			hulls[x.key()] = hull
		}
		seconds := x.to.Sub(x.from).Seconds()
		for k := 1; k < len(hull); k++ {
			rate := hull[k].rate - hull[k-1].rate
			edges = append(edges, edge{(hull[k].cost - hull[k-1].cost) / rate, rate * seconds})
		}
		if top := hull[len(hull)-1].rate; done < need && done+top*seconds >= need {
			out.Seconds = x.from.Sub(begin).Seconds() + (need-done)/top
		}
		done += hull[len(hull)-1].rate * seconds
	}
	if done < need {
		return out
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.slope, b.slope) })
	out.USD = 0
	for _, e := range edges {
		part := min(e.most, need)
		out.USD += part * e.slope
		out.Lambda = e.slope
		if need -= part; need <= 0 {
			break
		}
	}
	out.USD -= slack(segments, hulls, out.Lambda, b)
	if b != nil {
		out.USD = min(out.USD, b.most)
	}
	return out
}

// slack is what the hulls may miss: twice the tolerance of what they gain at a lambda.
func slack(segments []segment, hulls map[string][]corner, lambda float64, b *boots) float64 {
	sum := 0.0
	for i := range segments {
		x := segments[i]
		if b != nil {
			x = b.raise(x)
		}
		gain := 0.0
		for _, c := range hulls[x.key()] {
			gain = max(gain, lambda*c.rate-c.cost)
		}
		sum += gain * x.to.Sub(x.from).Seconds()
	}
	return 2 * tolerance * sum
}
