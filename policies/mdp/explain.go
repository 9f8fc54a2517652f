package mdp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// shown is how many options a recorder is told of.
const shown = 12

// explain tells a recorder what is believed, of many pools of those of which something was seen, and what was weighed up: the options that are
// expected to cost least.
func (p *planner) explain(plan *sim.Plan) {
	if !plan.Recorded() {
		return
	}
	for k := range p.pools {
		if x := &p.pools[k]; x.spot && p.full[k] > 0 && (len(p.regimes.spot) <= listed || x.hours != [2]float64{}) {
			name := p.v.Pool(k).Name
			plan.AddInput("believed: mean time with capacity in "+name, 3600/x.goes, "s")
			plan.AddInput("believed: mean time without capacity in "+name, 3600/x.comes, "s")
			plan.AddInput("capacity in "+name, float64(p.free[k]), "")
		}
	}
	if x := &p.now; p.job.Begun() {
		p.moves.carry(p.moves.state, x.have.Counts)
		more := p.ahead(x.work, x.spent, x.have.Rate) - p.ahead(x.work*0.99, x.spent, x.have.Rate)
		plan.AddInput("the next 1 % of the work that is left is worth", more, "USD")
	}
	o := &p.options
	slices.SortStableFunc(o.list, func(a, b option) int { return cmp.Compare(a.usd, b.usd) })
	seen := map[string]bool{}
	for i := range o.list {
		x := &o.list[i]
		name := policyutil.ClusterName(p.v, p.ints(x.counts))
		if x.both {
			name += ", and what is held until it is ready"
		}
		if seen[name] || len(seen) == shown {
			continue
		}
		seen[name] = true
		plan.AddCandidate(sim.Candidate{Name: name, Score: x.usd, Unit: "USD", Note: fmt.Sprintf("from now on, in expectation; ready after %.0f s", x.boots),
			Chosen: len(seen) == 1})
	}
}

func (p *planner) ints(counts []int32) []int {
	p.options.names = p.options.names[:0]
	for _, n := range counts {
		p.options.names = append(p.options.names, int(n))
	}
	return p.options.names
}
