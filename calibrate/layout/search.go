package layout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

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

// wholeLayers is how many GPUs times layers of the network a set may have for all of its layouts to be compared.
const wholeLayers = 128

// manyWays is in how many ways the GPUs of a set may go to its kinds for all of its layouts to be compared.
const manyWays = 2000

// small reports whether all layouts of a set can be compared in time: few GPUs times layers, and few ways to share them out.
func (s *search) small(total int) bool {
	kinds := 0
	for i, p := range s.pools {
		for tp := 1; s.free[i] > 0 && tp <= p.Node && p.Node%tp == 0; tp *= 2 {
			kinds++
		}
	}
	ways := 1.0
	for k := 1; k < kinds; k++ {
		ways *= float64(total+k) / float64(k)
	}
	return total*s.m.Profile.Layers() <= s.whole && (ways <= manyWays || s.whole > wholeLayers)
}

// run looks at all micro-batches and numbers of replicas. In a set that is too large for all layouts, it builds greedy ones with numbers of
// replicas that use up its GPUs, and then with all that are near the best.
func (s *search) run() {
	total := 0
	for _, n := range s.free {
		total += n
	}
	if s.small(total) {
		for _, micro := range s.micros {
			for d := 1; d <= total; d++ {
				if s.choose(micro, d); len(s.kinds) > 0 {
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
	for d := max(1, s.bestD*3/4); d <= min(total, s.bestD*4/3+1); d++ {
		near = append(near, d)
	}
	at := slices.Index(s.micros, s.bestMicro)
	s.rounds(near, s.micros[max(0, at-1):min(len(s.micros), at+2)])
}

// fromMiddle is how far a micro-batch is from 4, by doublings.
func fromMiddle(micro int) float64 { return math.Abs(math.Log2(float64(micro)) - 2) }

// replicas are numbers of them: all in a set of up to 160 GPUs, else those that use up all GPUs of the set, of a type or of a pool.
func (s *search) replicas(total int) (out []int) {
	if total <= 160 {
		for d := total; d > 0; d-- {
			out = append(out, d)
		}
		return out
	}
	sets := []int{total}
	types := map[string]int{}
	for i, n := range s.free {
		types[s.pools[i].GPU] += n
		sets = append(sets, n)
	}
	for _, n := range types {
		sets = append(sets, n)
	}
	slices.Sort(sets)
	sets = slices.Compact(sets)
	for _, n := range sets {
		for _, each := range []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128} {
			if n >= each {
				out = append(out, n/each)
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
		for _, d := range replicas {
			n := (s.batch + micro*d - 1) / (micro * d)
			if n == last {
				continue
			}
			last = n
			least := (s.batch + micro*n - 1) / (micro * n)
			if s.choose(micro, least); len(s.kinds) > 0 {
				s.greedy()
			}
		}
	}
}

// choose makes the kinds of a micro-batch, and sets the replicas of stages.
func (s *search) choose(micro, d int) {
	s.d, s.n = d, (s.batch+micro*d-1)/(micro*d)
	if s.micro == micro {
		return
	}
	s.micro, s.kinds = micro, nil
	for i, p := range s.pools {
		for id, tp := 0, 1; tp <= p.Node && p.Node%tp == 0 && id < maxKinds; id, tp = id+1, 2*tp {
			sums := s.sumsOf(Point{p.GPU, micro, tp})
			if sums.compute == nil || p.Nodes == 0 {
				continue
			}
			k := *sums
			k.pool, k.id = i, i*maxKinds+id
			k.place, k.limit = Place{p.GPU, p.Zone, p.Node, tp}, GPUMemory(p.GPU)
			s.kinds = append(s.kinds, k)
		}
	}
	s.measure()
	s.group()
}
