package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/units"
)

// onDemand is the policy that holds no spot.
const onDemand = "ondemand"

// SpotOrOnDemand says, for each objective of a spec whose speed is an estimate, in a sentence whether spot is cheaper
// than on demand in all of its band, or from which speed on. All are the spec's Assumptions; open is as there. There is
// none where ondemand, or a policy that meets the objective under the middle speed, is not among the policies.
func SpotOrOnDemand(
	ctx context.Context, s *spec.Spec, all []Assumption, open func(*spec.Spec) (*Study, error),
) (texts []string, err error) {
	var speeds []Assumption
	for i := range all {
		if all[i].Speed {
			speeds = append(speeds, all[i])
		}
	}
	if speeds == nil {
		return nil, nil
	}
	for o := range s.Objectives {
		name := s.Objectives[o].Name
		c := spotOrOnDemand{objective: name, spot: cheapestSpot(speeds, name)}
		if c.spot == "" || c.row(speeds[1].Rows, onDemand) == nil {
			continue
		}
		text := c.everywhere(speeds)
		if text == "" {
			if text, err = c.from(ctx, s, o, speeds, open); err != nil {
				return nil, err
			}
		}
		texts = append(texts, fmt.Sprintf("%s: %s (%s)", name, text, c.spot))
	}
	return texts, nil
}

// spotOrOnDemand compares a policy with ondemand for an objective.
type spotOrOnDemand struct{ objective, spot string }

// row returns the row of a policy for the objective; nil if there is none.
func (c *spotOrOnDemand) row(rows []Aggregate, policy string) *Aggregate {
	at := slices.IndexFunc(rows, func(a Aggregate) bool { return a.Objective == c.objective && a.Policy == policy })
	if at < 0 {
		return nil
	}
	return &rows[at]
}

// cheapestSpot returns, of the policies but ondemand that meet an objective at the most speeds, the middle one among
// them, the cheapest at the middle one; empty if there is none.
func cheapestSpot(speeds []Assumption, objective string) (policy string) {
	most := 0
	least := math.Inf(1)
	for i := range speeds[1].Rows {
		row := &speeds[1].Rows[i]
		if row.Objective != objective || row.Policy == onDemand || !row.Judged() || row.Unmet(RequireMet) != "" {
			continue
		}
		c := spotOrOnDemand{objective: objective, spot: row.Policy}
		met := 0
		for k := range speeds {
			if c.row(speeds[k].Rows, row.Policy).Unmet(RequireMet) == "" {
				met++
			}
		}
		if met > most || met == most && row.CostUSD.Mean < least {
			policy = row.Policy
			most = met
			least = row.CostUSD.Mean
		}
	}
	return policy
}

// pays reports whether spot is cheaper, and meets the objective where on demand does.
func (c *spotOrOnDemand) pays(rows []Aggregate) bool {
	spot := c.row(rows, c.spot)
	other := c.row(rows, onDemand)
	return spot.CostUSD.Mean < other.CostUSD.Mean && (spot.Unmet(RequireMet) == "" || other.Unmet(RequireMet) != "")
}

// everywhere is what is true of the middle and both ends of the band; empty if they differ.
func (c *spotOrOnDemand) everywhere(speeds []Assumption) string {
	span := func(policy string) string {
		ends := []string{}
		for _, at := range []int{2, 0} {
			ends = append(ends, units.AboutUSD(math.Round(c.row(speeds[at].Rows, policy).CostUSD.Mean)))
		}
		return strings.TrimSuffix(ends[0], ".0") + " to " + strings.TrimSuffix(ends[1], ".0")
	}
	pays := 0
	for i := range speeds {
		if c.pays(speeds[i].Rows) {
			pays++
		}
	}
	switch pays {
	case len(speeds):
		return fmt.Sprintf("spot is cheaper in all of the band: %s instead of %s USD",
			span(c.spot), span(onDemand))
	case 0:
		return fmt.Sprintf("on demand is cheaper in all of the band, or spot is late: %s instead of %s USD",
			span(onDemand), span(c.spot))
	}
	return ""
}

// from finds the speed, by bisection between the middle and the end of the band that differs from it, from which on
// spot pays.
func (c *spotOrOnDemand) from(ctx context.Context, s *spec.Spec, o int, speeds []Assumption,
	open func(*spec.Spec) (*Study, error)) (string, error) {
	estimate, _ := s.Estimate()
	alone := *s
	alone.Objectives = s.Objectives[o : o+1]
	pays := c.pays(speeds[1].Rows)
	side := "below"
	same := 0.0
	differs := -estimate.Slow
	if c.pays(speeds[0].Rows) == pays {
		side = "above"
		differs = estimate.Fast
	}
	for range 8 { // to 0.003 of the logarithm
		at := (same + differs) / 2
		rows, err := totals(ctx, alone.AtSpeed(at), open)
		if err != nil {
			return "", err
		}
		if c.pays(rows) == pays {
			same = at
		} else {
			differs = at
		}
	}
	winner := "spot"
	if !pays {
		winner = "on demand"
	}
	limit := units.Thousands(estimate.Middle*math.Exp(differs), 2)
	return fmt.Sprintf("%s is cheaper unless the speed is %s %s %s", winner, side, limit, estimate.Unit), nil
}
