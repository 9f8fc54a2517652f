package pipeline

// Migrations as Parcae (NSDI 2024, section 6) names them, with the costs of its
// public code (liveput/monte_carlo.py). Places are numbered d*P + s by pipeline d
// and stage s; instances from D*P on have none.

// MigrationKind is how a job gets from one layout to another.
type MigrationKind uint8

// The kinds.
const (
	MigrationNone  MigrationKind = iota // the layout stays whole
	MigrationIntra                      // survivors change pipelines within their stages: groups are rebuilt
	MigrationInter                      // state comes from others, or for a stage without replicas from the servers
	MigrationDepth                      // layers are partitioned again, state moves, all start again
)

// String names the kind as the paper does.
func (k MigrationKind) String() string {
	return [...]string{"none", "intra-stage", "inter-stage", "pipeline"}[k]
}

// migrate returns what it takes to go from one layout to another when the
// instances of the list are preempted, ms. From 0, 0 all starts afresh.
func (m *Parcae) migrate(pipelines, stages int, preempted []int, toPipelines, toStages int) (MigrationKind, float64) {
	join := toPipelines*toStages > pipelines*stages-len(preempted)
	if stages != toStages {
		return MigrationDepth, m.repartition(pipelines, stages, preempted, toStages) + m.Arrive(toPipelines, toStages,
			join)
	}
	scratch := m.scratches.Get().(*migrationScratch)
	defer m.scratches.Put(scratch)
	left := append(scratch.left[:0], make([]int, stages)...)
	scratch.left = left
	for s := range left {
		left[s] = pipelines
	}
	hit := 0
	for _, i := range preempted {
		if i < pipelines*stages {
			left[i%stages]--
			hit++
		}
	}
	short := balance{need: noNeed}
	for s, replicas := range left {
		short = m.short(short, toPipelines, stages, s, replicas)
	}
	untouched := hit == 0 && !m.Quirks.IdleRegroup || len(preempted) == 0
	kind := short.kind(pipelines == toPipelines && untouched)
	switch kind {
	case MigrationInter:
		return kind, max(short.need, short.lost) + m.RestartTime(toPipelines, stages, join)
	case MigrationIntra:
		return kind, m.regroup(toPipelines, stages)
	default:
		return kind, 0
	}
}

// balance is how unevenly the stages are staffed.
type balance struct {
	need float64 // the longest transfer to a stage that is short of replicas, ms; noNeed: none is
	lost float64 // sum of the transfers to stages without any, ms
}

const noNeed = -1

// short adds a stage with n replicas left to b. The last stage counts as
// lost with one replica: the code's helper on demand holds a copy of it.
func (m *Parcae) short(b balance, toPipelines, stages, stage, left int) balance {
	need := toPipelines - left
	if need <= 0 {
		return b
	}
	ms := m.plans[stages].transfers[stage]
	b.need = max(b.need, ms)
	if need == toPipelines || stage == stages-1 && need == toPipelines-1 {
		b.lost += ms
	}
	return b
}

// kind returns the kind of a migration at the same depth. An untouched layout has
// as many pipelines as before.
func (b balance) kind(untouched bool) MigrationKind {
	switch {
	case b.need != noNeed:
		return MigrationInter
	case untouched:
		return MigrationNone
	}
	return MigrationIntra
}
