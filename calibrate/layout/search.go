package layout

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
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
	// Whole is set where all layouts were compared or excluded. Else the set was too large for that, and a better one may exist.
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

// Best returns the best layout of a batch on some or all nodes of the pools, out of those that fit into memory. Tensor parallelism is a
// profiled power of two that divides a node; a stage has the same number of replicas as all others, on any of the pools. Layouts
// whose GPUs, micro-batches or links were not profiled are left out; if none is left, the error says why, and wraps ErrNoLayout where
// it is for want of GPUs, memory, money or time.
func (m *Model) Best(pools []Pool, batch int, want Want) (Plan, error) {
	s, err := newSearch(m, pools, batch, want)
	if err != nil {
		return Plan{}, err
	}
	s.run()
	if s.best == nil {
		return Plan{}, s.none()
	}
	return s.plan()
}

// newSearch makes the tables of a search.
func newSearch(m *Model, pools []Pool, batch int, want Want) (*search, error) {
	s := &search{m: m, pools: pools, batch: batch, want: want, sums: map[Point]*kind{}, counted: make([]bool, len(pools)), whole: wholeLayers, value: math.Inf(1)}
	var micros []int
	known := m.Profile.GPUs()
	for i, p := range pools {
		if p.Node < 1 || p.Nodes < 0 || batch < 1 {
			return nil, fmt.Errorf("pool %d has %d nodes of %d GPUs and the batch is %d, expected 1 GPU and 1 sample or more", i, p.Nodes, p.Node, batch)
		}
		if !slices.Contains(known, p.GPU) {
			_, err := m.Profile.Times(Point{p.GPU, 1, 1})
			return nil, err
		}
		for _, at := range m.Profile.Points(p.GPU) {
			if at.Micro <= batch {
				micros = append(micros, at.Micro)
			}
		}
		s.free = append(s.free, p.Node*p.Nodes)
	}
	s.bytes = []float64{0}
	for l, size := range m.Profile.sizes[1] {
		s.bytes = append(s.bytes, s.bytes[l]+4*size.Params)
	}
	for _, from := range pools {
		for _, to := range pools {
			usd, err := m.Links.Egress(from.Zone, to.Zone)
			if err != nil {
				usd = -1
			}
			s.prices = append(s.prices, usd)
		}
	}
	slices.Sort(micros)
	s.micros = slices.Compact(micros)
	return s, nil
}

// none says why there is no layout.
func (s *search) none() error {
	var have []string
	for _, p := range s.pools {
		have = append(have, fmt.Sprintf("%d x %d %s in %s", p.Nodes, p.Node, p.GPU, p.Zone))
	}
	why := "memory"
	if s.fits {
		why = "the bounds of money and time"
	}
	return fmt.Errorf("%w: %s with a batch of %d on %s, by %s", ErrNoLayout, s.m.Profile.Network, s.batch, strings.Join(have, ", "), why)
}

// plan returns the best layout with what the model says of it.
func (s *search) plan() (Plan, error) {
	out := Plan{Layout: Layout{Micro: s.bestMicro, Batch: s.batch}, Whole: !s.cut}
	used := make([]int, len(s.pools))
	s.choose(s.bestMicro, s.bestD)
	for _, st := range s.best {
		var stage Stage
		for layer := st.from; layer < st.to; layer++ {
			stage.Layers = append(stage.Layers, layer)
		}
		for _, c := range st.counts {
			for range c.n {
				stage.Replicas = append(stage.Replicas, s.kinds[c.kind].place)
			}
			used[s.kinds[c.kind].pool] += c.n * s.kinds[c.kind].place.TP
		}
		out.Stages = append(out.Stages, stage)
	}
	var err error
	if out.Cost, err = s.m.Cost(&out.Layout); err != nil {
		return out, err
	}
	perHour := 0.0
	for i, p := range s.pools {
		n := (used[i] + p.Node - 1) / p.Node
		out.Nodes = append(out.Nodes, n)
		perHour += float64(n) * p.USDPerHour
	}
	out.USD = perHour*out.Step/3600 + out.Egress
	return out, nil
}
