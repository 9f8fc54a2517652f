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
	min     []float64    // ms of MinDepth, by depth gone to, depth come from, the first none
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
	p := &Planner{Interval: interval, model: m, shapes: []Shape{{}}, tables: map[[2]int]*transitions{},
		byDepth: make([][]int32, len(depths))}
	p.widest = largest / depths[0]
	p.speeds, p.depths, p.restart = []float64{0}, []int{-1}, []float64{0}
	p.arrive = [2][]float64{{0}, {0}}
	for d := 1; d <= p.widest; d++ {
		for k, s := range depths {
			if d*s > largest {
				break
			}
			p.byDepth[k] = append(p.byDepth[k], int32(len(p.shapes)))
			p.shapes = append(p.shapes, Shape{d, s})
			p.depths = append(p.depths, k)
			p.speeds = append(p.speeds, m.Speed(d, s))
			p.restart = append(p.restart, m.RestartTime(d, s, false))
			p.arrive[0] = append(p.arrive[0], m.Arrive(d, s, false))
			p.arrive[1] = append(p.arrive[1], m.Arrive(d, s, true))
		}
	}
	for _, to := range depths {
		p.min = append(p.min, m.MinDepth(0, to))
		for _, from := range depths {
			p.min = append(p.min, m.MinDepth(from, to))
		}
	}
	p.fastest, p.joining = make([]float64, largest+1), slices.Repeat([]float64{math.Inf(1)}, largest+1)
	for i, s := range p.shapes[1:] {
		n := s.Size()
		p.fastest[n] = max(p.fastest[n], p.speeds[i+1])
		p.joining[n] = min(p.joining[n], m.RestartTime(s.Pipelines, s.Stages, true))
	}
	for n := range largest {
		p.fastest[n+1] = max(p.fastest[n+1], p.fastest[n])
		p.joining[n+1] = min(p.joining[n+1], p.joining[n])
	}
	p.now, p.next = make([]planState, len(p.shapes)), make([]planState, len(p.shapes))
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
		n := len(p.shapes)
		t = &transitions{key[0], removed, unknown(n * len(p.byDepth)), unknown(n * (p.widest + 1)), unknown(n)}
		p.tables[key] = t
	}
	return t
}

// cost returns the expected ms from one shape to another that is not none.
func (p *Planner) cost(t *transitions, from, to int) float64 {
	c := p.known(t, from, to)
	if math.IsNaN(*c) {
		p.compute(t, from, to, c)
	}
	if p.depths[from] == p.depths[to] {
		return *c
	}
	return *c + p.arrive[p.join(t, from, to)][to]
}

// known returns where the cost is kept; for changes of depth without Arrive.
func (p *Planner) known(t *transitions, from, to int) *float64 {
	if p.depths[from] == p.depths[to] {
		return &t.same[to*(p.widest+1)+p.shapes[from].Pipelines]
	}
	return &t.depth[p.depths[to]*len(p.shapes)+from]
}

func (p *Planner) compute(t *transitions, from, to int, c *float64) {
	f, g := p.shapes[from], p.shapes[to]
	if f.Stages == g.Stages {
		*c, _ = p.model.ExpectSameDepth(f.Pipelines, f.Stages, max(t.instances, f.Size()), t.removed, g.Pipelines)
		return
	}
	*c, _ = p.model.ExpectDepth(f.Pipelines, f.Stages, max(t.instances, f.Size()), t.removed, g.Stages)
}

// join returns 1 if a shape takes more instances than another leaves, else 0.
func (p *Planner) join(t *transitions, from, to int) int {
	if p.shapes[to].Size() > p.shapes[from].Size()-t.removed {
		return 1
	}
	return 0
}

// value returns the samples/s that the objective gives a shape.
func (p *Planner) value(t *transitions, to int) float64 {
	if p.Objective == Throughput || t.removed == 0 {
		return p.speeds[to]
	}
	v, s := &t.liveput[to], p.shapes[to]
	if math.IsNaN(*v) {
		*v = p.model.Liveput(s.Pipelines, s.Stages, max(t.instances, s.Size()), t.removed)
	}
	return *v
}

// index returns the number of a shape.
func (p *Planner) index(s Shape) int {
	i, found := slices.BinarySearchFunc(p.shapes[1:], s, func(a, b Shape) int {
		return cmp.Or(cmp.Compare(a.Pipelines, b.Pipelines), cmp.Compare(a.Stages, b.Stages))
	})
	switch {
	case s == Shape{}:
		return 0
	case !found:
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
