package pipeline

import (
	"slices"
	"sync"
)

// Parcae is a network as Parcae (Duan et al., NSDI 2024) sees it: how fast it
// trains as D pipelines of P stages, an instance a stage, and what it costs to go
// from one such layout to another. Times are in ms, as in the paper's public
// code, from whose constants its profiles are (JF-D/Parcae at efedee7).
type Parcae struct {
	Batch          int       // samples of a mini-batch, global
	UnitsPerSample float64   // tokens or images
	Layers         []float64 // parameters by layer, in order
	Depths         []int     // numbers of stages that fit into memory, ascending
	MinPipelines   int
	Restart        RestartCosts
	Transfer       TransferTable
	Quirks         ParcaeQuirks // set before first use

	speeds    map[[2]int]float64
	before    []float64   // parameters of the layers before each, and of all
	plans     []depthPlan // by depth, up to the greatest
	scratch   *sync.Pool  // of *revealed
	scratches *sync.Pool  // of *migrationRoom
}

// depthPlan is how the layers lie on n stages.
type depthPlan struct {
	bounds    []int     // the first layer of each stage, and the end
	params    []float64 // by stage
	transfers []float64 // ms to send the state of each stage
	broadcast float64   // the longest of them
	to        []depthBound
}

// stateBytes is the state of a parameter with Adam: weight and two moments, of 4
// bytes each.
const stateBytes = 12

// Stages returns the depths, ascending.
func (m *Parcae) Stages() []int { return m.Depths }

// Pipelines returns the least number of pipelines.
func (m *Parcae) Pipelines() int { return m.MinPipelines }

// Speed returns the samples/s of a layout; 0 for those without a profile.
func (m *Parcae) Speed(pipelines, stages int) float64 { return m.speeds[[2]int{pipelines, stages}] }

// Best returns the fastest layout for n instances, of equal ones that with
// the fewest pipelines, then stages; 0, 0 if none trains.
func (m *Parcae) Best(instances int) (pipelines, stages int) {
	fastest := 0.0
	for d := m.MinPipelines; d*m.Depths[0] <= instances; d++ {
		for _, p := range m.Depths {
			speed := m.Speed(d, p)
			if d*p <= instances && speed > fastest {
				fastest = speed
				pipelines = d
				stages = p
			}
		}
	}
	return pipelines, stages
}

// DropsRemainder says whether what is left of a migration that another interrupts
// is dropped, for a restart more.
func (m *Parcae) DropsRemainder() bool { return m.Quirks.DropRemainder }

// depthBound is what is known of a change of depth whichever instances survive.
type depthBound struct {
	min    float64 // parameters that are missed if each new stage finds the survivor it wants most
	minMS  float64 // to send them
	last   float64 // of them, those of the last stage
	wanted int     // the most new stages that want instances of one old stage
	cut    *recut  // nil: it is not kept (maxKept)
}

// recut is how new stages lie on old ones.
type recut struct {
	stages  int // old ones
	params  []float64
	span    []span    // by new stage
	missing []float64 // parameters of a new stage that each old one in its span lacks; others lack all
	min     []float64 // parameters that the new stages from each on lack if all find whom they want most
}

// span are the old stages that have some of a new one, first until before end;
// missing has theirs from at on.
type span struct{ first, end, at int }

// recut fills in how toStages lie on stages, in the room that c has.
func (m *Parcae) recut(c *recut, stages, toStages int) {
	c.stages = stages
	c.params = m.plans[toStages].params
	c.span = c.span[:0]
	c.missing = c.missing[:0]
	if stages == 0 {
		for range toStages {
			c.span = append(c.span, span{})
		}
		return
	}
	from := m.plans[stages].bounds
	to := m.plans[toStages].bounds
	s := 0
	for j := range toStages {
		for s < stages-1 && from[s+1] <= to[j] {
			s++
		}
		lies := span{s, s, len(c.missing)}
		for ; lies.end < stages && from[lies.end] < to[j+1] && to[j] < to[j+1]; lies.end++ {
			held := m.before[min(from[lies.end+1], to[j+1])] - m.before[max(from[lies.end], to[j])]
			c.missing = append(c.missing, c.params[j]-held)
		}
		c.span = append(c.span, lies)
	}
	c.min = append(c.min[:0], make([]float64, toStages+1)...)
	for j := toStages - 1; j >= 0; j-- {
		smallest := c.params[j]
		for _, lacks := range c.missing[c.span[j].at:][:c.span[j].end-c.span[j].first] {
			smallest = min(smallest, lacks)
		}
		c.min[j] = c.min[j+1] + smallest
	}
}

// cutOf returns how toStages lie on stages, worked out in the room that c has if it is not kept.
func (m *Parcae) cutOf(c *recut, stages, toStages int) *recut {
	if kept := m.bounds(stages, toStages).cut; kept != nil {
		return kept
	}
	m.recut(c, stages, toStages)
	return c
}

// fewest returns the old stage of the survivor that misses the least of new stage
// j and how much that is; -1 for none. seen is how many of each old stage were
// looked at. Whoever has some of it misses less than those who have nothing.
// Parameters are whole up to rounding: equal within half a one.
func (c *recut) fewest(j int, seen []uint16, pipelines int) (stage int, missing float64) {
	lies := c.span[j]
	stage = -1
	for old := lies.first; old < lies.end; old++ {
		if int(seen[old]) >= pipelines {
			continue
		}
		lacks := c.missing[lies.at+old-lies.first]
		if stage < 0 || lacks < missing-0.5 || lacks < missing+0.5 && seen[old] < seen[stage] {
			stage = old
			missing = lacks
		}
	}
	if stage >= 0 {
		return stage, missing
	}
	for old, looked := range seen {
		if int(looked) < pipelines && (stage < 0 || looked < seen[stage]) {
			stage = old
			if looked == 0 {
				break
			}
		}
	}
	return stage, c.params[j]
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
func (m *Parcae) unstaffed(c *recut, j int) float64 {
	sum := 0.0
	if !m.Quirks.LastStageOnly && c.stages > 0 {
		for _, params := range c.params[j:] {
			sum += params
		}
	}
	return sum
}

// repartition returns the ms to send what survivors miss.
func (m *Parcae) repartition(pipelines, stages int, preempted []int, toStages int) float64 {
	scratch := m.scratches.Get().(*migrationScratch)
	defer m.scratches.Put(scratch)
	scratch.dead = append(scratch.dead[:0], make([]bool, pipelines*stages)...)
	scratch.seen = append(scratch.seen[:0], make([]uint16, stages)...)
	dead := scratch.dead
	seen := scratch.seen
	cut := m.cutOf(&scratch.cut, stages, toStages)
	for _, i := range preempted {
		if i < len(dead) {
			dead[i] = true
		}
	}
	sum := 0.0
	for j := 0; j < toStages; {
		taken, missing := cut.fewest(j, seen, pipelines)
		if taken < 0 {
			sum += m.unstaffed(cut, j)
			break
		}
		if !dead[int(seen[taken])*stages+taken] {
			sum = m.moved(sum, missing)
			j++
		}
		seen[taken]++
	}
	return m.Transfer.Time(sum * stateBytes)
}

// MinDepth returns the least ms that ExpectDepth may come to, whichever instances survive.
func (m *Parcae) MinDepth(stages, toStages int) float64 {
	if stages == 0 || m.Quirks.LastStageOnly {
		return m.Transfer.Time(0)
	}
	return m.bounds(stages, toStages).minMS
}

func (m *Parcae) bounds(stages, toStages int) *depthBound { return &m.plans[stages].to[toStages] }

// bound computes them from one depth to another.
func (m *Parcae) bound(c *recut, stages, toStages int) (b depthBound) {
	m.recut(c, stages, toStages)
	want := make([]int, stages)
	for j, lies := range c.span {
		for s, lacks := range c.missing[lies.at:][:lies.end-lies.first] {
			if lacks < c.min[j]-c.min[j+1]+0.5 {
				want[lies.first+s]++
			}
		}
	}
	b.min = c.min[0]
	b.last = c.min[toStages-1]
	b.minMS = m.Transfer.Time(b.min * stateBytes)
	b.wanted = slices.Max(want)
	return b
}

// migrationScratch is memory for one migration at a time.
type migrationScratch struct {
	gone, left []int
	dead       []bool
	seen       []uint16
	cut        recut
}

// ParcaeQuirks are errors of Parcae's public code (JF-D/Parcae at efedee7) that its
// results contain. Without any, what the paper says is done. What each is worth:
// DEVIATIONS.md.
type ParcaeQuirks struct {
	// LastStageOnly charges a pipeline migration for the parameters that the last
	// stage with a survivor misses, not for those of all stages.
	LastStageOnly bool
	// IdleRegroup rebuilds the groups after preemptions of instances that had no place.
	IdleRegroup bool
	// DropRemainder drops what is left of a migration that another interrupts, for
	// a restart more. Otherwise it is still to be paid.
	DropRemainder bool
	// StickyPenalties keeps a penalty of the forecaster for all later forecasts.
	StickyPenalties bool
}

// ParcaeAsPublished returns all of them: the public code.
func ParcaeAsPublished() ParcaeQuirks {
	return ParcaeQuirks{LastStageOnly: true, IdleRegroup: true, DropRemainder: true, StickyPenalties: true}
}

// Forecaster returns the name of Parcae's forecaster.
func (q ParcaeQuirks) Forecaster() string {
	if q.StickyPenalties {
		return "parcae-sticky"
	}
	return "parcae"
}
