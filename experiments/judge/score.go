package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
)

// ranking sums a trial up.
func (t *trial) ranking(late float64) (all []RankingRow, studies []StudyResult, with string, err error) {
	names := t.policies()
	for s, o := range t.studies {
		for objective := range o.study.Spec.Objectives {
			result, err := t.objective(s, objective, late, names)
			if err != nil {
				return nil, nil, "", err
			}
			studies = append(studies, result)
		}
	}
	with = names[0]
	for _, g := range t.entries {
		if _, out := t.failed[g.Name]; !out {
			with = g.Name
			break
		}
	}
	var strata []intervals.Stratum
	for i := range studies {
		strata = append(strata, studies[i].scores)
	}
	places := intervals.Places(strata, slices.Index(names, with))
	for p, name := range names {
		all = append(all, rankingRow(name, studies, places[p]))
	}
	slices.SortStableFunc(all, func(a, b RankingRow) int { return cmp.Compare(a.Rank, b.Rank) })
	for _, g := range t.entries {
		if failed, out := t.failed[g.Name]; out {
			all = append(all, RankingRow{Policy: g.Name, Failed: failed.why})
		}
	}
	return all, studies, with, nil
}

// policies returns the names of all policies that take part, ondemand first.
func (t *trial) policies() []string {
	names := []string{onDemand}
	for _, o := range t.studies {
		for _, p := range o.study.Spec.Policies {
			if _, out := t.failed[p.Name]; !out && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	slices.Sort(names[1:])
	return names
}

// objective sums the runs of one objective of a study up. A policy that is not for the study counts as
// ondemand.
func (t *trial) objective(s, objective int, late float64, names []string) (StudyResult, error) {
	of := t.studies[s]
	result := StudyResult{
		Study:     of.name,
		Objective: of.study.Spec.Objectives[objective].Name,
		Market:    of.study.Markets.Name,
		Unit:      of.unit,
		counted:   map[string]counted{},
	}
	index := map[string]int{}
	for p, policy := range of.study.Spec.Policies {
		index[policy.Name] = p
	}
	var units []intervals.Unit
	for k, point := range of.points {
		rows := t.rows[s][k]
		base := &rows[index[onDemand]]
		if point.Objective != objective {
			continue
		}
		if math.IsInf(*base.BoundUSD, 1) {
			result.Hopeless++
			continue
		}
		result.Runs++
		result.BoundUSD += *base.BoundUSD
		unit := intervals.Of(base)
		if !slices.Contains(units, unit) {
			units = append(units, unit)
		}
		for _, name := range names {
			row := base
			if p, takesPart := index[name]; takesPart {
				row = &rows[p]
			}
			if row.Unit == results.ByStart {
				result.longest = max(result.longest, row.LastedS())
			}
			sums := result.counted[name]
			sums.add(row, unit, late*base.CostUSD)
			result.counted[name] = sums
		}
	}
	if result.Runs == 0 {
		return result, fmt.Errorf("study %s, objective %s: no policy can meet it with any seed or start",
			result.Study, result.Objective)
	}
	result.BoundUSD /= float64(result.Runs)
	result.describe(names, index, units)
	return result, nil
}

// describe fills in the policies of the objective, the best first, and the scores of all.
func (r *StudyResult) describe(names []string, takesPart map[string]int, units []intervals.Unit) {
	r.units = units
	for _, unit := range units {
		var scores []float64
		for _, name := range names {
			sum := r.counted[name].byUnit[unit]
			scores = append(scores, sum.score/float64(sum.runs))
		}
		r.scores.Scores = append(r.scores.Scores, scores)
	}
	r.scores.Independent = r.independent()
	for _, name := range names {
		if _, is := takesPart[name]; !is {
			continue
		}
		sums := r.counted[name]
		runs := float64(r.Runs)
		r.Policies = append(r.Policies,
			StudyPolicy{name, sums.met, sums.usd / runs, sums.overBound / runs, sums.score / runs})
	}
	slices.SortStableFunc(r.Policies, func(a, b StudyPolicy) int { return cmp.Compare(a.Score, b.Score) })
}

// independent returns how many of the units share no part of the trace.
func (r *StudyResult) independent() int {
	var all intervals.Tally
	all.Lasting(r.longest)
	for _, unit := range r.units {
		all.Add(unit, 0)
	}
	return all.Independent()
}

// rankingRow sums up what a policy did for all objectives.
func rankingRow(name string, studies []StudyResult, place intervals.Place) RankingRow {
	row := RankingRow{Policy: name, Place: &place}
	var met intervals.Tally
	for i := range studies {
		study := &studies[i]
		sums := study.counted[name]
		if slices.ContainsFunc(study.Policies, func(p StudyPolicy) bool { return p.Policy == name }) {
			row.Objectives++
		}
		row.Runs += sums.runs
		row.Met += sums.met
		row.OverBound += sums.overBound / float64(sums.runs) / float64(len(studies))
		for _, unit := range study.units {
			sum := sums.byUnit[unit]
			for run := range sum.runs {
				unit.Cell = i // the units of this objective
				met.AddHit(unit, run < sum.met)
			}
		}
		met.Lasting(study.longest)
	}
	row.MetCI = met.Share()
	return row
}
