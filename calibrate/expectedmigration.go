package calibrate

import (
	"cmp"
	"slices"
)

// What a migration costs on average over all sets of preempted instances of one
// size, which Parcae's public code samples 10,000 times and we count.

// ExpectMigration returns the expected ms of a migration when so many of the
// instances are preempted, any of them alike, and its standard error: 0 but for
// changes of depth that are too many to count.
func (m *Parcae) ExpectMigration(from Exposed, toPipelines, toStages int) (ms, stderr float64) {
	if from.Stages == toStages {
		return m.ExpectSameDepth(from.Pipelines, from.Stages, from.Instances, from.Preempted, toPipelines), 0
	}
	join := toPipelines*toStages > from.Pipelines*from.Stages-from.Preempted
	ms, stderr = m.ExpectDepth(from.Pipelines, from.Stages, from.Instances, from.Preempted, toStages)
	return ms + m.Arrive(toPipelines, toStages, join), stderr
}

// ExpectSameDepth returns the expected ms of a migration to so many pipelines of
// the same depth. Stages are added one by one to a list of cases that differ in
// losses and in what they cost.
func (m *Parcae) ExpectSameDepth(pipelines, stages, instances, preempted, toPipelines int) float64 {
	from := Exposed{pipelines, stages, instances, preempted}
	from.check()
	cases := []migrationCase{{balance: balance{need: noNeed}, ways: 1}}
	var more []migrationCase
	for s := range from.Stages {
		more = more[:0]
		for _, c := range cases {
			for k := 0; k <= min(from.Pipelines, from.Preempted-c.hits); k++ {
				more = append(more, migrationCase{c.hits + k, m.short(c.balance, toPipelines, from.Stages, s, from.Pipelines-k), c.ways * choose(from.Pipelines, k)})
			}
		}
		cases, more = mergeCases(more), cases
	}
	join := toPipelines*from.Stages > from.Pipelines*from.Stages-from.Preempted
	idle := from.Instances - from.Pipelines*from.Stages
	sum := 0.0
	for _, c := range cases {
		untouched := toPipelines == from.Pipelines && (c.hits == 0 && !m.Quirks.IdleRegroup || from.Preempted == 0)
		_, cost := m.balanced(c.balance, untouched, toPipelines, from.Stages, join)
		sum += float64(c.ways * choose(idle, from.Preempted-c.hits) * cost)
	}
	return sum / choose(from.Instances, from.Preempted)
}

// migrationCase is a class of sets of preempted instances.
type migrationCase struct {
	hits int // instances with a place
	balance
	ways float64
}

// mergeCases adds up the ways of equal cases.
func mergeCases(cases []migrationCase) []migrationCase {
	slices.SortFunc(cases, func(a, b migrationCase) int {
		return cmp.Or(cmp.Compare(a.hits, b.hits), cmp.Compare(a.need, b.need), cmp.Compare(a.lost, b.lost))
	})
	n := 0
	for _, c := range cases {
		if last := max(n-1, 0); n > 0 && cases[last].hits == c.hits && cases[last].balance == c.balance {
			cases[last].ways += c.ways
			continue
		}
		cases[n] = c
		n++
	}
	return cases[:n]
}
