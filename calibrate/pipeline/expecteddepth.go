package pipeline

import (
	"math"

	"github.com/marigram/marigram/sim"
)

const (
	maxOutcomes = 2_000  // of a change of depth, counted side by side; beyond, draws are sampled
	maxCases    = 20_000 // of a migration at one depth
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
		return m.Transfer.Time(bound.min * stateBytes), 0
	}
	looked := m.scratch.Get().(*revealed)
	defer m.scratch.Put(looked)
	looked.model = m
	looked.Exposed = from
	looked.toStages = toStages
	looked.cut = m.cutOf(&looked.scratch, stages, toStages)
	if preempted == 0 {
		return looked.draw(0), 0
	}
	if ms, counted := looked.count(maxOutcomes); counted {
		return ms, 0
	}
	return looked.sample()
}

// revealed is a repartition that looks at an instance only when a new stage wants
// it. Then, it is gone with the chance of preempted to instances that are unseen.
// Its slices are kept for the next one.
type revealed struct {
	model *Parcae
	Exposed
	toStages int
	cut      *recut // of the model, or room
	scratch  recut

	now, next outcomes
	random    []uint64         // for marks
	seen      []uint16         // of a draw
	cases     []migrationCases // of ExpectSameDepth, by places lost
}

// outcomes are what may have become of the new stages so far, by how many
// instances were found gone.
type outcomes struct {
	first  []int32 // by instances gone: place in all, none if negative; the others follow
	all    []outcome
	seen   []uint16 // instances looked at, by outcome and old stage
	enough float64  // parameters moved from which on the time for all is in proportion to them
}

// outcome is a class of sets of preempted instances from which on all is the
// same.
type outcome struct {
	mark   uint64  // of seen, but for the order of old stages that no later new one overlaps
	moved  float64 // parameters
	chance float64
	next   int32 // of as many gone
}

// begin makes room for the outcomes before new stage j.
func (r *revealed) begin(o *outcomes, j int) {
	o.first = o.first[:0]
	o.all = o.all[:0]
	o.seen = o.seen[:0]
	o.enough = math.Inf(1)
	for range r.Preempted + 1 {
		o.first = append(o.first, -1)
	}
	if !r.model.Quirks.LastStageOnly {
		o.enough = r.model.Transfer.Bytes[len(r.model.Transfer.Bytes)-1]/stateBytes - r.cut.min[j]
	}
}

// add puts an outcome into its class. Where time is in proportion to what is
// moved only the mean of that counts.
func (o *outcomes) add(gone int, mark uint64, moved, chance float64, seen []uint16, taken int) {
	for i := o.first[gone]; i >= 0; i = o.all[i].next {
		known := &o.all[i]
		if known.mark != mark {
			continue
		}
		if known.moved == moved {
			known.chance += chance
			return
		}
		if known.moved >= o.enough && moved >= o.enough {
			known.chance += chance
			known.moved += float64((moved - known.moved) * (chance / known.chance))
			return
		}
	}
	at := len(o.seen)
	o.seen = append(o.seen, seen...)
	o.seen[at+taken]++
	o.all = append(o.all, outcome{mark, moved, chance, o.first[gone]})
	o.first[gone] = int32(len(o.all) - 1)
}

// count returns the expected ms, unless there are more outcomes side by side than the largest number.
func (r *revealed) count(largest int) (ms float64, counted bool) {
	r.randomise(max(r.Pipelines, r.Stages))
	r.begin(&r.now, 0)
	r.now.seen = append(r.now.seen, make([]uint16, r.Stages)...)
	r.now.all = append(r.now.all, outcome{chance: 1, next: -1})
	r.now.first[0] = 0
	for j := range r.toStages {
		r.begin(&r.next, j+1)
		for gone := range r.Preempted + 1 {
			for i := r.now.first[gone]; i >= 0; i = r.now.all[i].next {
				ms += r.reveal(j, gone, i)
			}
		}
		if len(r.now.all) > largest {
			return 0, false
		}
		r.now, r.next = r.next, r.now
	}
	for _, x := range r.now.all {
		ms += float64(x.chance * r.model.Transfer.Time(x.moved*stateBytes))
	}
	return ms, true
}

// reveal looks at the instance that new stage j wants. It returns the share of
// the expected ms of an outcome that ends here for want of survivors.
func (r *revealed) reveal(j, gone int, i int32) (ms float64) {
	before := r.now.all[i]
	seen := r.now.seen[int(i)*r.Stages:][:r.Stages]
	taken, missing := r.cut.fewest(j, seen, r.Pipelines)
	if taken < 0 {
		unstaffed := r.model.unstaffed(r.cut, j)
		return float64(before.chance * r.model.Transfer.Time((before.moved+unstaffed)*stateBytes))
	}
	preempted := before.chance * float64(r.Preempted-gone) / float64(r.Instances-j-gone)
	first := r.cut.span[j].first
	mark := before.mark + r.mark(taken, first, seen[taken]+1) - r.mark(taken, first, seen[taken])
	if preempted > 0 {
		r.now.add(gone+1, mark, before.moved, preempted, seen, taken)
	}
	if before.chance <= preempted {
		return 0
	}
	if j+1 < r.toStages {
		for old := first; old < r.cut.span[j+1].first; old++ {
			looked := seen[old]
			if old == taken {
				looked++
			}
			mark += r.mark(old, old+1, looked) - r.mark(old, first, looked)
		}
	}
	r.next.add(gone, mark, r.model.moved(before.moved, missing), before.chance-preempted, seen, taken)
	return 0
}

// mark stands for n instances seen of an old stage; of those before first
// it does not matter which. Sums of marks are the same for classes that differ
// with a chance of about 2^-64.
func (r *revealed) mark(stage, first int, seen uint16) uint64 {
	if stage < first {
		return r.random[2*seen]
	}
	return uint64(seen) * r.random[2*stage+1]
}

// randomise has random numbers for as many marks.
func (r *revealed) randomise(n int) {
	for i := uint64(len(r.random)); i < 2*uint64(n)+2; i++ { // SplitMix64
		x := (i + 1) * 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		r.random = append(r.random, x^x>>31)
	}
}

// sample returns the mean of draws and its standard error.
func (r *revealed) sample() (ms, stderr float64) {
	sum := 0.0
	square := 0.0
	for i := range draws {
		x := r.draw(uint64(i))
		sum += x
		square += float64(x * x)
	}
	mean := sum / draws
	return mean, math.Sqrt(max(0, square/draws-mean*mean) / draws)
}

// draw returns the cost of one set of preempted instances.
func (r *revealed) draw(number uint64) float64 {
	r.seen = append(r.seen[:0], make([]uint16, r.Stages)...)
	preempted := r.Preempted
	unseen := r.Instances
	moved := 0.0
	for j := 0; j < r.toStages; {
		taken, missing := r.cut.fewest(j, r.seen, r.Pipelines)
		if taken < 0 {
			moved += r.model.unstaffed(r.cut, j)
			break
		}
		r.seen[taken]++
		gone := preempted > 0 && sim.Rand{}.Intn(purposePreempted, number, uint64(unseen), unseen) < preempted
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
