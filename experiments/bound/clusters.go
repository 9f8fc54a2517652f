package bound

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// Cluster is what can be held.
type Cluster struct {
	Workers []int32 // by pool
	Servers int32
}

// Clusters returns the bound of one job on one market, the clusters that are best
// somewhere in its time where a unit of progress is worth the bound's Lambda times one of
// some factors, each once, and the instants at which prices or capacity change, from the
// submission to the deadline. There are none where no policy can meet the objective.
func Clusters(c sim.Config, factors ...float64) (b Bound, clusters []Cluster, cuts []sim.Time, err error) {
	p, err := newProblem(&c, false)
	if err != nil {
		return b, nil, nil, err
	}
	if b = p.bound(); !b.Possible() {
		return b, nil, nil, nil
	}
	for i := range p.segments {
		cuts = append(cuts, p.segments[i].from)
	}
	x := newSchedule(p, newBoots(p.c), 0, nil)
	for _, s := range x.states {
		for _, f := range factors {
			best, _ := x.solver.min(s, f*b.Lambda*c.Pace()/(1+c.Billing.Tax), corner{})
			if best.rate > 0 && !slices.ContainsFunc(clusters, func(c Cluster) bool { return slices.Equal(c.Workers, best.workers) }) {
				clusters = append(clusters, Cluster{best.workers, best.servers})
			}
		}
	}
	return b, clusters, append(cuts, p.last), nil
}
