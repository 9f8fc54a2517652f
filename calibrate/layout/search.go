package layout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Best returns the best layout of a batch on some or all nodes of the pools, out of those that fit into memory.
// Tensor parallelism is a profiled power of two that divides a node; a stage has the same number of replicas as all
// others, on any of the pools. Layouts whose GPUs, micro-batches or links were not profiled are left out; if none is
// left, the error says why, and wraps ErrNoLayout where it is for want of GPUs, memory, money or time.
func (m *Model) Best(pools []Pool, batch int, want Want) (Plan, error) {
	tried, err := newSearch(m, pools, batch, want)
	if err != nil {
		return Plan{}, err
	}
	tried.run()
	if tried.best == nil {
		return Plan{}, tried.none()
	}
	return tried.plan()
}

// newSearch makes the tables of a search.
func newSearch(m *Model, pools []Pool, batch int, want Want) (*search, error) {
	made := &search{
		m:       m,
		pools:   pools,
		batch:   batch,
		want:    want,
		sums:    map[Point]*kind{},
		counted: make([]bool, len(pools)),
		whole:   wholeLayers,
		value:   math.Inf(1),
	}
	var micros []int
	known := m.Profile.GPUs()
	for i, pool := range pools {
		if pool.Node < 1 || pool.Nodes < 0 || batch < 1 {
			return nil, fmt.Errorf("pool %d has %d nodes of %d GPUs and the batch is %d, "+
				"expected 1 GPU and 1 sample or more", i, pool.Nodes, pool.Node, batch)
		}
		if !slices.Contains(known, pool.GPU) {
			_, err := m.Profile.Times(Point{pool.GPU, 1, 1})
			return nil, err
		}
		for _, at := range m.Profile.Points(pool.GPU) {
			if at.Micro <= batch {
				micros = append(micros, at.Micro)
			}
		}
		made.free = append(made.free, pool.Node*pool.Nodes)
	}
	made.bytes = []float64{0}
	for layer, size := range m.Profile.sizes[1] {
		made.bytes = append(made.bytes, made.bytes[layer]+4*size.Params)
	}
	for _, from := range pools {
		for _, to := range pools {
			usd, err := m.Links.Egress(from.Zone, to.Zone)
			if err != nil {
				usd = -1
			}
			made.prices = append(made.prices, usd)
		}
	}
	slices.Sort(micros)
	made.micros = slices.Compact(micros)
	return made, nil
}

// none says why there is no layout.
func (s *search) none() error {
	var have []string
	for _, pool := range s.pools {
		have = append(have, fmt.Sprintf("%d x %d %s in %s", pool.Nodes, pool.Node, pool.GPU, pool.Zone))
	}
	why := "memory"
	if s.fits {
		why = "the bounds of money and time"
	}
	return fmt.Errorf("%w: %s with a batch of %d on %s, by %s",
		ErrNoLayout, s.m.Profile.Network, s.batch, strings.Join(have, ", "), why)
}

// plan returns the best layout with what the model says of it.
func (s *search) plan() (Plan, error) {
	out := Plan{Layout: Layout{Micro: s.bestMicro, Batch: s.batch}, Whole: !s.cut}
	used := make([]int, len(s.pools))
	s.choose(s.bestMicro, s.bestD)
	for _, part := range s.best {
		var stage Stage
		for layer := part.from; layer < part.to; layer++ {
			stage.Layers = append(stage.Layers, layer)
		}
		for _, replicas := range part.counts {
			for range replicas.n {
				stage.Replicas = append(stage.Replicas, s.kinds[replicas.kind].place)
			}
			used[s.kinds[replicas.kind].pool] += replicas.n * s.kinds[replicas.kind].place.TP
		}
		out.Stages = append(out.Stages, stage)
	}
	var err error
	if out.Cost, err = s.m.Cost(&out.Layout); err != nil {
		return out, err
	}
	perHour := 0.0
	for i, pool := range s.pools {
		nodes := (used[i] + pool.Node - 1) / pool.Node
		out.Nodes = append(out.Nodes, nodes)
		perHour += float64(nodes) * pool.USDPerHour
	}
	out.USD = perHour*out.Step/3600 + out.Egress
	return out, nil
}

// wholeLayers is how many GPUs times layers of the network a set may have for all of its layouts to be compared.
const wholeLayers = 128

// manyWays is in how many ways the GPUs of a set may go to its kinds for all of its layouts to be compared.
const manyWays = 2000

// small reports whether all layouts of a set can be compared in time: few GPUs times layers, and few ways to share
// them out.
func (s *search) small(total int) bool {
	kinds := 0
	for i, pool := range s.pools {
		for tp := 1; s.free[i] > 0 && tp <= pool.Node && pool.Node%tp == 0; tp *= 2 {
			kinds++
		}
	}
	ways := 1.0
	for kind := 1; kind < kinds; kind++ {
		ways *= float64(total+kind) / float64(kind)
	}
	return total*s.m.Profile.Layers() <= s.whole && (ways <= manyWays || s.whole > wholeLayers)
}

// run looks at all micro-batches and numbers of replicas. In a set that is too large for all layouts, it builds
// greedy ones with numbers of replicas that use up its GPUs, and then with all that are near the best.
func (s *search) run() {
	total := 0
	for _, gpus := range s.free {
		total += gpus
	}
	if s.small(total) {
		for _, micro := range s.micros {
			for replicas := 1; replicas <= total; replicas++ {
				s.choose(micro, replicas)
				if len(s.kinds) > 0 {
					s.extend(s.m.Profile.Layers())
				}
			}
		}
		return
	}
	s.cut = true
	micros := slices.Clone(s.micros) // of a middle size first: the first layouts should be good ones
	slices.SortStableFunc(micros, func(a, b int) int { return cmp.Compare(fromMiddle(a), fromMiddle(b)) })
	s.rounds(s.replicas(total), micros)
	if s.best == nil {
		return
	}
	var near []int
	for replicas := max(1, s.bestD*3/4); replicas <= min(total, s.bestD*4/3+1); replicas++ {
		near = append(near, replicas)
	}
	at := slices.Index(s.micros, s.bestMicro)
	s.rounds(near, s.micros[max(0, at-1):min(len(s.micros), at+2)])
}

// fromMiddle is how far a micro-batch is from 4, by doublings.
func fromMiddle(micro int) float64 { return math.Abs(math.Log2(float64(micro)) - 2) }

// replicas are numbers of them: all in a set of up to 160 GPUs, else those that use up all GPUs of the set, of a type
// or of a pool.
func (s *search) replicas(total int) (out []int) {
	if total <= 160 {
		for count := total; count > 0; count-- {
			out = append(out, count)
		}
		return out
	}
	sets := []int{total}
	types := map[string]int{}
	for i, gpus := range s.free {
		types[s.pools[i].GPU] += gpus
		sets = append(sets, gpus)
	}
	for _, gpus := range types {
		sets = append(sets, gpus)
	}
	slices.Sort(sets)
	sets = slices.Compact(sets)
	for _, gpus := range sets {
		for _, each := range []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128} {
			if gpus >= each {
				out = append(out, gpus/each)
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	slices.Reverse(out)
	return out
}

// rounds builds greedy layouts with numbers of replicas, or as few less as leave the number of micro-batches.
func (s *search) rounds(replicas, micros []int) {
	for _, micro := range micros {
		last := 0
		for _, asked := range replicas {
			microBatches := (s.batch + micro*asked - 1) / (micro * asked)
			if microBatches == last {
				continue
			}
			last = microBatches
			least := (s.batch + micro*microBatches - 1) / (micro * microBatches)
			s.choose(micro, least)
			if len(s.kinds) > 0 {
				s.greedy()
			}
		}
	}
}

// choose makes the kinds of a micro-batch, and sets the replicas of stages.
func (s *search) choose(micro, d int) {
	s.d = d
	s.n = (s.batch + micro*d - 1) / (micro * d)
	if s.micro == micro {
		return
	}
	s.micro = micro
	s.kinds = nil
	for i, pool := range s.pools {
		for id := range maxKinds {
			tp := 1 << id
			if tp > pool.Node || pool.Node%tp != 0 {
				break
			}
			sums := s.sumsOf(Point{pool.GPU, micro, tp})
			if sums.compute == nil || pool.Nodes == 0 {
				continue
			}
			one := *sums
			one.pool = i
			one.id = i*maxKinds + id
			one.place = Place{pool.GPU, pool.Zone, pool.Node, tp}
			one.limit = GPUMemory(pool.GPU)
			s.kinds = append(s.kinds, one)
		}
	}
	s.measure()
	s.group()
}
