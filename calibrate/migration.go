package calibrate

import "slices"

// Migrations as Parcae (NSDI 2024, section 6) names them, with the costs of its
// public code (liveput/monte_carlo.py). Places are numbered d*P + s by pipeline d
// and stage s; instances from D*P on have none.

// MigrationKind is how a job gets from one layout to another.
type MigrationKind uint8

// The kinds.
const (
	MigrationNone  MigrationKind = iota // the layout stays whole
	MigrationIntra                      // survivors change pipelines within their stages: groups are rebuilt
	MigrationInter                      // stages short of replicas get state from others, or a stage without any from the parameter servers
	MigrationDepth                      // pipeline migration: layers are cut anew, state moves, all start again
)

// String names the kind as the paper does.
func (k MigrationKind) String() string {
	return [...]string{"none", "intra-stage", "inter-stage", "pipeline"}[k]
}

// Migrate returns what it takes to go from one layout to another when the
// instances of the list are preempted, ms. From 0, 0 all starts anew.
func (m *Parcae) Migrate(pipelines, stages int, preempted []int, toPipelines, toStages int) (MigrationKind, float64) {
	join := toPipelines*toStages > pipelines*stages-len(preempted)
	if stages != toStages {
		dead := make([]bool, pipelines*stages)
		for _, i := range preempted {
			if i < len(dead) {
				dead[i] = true
			}
		}
		next := func(stage, from int) int {
			for from < pipelines && dead[from*stages+stage] {
				from++
			}
			return from
		}
		return MigrationDepth, m.repartition(pipelines, stages, toStages, next) + m.Arrive(toPipelines, toStages, join)
	}
	left := slices.Repeat([]int{pipelines}, stages)
	hit := 0
	for _, i := range preempted {
		if i < pipelines*stages {
			left[i%stages]--
			hit++
		}
	}
	b := balance{need: noNeed}
	for s, n := range left {
		b = m.short(b, toPipelines, stages, s, n)
	}
	return m.balanced(b, pipelines == toPipelines && (hit == 0 && !m.Quirks.IdleRegroup || len(preempted) == 0), toPipelines, stages, join)
}

// balance is how unevenly the stages are staffed.
type balance struct {
	need float64 // the longest transfer to a stage that is short of replicas, ms; noNeed: none is
	lost float64 // sum of the transfers to stages without any, ms
}

const noNeed = -1

// short adds a stage with so many replicas left to b. The last stage counts as
// lost with one replica: the code's helper on demand holds a copy of it.
func (m *Parcae) short(b balance, toPipelines, stages, stage, left int) balance {
	need, t := toPipelines-left, m.plans[stages].transfers[stage]
	if need <= 0 {
		return b
	}
	b.need = max(b.need, t)
	if need == toPipelines || stage == stages-1 && need == toPipelines-1 {
		b.lost += t
	}
	return b
}

// balanced returns the cost of a migration at the same depth.
func (m *Parcae) balanced(b balance, untouched bool, toPipelines, stages int, join bool) (MigrationKind, float64) {
	switch {
	case b.need != noNeed:
		return MigrationInter, max(b.need, b.lost) + m.RestartTime(toPipelines, stages, join)
	case untouched:
		return MigrationNone, 0
	}
	return MigrationIntra, m.Regroup(toPipelines, stages)
}

// repartition returns the ms to send what survivors miss for the new stages.
// Each new stage in turn takes the survivor that misses the least, of equal ones
// the lowest; next returns the first pipeline from one on that has a stage's
// instance left.
func (m *Parcae) repartition(pipelines, stages, toStages int, next func(stage, from int) int) float64 {
	cut := m.recut(stages, toStages)
	at := make([]int, stages)
	for s := range at {
		at[s] = next(s, 0)
	}
	sum := 0.0
	for j := range toStages {
		s := cut.fewest(j, at, pipelines)
		if s < 0 {
			sum += m.unstaffed(stages, j, toStages)
			break
		}
		at[s] = next(s, at[s]+1)
		sum = m.moved(sum, cut.missing[j*stages+s])
	}
	return m.Transfer.Time(sum * stateBytes)
}

// moved adds what one new stage misses to what those before it do.
func (m *Parcae) moved(sum, missing float64) float64 {
	if m.Quirks.LastStageOnly {
		return missing
	}
	return sum + missing
}

// unstaffed returns the parameters of the new stages from j on, which no survivor
// takes: they come from the parameter servers, unless training only begins.
func (m *Parcae) unstaffed(stages, j, toStages int) float64 {
	sum := 0.0
	if !m.Quirks.LastStageOnly && stages > 0 {
		for _, p := range m.plans[toStages].params[j:] {
			sum += p
		}
	}
	return sum
}

// recut is how new stages lie on old ones.
type recut struct {
	stages  int
	missing []float64 // parameters of each new stage that each old one does not have, new stages first
	overlap [][2]int  // the old stages that have some of each new one, until before the second
}

func (m *Parcae) recut(stages, toStages int) recut {
	c := recut{stages: stages}
	if stages == 0 {
		c.overlap = make([][2]int, toStages)
		return c
	}
	from, to := &m.plans[stages], &m.plans[toStages]
	c.missing, c.overlap = make([]float64, 0, stages*toStages), make([][2]int, 0, toStages)
	for j := range toStages {
		first, end := stages, 0
		for s := range stages {
			lo, hi := max(from.bounds[s], to.bounds[j]), min(from.bounds[s+1], to.bounds[j+1])
			if lo < hi {
				first, end = min(first, s), s+1
			}
			held := 0.0
			for l := lo; l < hi; l++ {
				held += m.Layers[l]
			}
			c.missing = append(c.missing, to.params[j]-held)
		}
		c.overlap = append(c.overlap, [2]int{first, end})
	}
	return c
}

// fewest returns the old stage of the survivor that misses the least of new stage
// j, -1 for none. at holds the first pipeline in which each old stage has one
// left. Whoever has some of it misses less than those who have nothing.
func (c *recut) fewest(j int, at []int, pipelines int) int {
	missing := c.missing[j*c.stages:][:c.stages]
	if s := leastMissing(missing, at, pipelines, c.overlap[j][0], c.overlap[j][1]); s >= 0 {
		return s
	}
	return leastMissing(missing, at, pipelines, 0, c.stages)
}

// leastMissing is the choice among some old stages. Counts are whole up to
// rounding: they are equal within half a parameter.
func leastMissing(missing []float64, at []int, pipelines, first, end int) int {
	best := -1
	for s := first; s < end; s++ {
		if at[s] >= pipelines {
			continue
		}
		if x := missing[s]; best < 0 || x < missing[best]-0.5 || x < missing[best]+0.5 && at[s] < at[best] {
			best = s
		}
	}
	return best
}
