package calibrate

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
// the same depth.
func (m *Parcae) ExpectSameDepth(pipelines, stages, instances, preempted, toPipelines int) float64 {
	from := Exposed{pipelines, stages, instances, preempted}
	from.check()
	join := toPipelines*stages > pipelines*stages-preempted
	if preempted == 0 && toPipelines == pipelines {
		return 0
	}
	if preempted <= pipelines-toPipelines { // no stage can run short
		return m.Regroup(toPipelines, stages)
	}
	r := m.scratch.Get().(*revealed)
	defer m.scratch.Put(r)
	r.model, r.Exposed = m, from
	chances, transfer := r.staffed(toPipelines)
	return float64(chances[MigrationIntra]*m.Regroup(toPipelines, stages)) + float64(chances[MigrationInter]*m.RestartTime(toPipelines, stages, join)) + transfer
}

// Chances returns how probable each kind of migration is. They add up to 1.
func (m *Parcae) Chances(from Exposed, toPipelines, toStages int) (chances [MigrationDepth + 1]float64) {
	from.check()
	if from.Stages != toStages {
		chances[MigrationDepth] = 1
		return chances
	}
	chances, _ = (&revealed{model: m, Exposed: from}).staffed(toPipelines)
	return chances
}

// migrationCase is a class of sets of preempted instances.
type migrationCase struct {
	balance
	ways float64
}

// staffed returns the chances of the kinds of migrations at the same depth and
// the expected ms of their transfers. Stages that lose instances are added one
// by one to cases, by instances lost, that differ in what they cost.
func (r *revealed) staffed(toPipelines int) (chances [MigrationDepth + 1]float64, transfer float64) {
	for len(r.cases) <= r.Preempted {
		r.cases = append(r.cases, nil)
	}
	for lost := range r.cases {
		r.cases[lost] = r.cases[lost][:0]
	}
	whole := balance{need: noNeed}
	for s := range r.Stages - 1 {
		whole = r.model.short(whole, toPipelines, r.Stages, s, r.Pipelines)
	}
	r.lose(migrationCase{whole, 1}, r.Stages-1, 0, 0, toPipelines) // the last stage may count as lost with all of its instances
	for s := range r.Stages - 1 {
		for lost := r.Preempted - 1; lost >= 0; lost-- {
			for _, c := range r.cases[lost] {
				r.lose(c, s, lost, 1, toPipelines)
			}
		}
	}
	idle := r.Instances - r.Pipelines*r.Stages
	all := choose(r.Instances, r.Preempted)
	for lost, cases := range r.cases[:r.Preempted+1] {
		share := choose(idle, r.Preempted-lost) / all
		untouched := toPipelines == r.Pipelines && (lost == 0 && !r.model.Quirks.IdleRegroup || r.Preempted == 0)
		for _, c := range cases {
			p := float64(c.ways * share)
			chances[c.kind(untouched)] += p
			if c.need != noNeed {
				transfer += float64(p * max(c.need, c.lost))
			}
		}
	}
	return chances, transfer
}

// lose adds the cases that follow from one, in which so many are lost, when a
// stage loses at least so many, too.
func (r *revealed) lose(c migrationCase, stage, lost, least, toPipelines int) {
	ways := c.ways
	for k := range min(r.Pipelines, r.Preempted-lost) + 1 {
		if k > 0 {
			ways = ways * float64(r.Pipelines-k+1) / float64(k)
		}
		if k < least {
			continue
		}
		b := r.model.short(c.balance, toPipelines, r.Stages, stage, r.Pipelines-k)
		cases := r.cases[lost+k]
		i := 0
		for i < len(cases) && cases[i].balance != b {
			i++
		}
		if i == len(cases) {
			cases = append(cases, migrationCase{balance: b})
			r.cases[lost+k] = cases
		}
		cases[i].ways += ways
	}
}
