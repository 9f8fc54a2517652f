package calibrate

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// What a migration costs on average over all sets of preempted instances of one
// size, which Parcae's public code samples 10,000 times and we count.

// ExpectMigration returns the expected ms of a migration when so many of the
// instances are preempted, any of them alike, and its standard error: 0 but for
// changes of depth whose cases are too many to count (more than most).
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

const (
	mostCases = 40_000 // counted; beyond, some are sampled
	samples   = 2_000

	purposePreempted sim.Purpose = sim.PurposeUser + 300
)

// ExpectDepth returns the expected ms to send state in a change of depth, and its
// standard error. It looks at instances only when a new stage wants them: then,
// one is gone with the chance of preempted to instances that are still unseen.
func (m *Parcae) ExpectDepth(pipelines, stages, instances, preempted, toStages int) (ms, stderr float64) {
	if stages == 0 {
		return m.Transfer.Time(0), 0
	}
	from := Exposed{pipelines, stages, instances, preempted}
	from.check()
	r := revealed{model: m, Exposed: from, toStages: toStages, cut: m.recut(stages, toStages), at: make([]int, stages)}
	if choose(toStages+preempted, preempted) <= mostCases {
		r.count(0, preempted, instances, 1, 0)
		return r.sum, 0
	}
	square := 0.0
	for i := range samples {
		x := r.sample(uint64(i))
		r.sum += x
		square += float64(x * x)
	}
	mean := r.sum / samples
	return mean, math.Sqrt(max(0, square/samples-mean*mean) / samples)
}

// revealed is a re-partition whose survivors show one by one.
type revealed struct {
	model *Parcae
	Exposed
	toStages int
	cut      recut
	at       []int // by old stage: instances seen
	trail    []int // the old stages of the instances seen, in order
	sum      float64
}

// count adds the costs of all that may become of the new stages from j on, times
// the chance p to get there with so many preempted among the unseen.
func (r *revealed) count(j, preempted, unseen int, p, moved float64) {
	mark := len(r.trail)
	for j < r.toStages {
		s := r.cut.fewest(j, r.at, r.Pipelines)
		if s < 0 {
			moved += r.model.unstaffed(r.Stages, j, r.toStages)
			break
		}
		r.at[s]++
		r.trail = append(r.trail, s)
		if preempted > 0 {
			gone := float64(preempted) / float64(unseen)
			r.count(j, preempted-1, unseen-1, p*gone, moved)
			if preempted == unseen {
				p = 0
				break
			}
			p *= 1 - gone
		}
		unseen--
		moved = r.model.moved(moved, r.cut.missing[j*r.Stages+s])
		j++
	}
	r.sum += p * r.model.Transfer.Time(moved*stateBytes)
	for _, s := range r.trail[mark:] {
		r.at[s]--
	}
	r.trail = r.trail[:mark]
}

// sample returns the cost of one draw.
func (r *revealed) sample(draw uint64) float64 {
	clear(r.at)
	preempted, unseen, moved := r.Preempted, r.Instances, 0.0
	for j := 0; j < r.toStages; {
		s := r.cut.fewest(j, r.at, r.Pipelines)
		if s < 0 {
			moved += r.model.unstaffed(r.Stages, j, r.toStages)
			break
		}
		r.at[s]++
		gone := sim.Dice{}.Intn(purposePreempted, draw, uint64(unseen), unseen) < preempted
		unseen--
		if gone {
			preempted--
			continue
		}
		moved = r.model.moved(moved, r.cut.missing[j*r.Stages+s])
		j++
	}
	return r.model.Transfer.Time(moved * stateBytes)
}
