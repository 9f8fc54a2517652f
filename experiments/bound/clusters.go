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
	b = p.bound()
	if !b.Possible() {
		return b, nil, nil, nil
	}
	for i := range p.segments {
		cuts = append(cuts, p.segments[i].from)
	}
	for _, s := range newSchedule(p, newBoots(p.c), 0, nil).states {
		for _, factor := range factors {
			best, _ := p.solver.cheapest(s, factor*b.Lambda*c.Pace()/(1+c.Billing.Tax), corner{})
			listed := func(cluster Cluster) bool { return slices.Equal(cluster.Workers, best.workers) }
			if best.rate > 0 && !slices.ContainsFunc(clusters, listed) {
				clusters = append(clusters, Cluster{best.workers, best.servers})
			}
		}
	}
	return b, clusters, append(cuts, p.last), nil
}
