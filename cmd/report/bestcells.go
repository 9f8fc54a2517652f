package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
)

// sums is what is kept of a policy's runs for one objective until it is known which
// groups of cells a page has room for.
type sums struct {
	runs, met int
	value     float64 // by metric
	metric    *results.Metric
	oracle    bool
	asked     *float64
}

func (s *sums) rankingRow() intervals.RankingRow {
	runs := float64(max(s.runs, 1))
	return intervals.RankingRow{
		Oracle: s.oracle,
		Runs:   s.runs,
		Met:    float64(s.met) / runs,
		Value:  s.value / runs,
		Unit:   s.metric.Unit,
	}
}

// best keeps those of many groups whose first policy for the first objective comes first.
func best(folder *sweep.Folder, groups []*group, only *cli.Selection) ([]*group, error) {
	of := map[int]int{} // group by cell
	for i, g := range groups {
		for _, c := range g.cells {
			of[c] = i
		}
	}
	objective := only.Objective
	policies := make([]map[string]*sums, len(groups))
	err := folder.Rows(func(rows []results.SweepRow) error {
		for i := range rows {
			row := &rows[i]
			at, in := of[int(row.Cell)]
			if !in || row.Error != "" {
				continue
			}
			objective = cmp.Or(objective, row.Objective)
			if row.Objective != objective || len(only.Policies) > 0 && !slices.Contains(only.Policies, row.Policy) {
				continue
			}
			if policies[at] == nil {
				policies[at] = map[string]*sums{}
			}
			policy := policies[at][row.Policy]
			if policy == nil {
				policy = &sums{metric: row.Metric(), oracle: row.Oracle, asked: row.ObjectiveShare}
				policies[at][row.Policy] = policy
			}
			policy.runs++
			policy.value += policy.metric.Of(&row.Summary)
			if row.Met {
				policy.met++
			}
		}
		return nil
	})
	if err != nil {
		return nil, cli.Failed(err)
	}
	return first(groups, policies), nil
}

// first are the groups with the best policies, in the order of the sweep.
func first(groups []*group, policies []map[string]*sums) []*group {
	tops := make([]intervals.RankingRow, len(groups))
	var asked *float64
	for i := range groups {
		var all []intervals.RankingRow
		for _, name := range slices.Sorted(maps.Keys(policies[i])) { // of two that are alike the first is the best
			of := policies[i][name]
			all = append(all, of.rankingRow())
			asked = of.asked
		}
		if len(all) > 0 {
			tops[i] = all[intervals.Rank(all, asked)[0]]
		}
	}
	chosen := intervals.Rank(tops, asked)[:maxCells]
	slices.Sort(chosen)
	out := make([]*group, maxCells)
	for k, i := range chosen {
		out[k] = groups[i]
	}
	return out
}
