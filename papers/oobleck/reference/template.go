package reference

import (
	"errors"
	"math"
	"math/bits"
)

// Template is a pipeline for a number of nodes, as Oobleck (SOSP 2023)
// section 4.1 plans it: layers in order, cut into stages, each stage within a
// node.
type Template struct {
	Layers []int   // by stage
	GPUs   []int   // by stage
	Time   float64 // estimated time of an iteration, in the unit of the layers' times
}

// Profile says how long layers take.
type Profile struct {
	// Layers holds the time of each layer's forward and backward pass on one GPU.
	Layers []float64
	// AllReduce returns what one layer adds to a stage on n GPUs of one
	// node, more than one.
	AllReduce func(layer, gpus int) float64
	// GPUsPerNode is the number of GPUs in a node.
	GPUsPerNode int
	// FourStages takes the paper's factor of the slowest stage, 4S - S + k - 1,
	// in place of the code's 2S + k + 1 (S stages, the k-th from 0 the slowest).
	FourStages bool
}

// ErrNoTemplate means that the layers cannot be laid out on the nodes.
var ErrNoTemplate = errors.New("oobleck: no template: fewer layers than nodes")

// PlanTemplate returns the fastest template for a number of nodes by
// dynamic programming over cuts of layers, nodes and stages: the time is that of
// the first pass through all stages, of the slowest stage for the micro-batches
// between, and of the last pass from there to the end.
func PlanTemplate(p *Profile, nodes int) (Template, error) {
	d := templatePlanner{Profile: p, memo: map[templateKey]*templatePart{}}
	best := &templatePart{total: math.Inf(1)}
	for stages := nodes; stages <= min(len(p.Layers), nodes*p.GPUsPerNode); stages++ {
		if x := d.plan(templateKey{0, len(p.Layers), nodes, p.GPUsPerNode, stages}); x != nil && x.total < best.total {
			best = x
		}
	}
	if best.stages == 0 {
		return Template{}, ErrNoTemplate
	}
	t := Template{Time: best.total}
	best.collect(&t)
	return t, nil
}

// templatePlanner is one search.
type templatePlanner struct {
	*Profile
	memo map[templateKey]*templatePart
}

// templateKey is a part of the problem: layers [from, to) on some nodes, or on
// some GPUs of one node, in n stages.
type templateKey struct{ from, to, nodes, gpus, stages int }

// templatePart is a solution: nil parts are none.
type templatePart struct {
	stages, gpus, layers int
	once                 float64 // T1: all stages once
	between              float64 // T2: the slowest stage, as often as its place asks for
	last                 float64 // T3: from the slowest stage to the end
	slowest              int     // its place
	time                 float64 // of the slowest stage
	total                float64
	left, right          *templatePart
}

func (d *templatePlanner) plan(k templateKey) *templatePart {
	if k.to-k.from < k.stages || k.stages < k.nodes || k.stages > k.nodes*k.gpus {
		return nil
	}
	if p, done := d.memo[k]; done {
		return p
	}
	var best *templatePart
	switch {
	case k.stages == 1:
		best = d.stage(k)
	case k.nodes == 1:
		if k.gpus%2 == 0 {
			best = d.cut(k, []int{0})
		}
	default:
		cuts := make([]int, k.nodes-1)
		for i := range cuts {
			cuts[i] = i + 1
		}
		best = d.cut(k, cuts)
	}
	d.memo[k] = best
	return best
}

// stage is one stage on the GPUs of one node, a power of two of them.
func (d *templatePlanner) stage(k templateKey) *templatePart {
	if k.nodes != 1 || bits.OnesCount(uint(k.gpus)) != 1 {
		return nil
	}
	t := 0.0
	for layer := k.from; layer < k.to; layer++ {
		t += d.Layers[layer] / float64(k.gpus)
		if k.gpus > 1 {
			t += d.AllReduce(layer, k.gpus)
		}
	}
	return &templatePart{stages: 1, gpus: k.gpus, layers: k.to - k.from, once: t, between: 2 * t, last: t, time: t,
		total: 4 * t}
}

// cut tries every cut of layers and stages at the cuts of nodes; 0 halves the
// GPUs of a node.
func (d *templatePlanner) cut(k templateKey, nodes []int) *templatePart {
	var best *templatePart
	for at := k.from + 1; at < k.to; at++ {
		for _, n := range nodes {
			a, b := k, k
			a.to, b.from = at, at
			if n == 0 {
				a.gpus, b.gpus = k.gpus/2, k.gpus/2
			} else {
				a.nodes, b.nodes = n, k.nodes-n
			}
			for s := 1; s < k.stages; s++ {
				a.stages, b.stages = s, k.stages-s
				left := d.plan(a)
				if left == nil {
					continue
				}
				if right := d.plan(b); right != nil {
					if x := d.join(left, right); best == nil || x.total < best.total {
						best = &x
					}
				}
			}
		}
	}
	return best
}

func (d *templatePlanner) join(left, right *templatePart) templatePart {
	x := templatePart{stages: left.stages + right.stages, once: left.once + right.once, left: left, right: right}
	if left.time > right.time {
		x.slowest, x.time, x.last = left.slowest, left.time, left.last+right.once
	} else {
		x.slowest, x.time, x.last = left.stages+right.slowest, right.time, right.last
	}
	count := 2*x.stages + x.slowest + 1
	if d.FourStages {
		count = 3*x.stages + x.slowest - 1
	}
	x.between = float64(count) * x.time
	x.total = x.once + x.between + x.last
	return x
}

func (p *templatePart) collect(t *Template) {
	if p.left == nil {
		t.Layers, t.GPUs = append(t.Layers, p.layers), append(t.GPUs, p.gpus)
		return
	}
	p.left.collect(t)
	p.right.collect(t)
}
