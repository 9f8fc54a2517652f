package pipeline

import "slices"

// Repartition is a change of depth: the layers are partitioned again, each new stage in
// turn takes the survivor that misses the fewest of its parameters, of equal ones
// the lowest, and what is missed is sent.

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
	c.stages, c.params, c.span, c.missing = stages, m.plans[toStages].params, c.span[:0], c.missing[:0]
	if stages == 0 {
		for range toStages {
			c.span = append(c.span, span{})
		}
		return
	}
	from, to := m.plans[stages].bounds, m.plans[toStages].bounds
	s := 0
	for j := range toStages {
		for s < stages-1 && from[s+1] <= to[j] {
			s++
		}
		w := span{s, s, len(c.missing)}
		for ; w.end < stages && from[w.end] < to[j+1] && to[j] < to[j+1]; w.end++ {
			held := m.before[min(from[w.end+1], to[j+1])] - m.before[max(from[w.end], to[j])]
			c.missing = append(c.missing, c.params[j]-held)
		}
		c.span = append(c.span, w)
	}
	c.min = append(c.min[:0], make([]float64, toStages+1)...)
	for j := toStages - 1; j >= 0; j-- {
		smallest := c.params[j]
		for _, x := range c.missing[c.span[j].at:][:c.span[j].end-c.span[j].first] {
			smallest = min(smallest, x)
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
	w := c.span[j]
	stage = -1
	for s := w.first; s < w.end; s++ {
		if int(seen[s]) >= pipelines {
			continue
		}
		if x := c.missing[w.at+s-w.first]; stage < 0 || x < missing-0.5 || x < missing+0.5 && seen[s] < seen[stage] {
			stage, missing = s, x
		}
	}
	if stage >= 0 {
		return stage, missing
	}
	for s, n := range seen {
		if int(n) < pipelines && (stage < 0 || n < seen[stage]) {
			if stage = s; n == 0 {
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
		for _, p := range c.params[j:] {
			sum += p
		}
	}
	return sum
}

// repartition returns the ms to send what survivors miss.
func (m *Parcae) repartition(pipelines, stages int, preempted []int, toStages int) float64 {
	r := m.scratches.Get().(*migrationScratch)
	defer m.scratches.Put(r)
	r.dead, r.seen = append(r.dead[:0], make([]bool, pipelines*stages)...), append(r.seen[:0], make([]uint16, stages)...)
	dead, seen, c := r.dead, r.seen, m.cutOf(&r.cut, stages, toStages)
	for _, i := range preempted {
		if i < len(dead) {
			dead[i] = true
		}
	}
	sum := 0.0
	for j := 0; j < toStages; {
		s, missing := c.fewest(j, seen, pipelines)
		if s < 0 {
			sum += m.unstaffed(c, j)
			break
		}
		if !dead[int(seen[s])*stages+s] {
			sum = m.moved(sum, missing)
			j++
		}
		seen[s]++
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
	for j, w := range c.span {
		for s, x := range c.missing[w.at:][:w.end-w.first] {
			if x < c.min[j]-c.min[j+1]+0.5 {
				want[w.first+s]++
			}
		}
	}
	b.min, b.last = c.min[0], c.min[toStages-1]
	b.minMS, b.wanted = m.Transfer.Time(b.min*stateBytes), slices.Max(want)
	return b
}

// migrationScratch is memory for one migration at a time.
type migrationScratch struct {
	gone, left []int
	dead       []bool
	seen       []uint16
	cut        recut
}
