package ondemand

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// maxConsidered is how many clusters of a decision a recorder is told of: of more, the cheapest.
const maxConsidered = 32

// Consider tells a recorder which clusters are weighed up: what each costs until the end, and when that is if boots
// take as long as their bound. Of more than 32 it names the cheapest.
func (p *Planner) Consider(s *Start, plan *sim.Plan) {
	if !plan.Recorded() {
		return
	}
	var all []sim.Candidate
	for _, c := range p.options {
		to := p.wayTo(s, c)
		single, ends := p.planSingle(&to, c)
		if single.First == nil {
			continue
		}
		note := fmt.Sprintf("ends after %.0f s", ends)
		if !p.inTime(s, &to, &single, ends) {
			note += fmt.Sprintf(", %.0f s late", ends-s.Left)
		}
		all = append(all, sim.Candidate{Name: p.nameOf(c), Score: single.USD, Unit: "USD", Note: note})
	}
	if len(all) > maxConsidered {
		slices.SortStableFunc(all, func(a, b sim.Candidate) int { return cmp.Compare(a.Score, b.Score) })
		all = all[:maxConsidered]
	}
	for _, candidate := range all {
		plan.AddCandidate(candidate)
	}
}

// Take tells a recorder which schedule was taken. Its name is what the plan holds now.
func (p *Planner) Take(best *Schedule, plan *sim.Plan) {
	plan.SetReason(policyutil.Reason(best.InTime, "cheapest schedule on demand that meets the deadline"))
	if !plan.Recorded() {
		return
	}
	note := fmt.Sprintf("ends after %.0f s", best.End)
	if best.Then != nil {
		note = fmt.Sprintf("then %s, after %.0f s; %s", p.nameOf(best.Then), best.Until, note)
	}
	if !best.InTime {
		note += ", which may be late"
	}
	plan.AddCandidate(sim.Candidate{
		Name:   policyutil.ClusterName(p.view, plan.Jobs[p.index].Hold),
		Score:  best.USD,
		Unit:   "USD",
		Note:   note,
		Chosen: true,
	})
}

// nameOf returns the name of a cluster and the spot instances that are counted on, for people.
func (p *Planner) nameOf(c *Cluster) string {
	counts := make([]int, len(c.Counts))
	for k, n := range c.Counts {
		counts[k] = int(n)
		if p.keep != nil {
			counts[k] += int(p.keep[k])
		}
	}
	return policyutil.ClusterName(p.view, counts)
}
