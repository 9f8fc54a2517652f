package parcae

import (
	"cmp"
	"math"
	"slices"
)

// Planner is the optimiser of Parcae (Duan et al., NSDI 2024, section 7, equations
// 3 to 6; public code JF-D/Parcae, liveput/liveput.py): a dynamic program over the
// layouts of the coming intervals, of which only the first step is taken. Of the
// ways to end an interval with a layout, trained or still migrating, it keeps the
// one with the most samples, as published: where a migration outlasts an interval,
// a way with fewer samples and less left to migrate can be lost. Costs of changes
// are computed when they are first needed, and kept; a warm decision allocates
// nothing. NewPlanner makes one.
type Planner struct {
	// Interval is the length of an interval, s.
	Interval  float64
	Objective Objective

	model   MigrationModel
	shapes  []Shape // [0] is none; then by pipelines, then by stages
	speeds  []float64
	depths  []int        // by shape: place in the list of depths, -1 for none
	byDepth [][]int32    // shapes
	arrive  [2][]float64 // by shape; [1]: instances join
	restart []float64    // without
	lowest  []float64    // ms of MinDepth, by depth gone to, depth come from, the first none
	fastest []float64    // by instances: the most samples/s
	joining []float64    // by instances: the least ms of a restart that some join
	widest  int          // most pipelines of any shape
	tables  map[[2]int]*transitions

	now, next []planState
	order     []presentState // of now, the best first
	biggest   int            // most instances with a place in them
	open      []openWay      // to a shape
	memory    []planLevel
	levels    []planLevel // of memory, those of the plan
}

// planState is the best known way to end an interval with a shape, trained or,
// stalled, still migrating.
type planState struct {
	samples [2]float64 // [1]: stalled; absent if there is no way
	rest    float64    // of the migration, ms, if stalled
	came    [2]int32   // from the state before, as in order
}

// planLevel is one interval of a plan.
type planLevel struct {
	costs     *transitions
	instances int       // after the turnover at its beginning
	rest      []float64 // by instances with a place: the most samples that can be trained after it
	keep      []int32   // by shape: what it becomes with the same depth and as many pipelines as fit, 0 for none
	held      []float64 // by shape: samples from here on if it is kept at no cost
	came      []int32   // of each state
	samples   []float64
}

// presentState is a state of the present level.
type presentState struct {
	code    int32 // 2*shape, +1 if stalled
	depth   int32
	size    int
	samples float64
}

// openWay is a way to a shape whose cost is not computed yet.
type openWay struct {
	code    int32
	samples float64 // at most
}

const absent = -1

// transitions are the costs at n instances and preemptions, NaN if not
// computed yet.
type transitions struct {
	instances, removed int
	depth              []float64 // by depth gone to, shape come from
	same               []float64 // by shape gone to, pipelines come from
	liveput            []float64 // by shape
}

// NewPlanner returns a planner for at most n instances and intervals
// of n seconds.
func NewPlanner(m MigrationModel, largest int, interval float64) *Planner {
	depths := m.Stages()
	p := &Planner{
		Interval: interval,
		model:    m,
		shapes:   []Shape{{}},
		speeds:   []float64{0},
		depths:   []int{-1},
		restart:  []float64{0},
		arrive:   [2][]float64{{0}, {0}},
		tables:   map[[2]int]*transitions{},
		byDepth:  make([][]int32, len(depths)),
		widest:   largest / depths[0],
	}
	for pipelines := 1; pipelines <= p.widest; pipelines++ {
		for k, stages := range depths {
			if pipelines*stages > largest {
				break
			}
			p.byDepth[k] = append(p.byDepth[k], int32(len(p.shapes)))
			p.shapes = append(p.shapes, Shape{pipelines, stages})
			p.depths = append(p.depths, k)
			p.speeds = append(p.speeds, m.Speed(pipelines, stages))
			p.restart = append(p.restart, m.RestartTime(pipelines, stages, false))
			p.arrive[0] = append(p.arrive[0], m.Arrive(pipelines, stages, false))
			p.arrive[1] = append(p.arrive[1], m.Arrive(pipelines, stages, true))
		}
	}
	for _, to := range depths {
		p.lowest = append(p.lowest, m.MinDepth(0, to))
		for _, from := range depths {
			p.lowest = append(p.lowest, m.MinDepth(from, to))
		}
	}
	p.fastest = make([]float64, largest+1)
	p.joining = slices.Repeat([]float64{math.Inf(1)}, largest+1)
	for i, s := range p.shapes[1:] {
		n := s.Size()
		p.fastest[n] = max(p.fastest[n], p.speeds[i+1])
		p.joining[n] = min(p.joining[n], m.RestartTime(s.Pipelines, s.Stages, true))
	}
	for n := range largest {
		p.fastest[n+1] = max(p.fastest[n+1], p.fastest[n])
		p.joining[n+1] = min(p.joining[n+1], p.joining[n])
	}
	p.now = make([]planState, len(p.shapes))
	p.next = make([]planState, len(p.shapes))
	return p
}

// table returns the costs at n instances, of which m are preempted.
// Where none is, the number of instances does not matter.
func (p *Planner) table(instances, removed int) *transitions {
	key := [2]int{instances, removed}
	if removed == 0 {
		key[0] = p.shapes[len(p.shapes)-1].Size()
	}
	t := p.tables[key]
	if t == nil {
		unknown := func(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
		shapes := len(p.shapes)
		t = &transitions{
			instances: key[0],
			removed:   removed,
			depth:     unknown(shapes * len(p.byDepth)),
			same:      unknown(shapes * (p.widest + 1)),
			liveput:   unknown(shapes),
		}
		p.tables[key] = t
	}
	return t
}

// cost returns the expected ms from one shape to another that is not none.
func (p *Planner) cost(t *transitions, from, to int) float64 {
	kept := p.known(t, from, to)
	if math.IsNaN(*kept) {
		*kept = p.compute(t, from, to)
	}
	if p.depths[from] == p.depths[to] {
		return *kept
	}
	join := 0
	if p.shapes[to].Size() > p.shapes[from].Size()-t.removed { // it takes more instances than the other leaves
		join = 1
	}
	return *kept + p.arrive[join][to]
}

// known returns where the cost is kept; for changes of depth without Arrive.
func (p *Planner) known(t *transitions, from, to int) *float64 {
	if p.depths[from] == p.depths[to] {
		return &t.same[to*(p.widest+1)+p.shapes[from].Pipelines]
	}
	return &t.depth[p.depths[to]*len(p.shapes)+from]
}

// compute asks the model for the cost that is kept.
func (p *Planner) compute(t *transitions, from, to int) float64 {
	old := p.shapes[from]
	next := p.shapes[to]
	instances := max(t.instances, old.Size())
	if old.Stages == next.Stages {
		ms, _ := p.model.ExpectSameDepth(old.Pipelines, old.Stages, instances, t.removed, next.Pipelines)
		return ms
	}
	ms, _ := p.model.ExpectDepth(old.Pipelines, old.Stages, instances, t.removed, next.Stages)
	return ms
}

// value returns the samples/s that the objective gives a shape.
func (p *Planner) value(t *transitions, to int) float64 {
	if p.Objective == Throughput || t.removed == 0 {
		return p.speeds[to]
	}
	kept := &t.liveput[to]
	if math.IsNaN(*kept) {
		s := p.shapes[to]
		*kept = p.model.Liveput(s.Pipelines, s.Stages, max(t.instances, s.Size()), t.removed)
	}
	return *kept
}

// index returns the number of a shape.
func (p *Planner) index(s Shape) int {
	if s == (Shape{}) {
		return 0
	}
	i, found := slices.BinarySearchFunc(p.shapes[1:], s, func(a, b Shape) int {
		return cmp.Or(cmp.Compare(a.Pipelines, b.Pipelines), cmp.Compare(a.Stages, b.Stages))
	})
	if !found {
		panic("parcae: a shape that the planner does not know")
	}
	return i + 1
}

// Expect returns the expected ms of a migration when n of the instances
// are preempted.
func (p *Planner) Expect(instances, removed int, from, to Shape) float64 {
	if to == (Shape{}) {
		return 0
	}
	return p.cost(p.table(instances, removed), p.index(from), p.index(to))
}

// Concurrent returns the ms of a restart without new instances.
func (p *Planner) Concurrent(s Shape) float64 { return p.restart[p.index(s)] }
