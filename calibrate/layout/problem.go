package layout

import (
	"errors"
	"fmt"
)

// Pool is a number of equal nodes in one zone.
type Pool struct {
	GPU        string
	Zone       string
	Node       int     // GPUs of a node
	Nodes      int     // how many there are
	USDPerHour float64 // of a node
}

// Goal is what a search makes best.
type Goal int

// The goals.
const (
	Fastest  Goal = iota // least time of a step
	Cheapest             // least USD of a step
)

// Want says which layout is best.
type Want struct {
	Goal    Goal
	MaxUSD  float64 // of a step; 0: any
	MaxStep float64 // s; 0: any
}

// Plan is a layout that was found.
type Plan struct {
	Layout
	Cost
	USD   float64 // of a step: the nodes that it uses, and traffic
	Nodes []int   // used of each pool
	// Whole is set where all layouts were compared or excluded.
	// Else the set was too large for that, and a better one may exist.
	Whole bool
}

// String says what a plan is: its stages with their layers and replicas, its micro-batch, and what a step takes.
func (p *Plan) String() string {
	text := fmt.Sprintf("%s, %.4g s a step, %.3g GB of a GPU", p.Layout.String(), p.Step, p.Memory/1e9)
	if p.Egress > 0 {
		text += fmt.Sprintf(", traffic %.3g USD a step", p.Egress)
	}
	return text
}

// ErrNoLayout says that no layout of a set fits.
var ErrNoLayout = errors.New("no layout fits")

// search looks for the best layout by branch and bound: stages are added from the last to the first, and a part is left
// where what it already costs, and the work that is left on the GPUs that are left, is no better than the best whole
// layout.
type search struct {
	m      *Model
	pools  []Pool
	batch  int
	want   Want
	free   []int // GPUs of each pool that no stage has
	micros []int
	bytes  []float64 // of the parameters of the layers before each
	sums   map[Point]*kind
	prices []float64 // USD/GB from pool to pool; -1: unknown

	kinds  []kind
	links  []link      // between pools and tensor parallelisms
	work   []float64   // see measure
	least  []float64   //
	ratios [][]float64 //
	groups [][]int     // kinds of one GPU type and tensor parallelism, in the order of pools
	micro  int
	d      int // replicas of a stage
	n      int // micro-batches of a pipeline

	parts []part // stages so far, the last one first
	whole int    // wholeLayers
	cut   bool   // choices were left out
	fits  bool   // a layout fitted into memory

	best      []stage // the first stage first
	bestMicro int
	bestD     int
	value     float64 // of the best
	counts    []count // scratch of nextStage
	kept      []count // scratch of nextStage
	chosen    []count // of the stages of the layout that build makes
	slowest   float64 // s of all layers on the slowest kind
	cheapest  float64 // USD/h of a GPU
	dollars   float64 // USD that the work of a micro-batch costs, each layer on the kind where it is cheapest
	counted   []bool  // scratch of fastest
	builds    int     // greedy layouts that were begun
	built     float64 // pace of the layout that build made last
}

// kind is a pool with a tensor parallelism, with sums over layers from the first.
type kind struct {
	pool    int
	group   int // of its type and tensor parallelism
	place   Place
	limit   float64   // bytes of memory
	compute []float64 // s of forward and backward of the layers before i
	params  []float64 // bytes
	kept    []float64 // bytes of activations of a micro-batch
	update  []float64 // s by layer
	id      int       // by pool and tensor parallelism
}

// maxKinds bounds the tensor parallelisms of a pool: 1, 2, 4 and so on to 64.
const maxKinds = 7

// link is that between two kinds, as far as it was looked up.
type link struct {
	state uint8 // 0: not looked up, 1: measured, 2: not measured
	curve Curve
	bytes float64 // of the last transfer, and what it takes: most layers send as much
	takes float64
}

// seconds is Curve.Seconds.
func (l *link) seconds(bytes float64) float64 {
	if bytes != l.bytes {
		l.bytes = bytes
		l.takes = l.curve.Seconds(bytes)
	}
	return l.takes
}

// count is n replicas on a kind.
type count struct{ kind, n int }

// stage is a stage of a layout in a search.
type stage struct {
	from, to int // layers
	counts   []count
}

// part is a layout from some stage to the last.
type part struct {
	stage
	pending float64 // s of the first stage, without its transfers to the one before
	pace    float64 // s of the slowest of the others
	through float64 // s of a micro-batch through all
	sync    float64
	update  float64
	egress  float64
}
