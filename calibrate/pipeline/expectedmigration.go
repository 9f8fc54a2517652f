package pipeline

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// What a migration costs on average over all sets of preempted instances of one
// size, which Parcae's public code samples 10,000 times and we count.

// ExpectMigration returns the expected ms of a migration when n of the
// instances are preempted, any of them alike, and its standard error: 0 but for
// changes of depth that are too many to count.
func (m *Parcae) ExpectMigration(from Exposed, toPipelines, toStages int) (ms, stderr float64) {
	if from.Stages == toStages {
		return m.ExpectSameDepth(from.Pipelines, from.Stages, from.Instances, from.Preempted, toPipelines)
	}
	join := toPipelines*toStages > from.Pipelines*from.Stages-from.Preempted
	ms, stderr = m.ExpectDepth(from.Pipelines, from.Stages, from.Instances, from.Preempted, toStages)
	return ms + m.Arrive(toPipelines, toStages, join), stderr
}

// ExpectSameDepth returns the expected ms of a migration to n pipelines of
// the same depth, and its standard error: 0 unless there is too much to count.
func (m *Parcae) ExpectSameDepth(pipelines, stages, instances, preempted, toPipelines int) (ms, stderr float64) {
	from := Exposed{pipelines, stages, instances, preempted}
	from.check()
	switch {
	case preempted == 0 && toPipelines == pipelines:
		return 0, 0
	case preempted <= pipelines-toPipelines: // no stage can run short
		return m.regroup(toPipelines, stages), 0
	}
	looked := m.scratch.Get().(*revealed)
	defer m.scratch.Put(looked)
	looked.model = m
	looked.Exposed = from
	staffed := looked.staffed(toPipelines, maxCases)
	join := toPipelines*stages > pipelines*stages-preempted
	regroup := float64(staffed.chances[MigrationIntra] * m.regroup(toPipelines, stages))
	restart := float64(staffed.chances[MigrationInter] * m.RestartTime(toPipelines, stages, join))
	return regroup + restart + staffed.transfer, staffed.stderr
}

// Chances returns how probable each kind of migration is. They add up to 1.
func (m *Parcae) Chances(from Exposed, toPipelines, toStages int) (chances [MigrationDepth + 1]float64) {
	from.check()
	if from.Stages != toStages {
		chances[MigrationDepth] = 1
		return chances
	}
	return (&revealed{model: m, Exposed: from}).staffed(toPipelines, maxCases).chances
}

// staffing is what a migration at the same depth comes to.
type staffing struct {
	chances          [MigrationDepth + 1]float64
	transfer, stderr float64 // ms expected, but for regrouping and restarts
}

// add counts a case in.
func (c *staffing) add(r *revealed, toPipelines, lost int, b balance, chance float64) (ms float64) {
	untouched := toPipelines == r.Pipelines && (lost == 0 && !r.model.Quirks.IdleRegroup || r.Preempted == 0)
	c.chances[b.kind(untouched)] += chance
	if b.need != noNeed {
		ms = max(b.need, b.lost)
	}
	c.transfer += float64(chance * ms)
	return ms
}

// staffed counts cases by instances lost. Stages that lose instances are added
// one by one to cases that differ in what they cost.
func (r *revealed) staffed(toPipelines, largest int) (counted staffing) {
	if !r.countable() {
		return r.sampleStaffed(toPipelines)
	}
	for len(r.cases) <= r.Preempted {
		r.cases = append(r.cases, migrationCases{})
	}
	for lost := range r.cases {
		r.cases[lost].clear()
	}
	whole := balance{need: noNeed}
	for s := range r.Stages - 1 {
		whole = r.model.short(whole, toPipelines, r.Stages, s, r.Pipelines)
	}
	// the last stage may count as lost with all of its instances
	r.lose(migrationCase{whole, 1}, r.Stages-1, 0, 0, toPipelines)
	for s := range r.Stages - 1 {
		count := 0
		for lost := r.Preempted - 1; lost >= 0; lost-- {
			for _, counted := range r.cases[lost].all {
				r.lose(counted, s, lost, 1, toPipelines)
			}
			count += len(r.cases[lost].all)
		}
		if count > largest {
			return r.sampleStaffed(toPipelines)
		}
	}
	idle := r.Instances - r.Pipelines*r.Stages
	sets := choose(r.Instances, r.Preempted)
	for lost := range r.Preempted + 1 {
		share := choose(idle, r.Preempted-lost) / sets
		for _, one := range r.cases[lost].all {
			counted.add(r, toPipelines, lost, one.balance, one.ways*share)
		}
	}
	return counted
}

// lose adds the cases that follow from one, in which n are lost, when a
// stage loses at least n, too.
func (r *revealed) lose(c migrationCase, stage, lost, smallest, toPipelines int) {
	ways := c.ways
	for k := range min(r.Pipelines, r.Preempted-lost) + 1 {
		if k > 0 {
			ways = ways * float64(r.Pipelines-k+1) / float64(k)
		}
		if k >= smallest {
			r.cases[lost+k].add(r.model.short(c.balance, toPipelines, r.Stages, stage, r.Pipelines-k), ways)
		}
	}
}

// sampleStaffed does the same with draws.
func (r *revealed) sampleStaffed(toPipelines int) (c staffing) {
	square := 0.0
	for i := range uint64(draws) {
		short := balance{need: noNeed}
		lost := 0
		preempted := r.Preempted
		unseen := r.Instances
		for s := range r.Stages {
			left := r.Pipelines
			for range r.Pipelines {
				if preempted > 0 && (sim.Rand{}).Intn(purposePreempted, i, uint64(unseen), unseen) < preempted {
					left--
					preempted--
					lost++
				}
				unseen--
			}
			short = r.model.short(short, toPipelines, r.Stages, s, left)
		}
		ms := c.add(r, toPipelines, lost, short, 1./draws)
		square += float64(ms * ms)
	}
	c.stderr = math.Sqrt(max(0, square/draws-c.transfer*c.transfer) / draws)
	return c
}
