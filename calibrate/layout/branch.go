package layout

import (
	"cmp"
	"math"
	"slices"
)

// search looks for the best layout by branch and bound: stages are added from the last to the first, and a part is left where what it
// already costs, and the work that is left on the GPUs that are left, is no better than the best whole layout.
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
		l.bytes, l.takes = bytes, l.curve.Seconds(bytes)
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

// sumsOf returns the sums over layers of what was measured at a point; without any where nothing was.
func (s *search) sumsOf(at Point) *kind {
	if k, known := s.sums[at]; known {
		return k
	}
	k := &kind{}
	times, measured := s.m.Profile.times[at]
	if sizes, sized := s.m.Profile.sizes[at.TP]; measured && sized {
		k.compute, k.params, k.kept = []float64{0}, []float64{0}, []float64{0}
		for l, t := range times {
			k.compute = append(k.compute, k.compute[l]+t.Forward+t.Backward)
			k.params = append(k.params, k.params[l]+4*sizes[l].Params)
			k.kept = append(k.kept, k.kept[l]+4*sizes[l].Activations*float64(at.Micro))
			k.update = append(k.update, t.Update)
		}
	}
	s.sums[at] = k
	return k
}

// link returns the link from one kind to another, nil if it was not measured.
func (s *search) link(from, to int) *link {
	a, b := &s.kinds[from], &s.kinds[to]
	if s.links == nil {
		s.links = make([]link, maxKinds*len(s.pools)*maxKinds*len(s.pools))
	}
	l := &s.links[a.id*maxKinds*len(s.pools)+b.id]
	if l.state == 0 {
		var known bool
		if l.curve, known = s.m.Links.known(a.place, b.place); known {
			l.state = 1
		} else {
			l.state = 2
		}
	}
	if l.state == 2 {
		return nil
	}
	return l
}

// extend adds a stage that ends before layer to, in every way, to the parts so far.
func (s *search) extend(to int) {
	if to == 0 {
		s.compare()
		return
	}
	for from := to - 1; from >= 0; from-- {
		s.eachChoice(func(counts []count) {
			p, ok := s.add(stage{from, to, counts})
			if !ok || !s.ring(&p) {
				return
			}
			s.push(p)
			if s.bound(&p) < s.value {
				s.parts[len(s.parts)-1].counts = slices.Clone(counts)
				s.extend(from)
			}
			s.pop()
		})
	}
}

// push takes the GPUs of a part; pop gives those of the last one back.
func (s *search) push(p part) {
	for _, c := range p.counts {
		s.free[s.kinds[c.kind].pool] -= c.n * s.kinds[c.kind].place.TP
	}
	s.parts = append(s.parts, p)
}

func (s *search) pop() {
	for _, c := range s.parts[len(s.parts)-1].counts {
		s.free[s.kinds[c.kind].pool] += c.n * s.kinds[c.kind].place.TP
	}
	s.parts = s.parts[:len(s.parts)-1]
}

// add returns the parts so far with one more stage, without its ring; false where it does not fit, or was not measured.
func (s *search) add(st stage) (p part, ok bool) {
	p.stage = st
	compute := 0.0
	held := float64(min(s.n, len(s.parts)+1))
	for i, c := range st.counts {
		if i > 0 && s.kinds[c.kind].group == s.kinds[st.counts[i-1].kind].group {
			continue // the same in another pool
		}
		k := &s.kinds[c.kind]
		bytes := s.m.Runtime.Bytes(k.place.TP, k.params[st.to]-k.params[st.from], held*(k.kept[st.to]-k.kept[st.from]))
		if bytes > k.limit {
			return p, false
		}
		compute = max(compute, k.compute[st.to]-k.compute[st.from])
		p.update = max(p.update, k.update[st.from])
	}
	r := &s.m.Runtime
	if len(s.parts) == 0 {
		p.pending = r.Compute * compute
		p.through = p.pending
		return p, true
	}
	next := &s.parts[len(s.parts)-1]
	transfer, egress, ok := s.between(st.counts, next.counts, 4*s.m.Profile.sizes[1][st.to-1].Output*float64(s.micro))
	if !ok {
		return p, false
	}
	p.pending = r.Compute*compute + r.Exposed*transfer
	p.pace = max(next.pace, next.pending+r.Exposed*transfer)
	p.through = next.through + r.Compute*compute + r.Exposed*transfer
	p.sync, p.update, p.egress = next.sync, max(p.update, next.update), next.egress+egress
	return p, true
}

// egress returns the price of a GB between the zones of two kinds; false where there is none.
func (s *search) egress(from, to int) (float64, bool) {
	usd := s.prices[s.kinds[from].pool*len(s.pools)+s.kinds[to].pool]
	return usd, usd >= 0
}

// ring adds the all-reduce of a part's first stage, and the price of its traffic; false where a link was not measured.
func (s *search) ring(p *part) bool {
	bytes := s.bytes[p.to] - s.bytes[p.from]
	for i, c := range p.counts {
		next := p.counts[(i+1)%len(p.counts)]
		for _, other := range []struct {
			kind int
			is   bool
		}{{c.kind, c.n > 1}, {next.kind, i+1 < len(p.counts)}} {
			if !other.is {
				continue
			}
			link := s.link(c.kind, other.kind)
			if link == nil {
				return false
			}
			p.sync = max(p.sync, s.m.Runtime.Sync*link.curve.AllReduce(bytes, s.d))
		}
		price, priced := s.egress(c.kind, next.kind)
		if !priced {
			return false
		}
		p.egress += price * 2 * float64(s.d-1) / float64(s.d) * bytes / 1e9
	}
	return true
}

// between returns the longest transfer from the replicas of a stage to those of the next, one way, and the price of a step's traffic.
func (s *search) between(from, to []count, bytes float64) (seconds, usd float64, ok bool) {
	i, j, left, right := 0, 0, from[0].n, to[0].n
	for {
		link := s.link(from[i].kind, to[j].kind)
		if link == nil {
			return 0, 0, false
		}
		n := min(left, right)
		seconds = max(seconds, link.seconds(bytes))
		there, priced := s.egress(from[i].kind, to[j].kind)
		back, priced2 := s.egress(to[j].kind, from[i].kind)
		if !priced || !priced2 {
			return 0, 0, false
		}
		usd += (there + back) * bytes * float64(s.n*n) / 1e9
		if left -= n; left == 0 {
			if i++; i < len(from) {
				left = from[i].n
			}
		}
		if right -= n; right == 0 {
			if j++; j < len(to) {
				right = to[j].n
			}
		}
		if i == len(from) || j == len(to) {
			return seconds, usd, true
		}
	}
}

// compare compares a whole layout with the best.
func (s *search) compare() {
	s.fits = true
	p := &s.parts[len(s.parts)-1]
	if value := s.priced(s.time(p, 0, 0), p.egress); value < s.value {
		s.value, s.bestMicro, s.bestD = value, s.micro, s.d
		s.best = nil
		for i := len(s.parts) - 1; i >= 0; i-- {
			st := s.parts[i].stage
			st.counts = slices.Clone(st.counts)
			s.best = append(s.best, st)
		}
	}
}

// time is that of a step, with at least a pace of the stages, and so long through those that are not there yet.
func (s *search) time(p *part, pace, through float64) float64 {
	return float64(s.n-1)*max(p.pace, p.pending, pace) + p.through + through + p.sync + p.update
}

// priced is what a search makes least: time or money; infinite beyond a bound.
func (s *search) priced(step, egress float64) float64 {
	perHour := 0.0
	for i, p := range s.pools {
		used := p.Node*p.Nodes - s.free[i]
		perHour += float64((used+p.Node-1)/p.Node) * p.USDPerHour
	}
	usd := perHour*step/3600 + egress
	if s.want.MaxUSD > 0 && usd > s.want.MaxUSD || s.want.MaxStep > 0 && step > s.want.MaxStep {
		return math.Inf(1)
	}
	if s.want.Goal == Cheapest {
		return usd
	}
	return step
}

// bound is a value that no layout with this part is below: the layers that are left go at best at the pace at which all GPUs that are
// left, each on the layers at which it is relatively fastest, do their work.
func (s *search) bound(p *part) float64 {
	if p.from == 0 {
		return s.priced(s.time(p, 0, 0), p.egress)
	}
	power := 0.0 // work a second
	for pool, free := range s.free {
		if ratio := s.ratios[pool][p.from]; free > 0 && ratio > 0 {
			power += float64(free) / float64(s.d) / ratio
		}
	}
	if power == 0 {
		return math.Inf(1)
	}
	r := s.m.Runtime.Compute
	return s.priced(s.time(p, r*s.work[p.from]/power, r*s.least[p.from]), p.egress)
}

// measure makes the sums that bounds need: of the layers before each, the least GPU time (work), the least time (least), and how
// much more GPU time a pool needs at the layer where that is least (ratios; 0 where it has no kind).
func (s *search) measure() {
	layers := s.m.Profile.Layers()
	s.work, s.least, s.ratios = make([]float64, layers+1), make([]float64, layers+1), make([][]float64, len(s.pools))
	for pool := range s.ratios {
		s.ratios[pool] = make([]float64, layers+1)
	}
	s.slowest, s.cheapest, s.dollars = 0, math.Inf(1), 0
	for i := range s.kinds {
		k := &s.kinds[i]
		s.slowest = max(s.slowest, k.compute[layers])
		s.cheapest = min(s.cheapest, s.pools[k.pool].USDPerHour/float64(k.place.Node))
	}
	for l := range layers {
		work, least, usd := math.Inf(1), math.Inf(1), math.Inf(1)
		mine := make([]float64, len(s.pools))
		for i := range s.kinds {
			k := &s.kinds[i]
			t := k.compute[l+1] - k.compute[l]
			gpu := t * float64(k.place.TP)
			work, least, usd = min(work, gpu), min(least, t), min(usd, gpu*s.pools[k.pool].USDPerHour/float64(k.place.Node)/3600)
			if mine[k.pool] == 0 || gpu < mine[k.pool] {
				mine[k.pool] = gpu
			}
		}
		s.work[l+1], s.least[l+1] = s.work[l]+work, s.least[l]+least
		s.dollars += usd
		for pool, gpu := range mine {
			ratio := 1.0
			if work > 0 {
				ratio = gpu / work
			}
			if before := s.ratios[pool][l]; l > 0 {
				ratio = min(ratio, before)
			}
			s.ratios[pool][l+1] = ratio
		}
	}
}
