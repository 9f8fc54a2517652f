package calibrate

import (
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

const (
	mostOutcomes = 20_000 // counted side by side; beyond, draws are sampled
	draws        = 2_000

	purposePreempted sim.Purpose = sim.PurposeUser + 300
)

// ExpectDepth returns the expected ms to send state in a change of depth, and its
// standard error: 0 unless there is too much to count.
func (m *Parcae) ExpectDepth(pipelines, stages, instances, preempted, toStages int) (ms, stderr float64) {
	if stages == 0 {
		return m.Transfer.Time(0), 0
	}
	from := Exposed{pipelines, stages, instances, preempted}
	from.check()
	bound := m.bounds(stages, toStages)
	if bound.wanted+preempted <= pipelines { // no stage runs out: what is missed is always the same
		if m.Quirks.LastStageOnly {
			return m.Transfer.Time(bound.last * stateBytes), 0
		}
		return m.Transfer.Time(bound.least * stateBytes), 0
	}
	r := m.scratch.Get().(*revealed)
	defer m.scratch.Put(r)
	r.model, r.Exposed, r.toStages = m, from, toStages
	m.recut(&r.cut, stages, toStages)
	if ms, counted := r.count(); counted {
		return ms, 0
	}
	return r.sample()
}

// LeastDepth returns the least ms that ExpectDepth may come to, whoever survives.
func (m *Parcae) LeastDepth(stages, toStages int) float64 {
	if stages == 0 || m.Quirks.LastStageOnly {
		return m.Transfer.Time(0)
	}
	return m.bounds(stages, toStages).leastMS
}

// depthBound is what is known of a change of depth whoever survives.
type depthBound struct {
	least   float64 // parameters that are missed if each new stage finds the survivor it wants most
	leastMS float64 // to send them
	last    float64 // of them, those of the last stage
	wanted  int     // the most new stages that want instances of one old stage
}

func (m *Parcae) bounds(stages, toStages int) *depthBound { return &m.plans[stages].to[toStages] }

// bound computes them from one depth to another.
func (m *Parcae) bound(c *recut, stages, toStages int) (b depthBound) {
	m.recut(c, stages, toStages)
	want := make([]int, stages)
	for j, w := range c.span {
		for s, x := range c.missing[w.at:][:w.end-w.first] {
			if x < c.least[j]-c.least[j+1]+0.5 {
				want[w.first+s]++
			}
		}
	}
	b.least, b.last = c.least[0], c.least[toStages-1]
	b.leastMS, b.wanted = m.Transfer.Time(b.least*stateBytes), slices.Max(want)
	return b
}

// revealed is a repartition that looks at an instance only when a new stage wants
// it. Then, it is gone with the chance of preempted to instances that are unseen.
// Its slices are kept for the next one.
type revealed struct {
	model *Parcae
	Exposed
	toStages int
	cut      recut

	now, next outcomes
	cases     [][]migrationCase // of ExpectSameDepth, by places lost
}

// outcomes are what may have become of the new stages so far, by how many
// instances were found gone.
type outcomes struct {
	by   [][]outcome
	seen []uint16 // room for theirs
}

// outcome is a class of sets of preempted instances from which on all is the
// same.
type outcome struct {
	mark   uint64  // of seen, but for the order of old stages that no later new one overlaps
	moved  float64 // parameters
	chance float64
	seen   []uint16 // instances looked at, by old stage
}

func (o *outcomes) clear(most int) {
	for len(o.by) <= most {
		o.by = append(o.by, nil)
	}
	for g := range o.by {
		o.by[g] = o.by[g][:0]
	}
	o.seen = o.seen[:0]
}

// add puts an outcome into its class. Where time is in proportion to what is
// moved, of more than enough, only its mean counts.
func (o *outcomes) add(gone int, x outcome, taken int, enough float64) {
	for i := range o.by[gone] {
		switch y := &o.by[gone][i]; {
		case y.mark != x.mark:
		case y.moved == x.moved:
			y.chance += x.chance
			return
		case y.moved >= enough && x.moved >= enough:
			both := y.chance + x.chance
			y.moved += float64((x.moved - y.moved) * (x.chance / both))
			y.chance = both
			return
		}
	}
	at := len(o.seen)
	o.seen = append(o.seen, x.seen...) // older outcomes keep the array that they have
	x.seen = o.seen[at:len(o.seen):len(o.seen)]
	x.seen[taken]++
	o.by[gone] = append(o.by[gone], x)
}

// count returns the expected ms, unless there are more than mostOutcomes.
func (r *revealed) count() (ms float64, counted bool) {
	r.now.clear(r.Preempted)
	r.now.by[0] = append(r.now.by[0], outcome{chance: 1, seen: make([]uint16, r.Stages)})
	for j := range r.toStages {
		r.next.clear(r.Preempted)
		n := 0
		for gone := range r.Preempted + 1 {
			for i := 0; i < len(r.now.by[gone]); i++ {
				ms += r.reveal(j, gone, r.now.by[gone][i])
			}
			if n += len(r.now.by[gone]); n > mostOutcomes {
				return 0, false
			}
		}
		r.now, r.next = r.next, r.now
	}
	for _, all := range r.now.by {
		for _, x := range all {
			ms += float64(x.chance * r.model.Transfer.Time(x.moved*stateBytes))
		}
	}
	return ms, true
}

// reveal looks at the instance that new stage j wants. It returns the share of
// the expected ms of an outcome that ends here for want of survivors.
func (r *revealed) reveal(j, gone int, x outcome) (ms float64) {
	s, missing := r.cut.fewest(j, x.seen, r.Pipelines)
	if s < 0 {
		return float64(x.chance * r.model.Transfer.Time((x.moved+r.model.unstaffed(&r.cut, j))*stateBytes))
	}
	p := x.chance * float64(r.Preempted-gone) / float64(r.Instances-j-gone)
	first := r.cut.span[j].first
	kept := x
	x.mark += mark(s, first, x.seen[s]+1) - mark(s, first, x.seen[s])
	if p > 0 {
		lost := x
		lost.chance = p
		r.now.add(gone+1, lost, s, r.enough(j))
	}
	if kept.chance > p {
		kept.mark, kept.chance, kept.moved = x.mark, kept.chance-p, r.model.moved(x.moved, missing)
		if j+1 < r.toStages {
			for old := first; old < r.cut.span[j+1].first; old++ {
				n := kept.seen[old]
				if old == s {
					n++
				}
				kept.mark += mark(old, old+1, n) - mark(old, first, n)
			}
		}
		r.next.add(gone, kept, s, r.enough(j+1))
	}
	return 0
}

// enough returns from how many parameters on that were moved before new stage j
// the time for all is in proportion to them.
func (r *revealed) enough(j int) float64 {
	if r.model.Quirks.LastStageOnly {
		return math.Inf(1)
	}
	return r.model.Transfer.Bytes[len(r.model.Transfer.Bytes)-1]/stateBytes - r.cut.least[j]
}

// mark stands for so many instances seen of an old stage; of those before first
// it does not matter which. Sums of marks are the same for classes that differ
// with a chance of 2^-64.
func mark(stage, first int, seen uint16) uint64 {
	if stage < first {
		stage = -1
	}
	x := (uint64(stage+1)<<16 | uint64(seen)) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sample returns the mean of draws and its standard error.
func (r *revealed) sample() (ms, stderr float64) {
	seen := make([]uint16, r.Stages)
	sum, square := 0.0, 0.0
	for i := range draws {
		x := r.draw(seen, uint64(i))
		sum += x
		square += float64(x * x)
	}
	mean := sum / draws
	return mean, math.Sqrt(max(0, square/draws-mean*mean) / draws)
}

// draw returns the cost of one set of preempted instances.
func (r *revealed) draw(seen []uint16, number uint64) float64 {
	clear(seen)
	preempted, unseen, moved := r.Preempted, r.Instances, 0.0
	for j := 0; j < r.toStages; {
		s, missing := r.cut.fewest(j, seen, r.Pipelines)
		if s < 0 {
			moved += r.model.unstaffed(&r.cut, j)
			break
		}
		seen[s]++
		gone := sim.Dice{}.Intn(purposePreempted, number, uint64(unseen), unseen) < preempted
		unseen--
		if gone {
			preempted--
			continue
		}
		moved = r.model.moved(moved, missing)
		j++
	}
	return r.model.Transfer.Time(moved * stateBytes)
}
