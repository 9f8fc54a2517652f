package layout

import (
	"math"
	"slices"
)

// sumsOf returns the sums over layers of what was measured at a point; without any where nothing was.
func (s *search) sumsOf(at Point) *kind {
	if sums, known := s.sums[at]; known {
		return sums
	}
	sums := &kind{}
	times, measured := s.m.Profile.times[at]
	sizes, sized := s.m.Profile.sizes[at.TP]
	if measured && sized {
		sums.compute = []float64{0}
		sums.params = []float64{0}
		sums.kept = []float64{0}
		for layer, time := range times {
			sums.compute = append(sums.compute, sums.compute[layer]+time.Forward+time.Backward)
			sums.params = append(sums.params, sums.params[layer]+4*sizes[layer].Params)
			sums.kept = append(sums.kept, sums.kept[layer]+4*sizes[layer].Activations*float64(at.Micro))
			sums.update = append(sums.update, time.Update)
		}
	}
	s.sums[at] = sums
	return sums
}

// link returns the link from one kind to another, nil if it was not measured.
func (s *search) link(from, to int) *link {
	sender := &s.kinds[from]
	receiver := &s.kinds[to]
	if s.links == nil {
		s.links = make([]link, maxKinds*len(s.pools)*maxKinds*len(s.pools))
	}
	there := &s.links[sender.id*maxKinds*len(s.pools)+receiver.id]
	if there.state == 0 {
		var known bool
		if there.curve, known = s.m.Links.known(sender.place, receiver.place); known {
			there.state = 1
		} else {
			there.state = 2
		}
	}
	if there.state == 2 {
		return nil
	}
	return there
}

// extend adds a stage that ends before layer to, in every way, to the parts so far.
func (s *search) extend(to int) {
	if to == 0 {
		s.compare()
		return
	}
	for from := to - 1; from >= 0; from-- {
		s.eachChoice(func(counts []count) {
			part, ok := s.add(stage{from, to, counts})
			if !ok || !s.ring(&part) {
				return
			}
			s.push(part)
			if s.bound(&part) < s.value {
				s.parts[len(s.parts)-1].counts = slices.Clone(counts)
				s.extend(from)
			}
			s.pop()
		})
	}
}

// push takes the GPUs of a part; pop gives those of the last one back.
func (s *search) push(p part) {
	for _, replicas := range p.counts {
		s.free[s.kinds[replicas.kind].pool] -= replicas.n * s.kinds[replicas.kind].place.TP
	}
	s.parts = append(s.parts, p)
}

func (s *search) pop() {
	for _, replicas := range s.parts[len(s.parts)-1].counts {
		s.free[s.kinds[replicas.kind].pool] += replicas.n * s.kinds[replicas.kind].place.TP
	}
	s.parts = s.parts[:len(s.parts)-1]
}

// add returns the parts so far with one more stage, without its ring; false where it does not fit, or was not measured.
func (s *search) add(st stage) (p part, ok bool) {
	p.stage = st
	compute := 0.0
	held := float64(min(s.n, len(s.parts)+1))
	for i, replicas := range st.counts {
		if i > 0 && s.kinds[replicas.kind].group == s.kinds[st.counts[i-1].kind].group {
			continue // the same in another pool
		}
		kind := &s.kinds[replicas.kind]
		bytes := s.m.Runtime.Bytes(kind.place.TP, kind.params[st.to]-kind.params[st.from],
			held*(kind.kept[st.to]-kind.kept[st.from]))
		if bytes > kind.limit {
			return p, false
		}
		compute = max(compute, kind.compute[st.to]-kind.compute[st.from])
		update := kind.update[st.from] + 1e-12*s.m.Runtime.UpdatePS*(kind.params[st.to]-kind.params[st.from])/4
		p.update = max(p.update, update)
	}
	runtime := &s.m.Runtime
	alone := runtime.alone(compute)
	if len(s.parts) == 0 {
		p.pending = alone
		p.through = p.pending
		return p, true
	}
	next := &s.parts[len(s.parts)-1]
	transfer, egress, ok := s.between(st.counts, next.counts, 4*s.m.Profile.sizes[1][st.to-1].Output*float64(s.micro))
	if !ok {
		return p, false
	}
	p.pending = alone + runtime.Exposed*transfer
	p.pace = max(next.pace, next.pending+runtime.Exposed*transfer)
	p.through = next.through + alone + runtime.Exposed*transfer
	p.sync = next.sync
	p.update = max(p.update, next.update)
	p.egress = next.egress + egress
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
	for i, replicas := range p.counts {
		next := p.counts[(i+1)%len(p.counts)]
		for _, other := range []struct {
			kind int
			is   bool
		}{{replicas.kind, replicas.n > 1}, {next.kind, i+1 < len(p.counts)}} {
			if !other.is {
				continue
			}
			if place := s.kinds[replicas.kind].place; len(p.counts) == 1 {
				if curve, known := s.m.Links.within(place, place.TP*replicas.n); known {
					p.sync = max(p.sync, s.m.Runtime.Sync*curve.AllReduce(bytes/float64(place.TP), s.d))
					continue
				}
			}
			link := s.link(replicas.kind, other.kind)
			if link == nil {
				return false
			}
			p.sync = max(p.sync, s.m.Runtime.Sync*link.curve.AllReduce(bytes, s.d))
		}
		price, priced := s.egress(replicas.kind, next.kind)
		if !priced {
			return false
		}
		p.egress += price * 2 * float64(s.d-1) / float64(s.d) * bytes / 1e9
	}
	return true
}

// between returns the longest transfer from the replicas of a stage to those of the next, one way, and the price of a
// step's traffic.
func (s *search) between(from, to []count, bytes float64) (seconds, usd float64, ok bool) {
	within, inside := s.withinNode(from, to)
	i := 0
	j := 0
	left := from[0].n // replicas of the i-th kind that have no partner yet
	right := to[0].n
	for {
		pairs := min(left, right)
		if inside {
			seconds = within.Seconds(bytes)
		} else {
			link := s.link(from[i].kind, to[j].kind)
			if link == nil {
				return 0, 0, false
			}
			seconds = max(seconds, link.seconds(bytes))
		}
		there, priced := s.egress(from[i].kind, to[j].kind)
		back, pricedBack := s.egress(to[j].kind, from[i].kind)
		if !priced || !pricedBack {
			return 0, 0, false
		}
		usd += (there + back) * bytes * float64(s.n*pairs) / 1e9
		left -= pairs
		right -= pairs
		if left == 0 {
			i++
			if i == len(from) {
				return seconds, usd, true
			}
			left = from[i].n
		}
		if right == 0 {
			j++
			if j == len(to) {
				return seconds, usd, true
			}
			right = to[j].n
		}
	}
}

// withinNode returns the bandwidth inside a node where two stages fit into one.
func (s *search) withinNode(from, to []count) (Curve, bool) {
	if len(from) > 1 || len(to) > 1 || s.kinds[from[0].kind].place != s.kinds[to[0].kind].place {
		return Curve{}, false
	}
	place := s.kinds[from[0].kind].place
	return s.m.Links.within(place, place.TP*(from[0].n+to[0].n))
}

// compare compares a whole layout with the best.
func (s *search) compare() {
	s.fits = true
	whole := &s.parts[len(s.parts)-1]
	value := s.priced(s.time(whole, 0, 0), whole.egress)
	if !(value < s.value) {
		return
	}
	s.value = value
	s.bestMicro = s.micro
	s.bestD = s.d
	s.best = nil
	for i := len(s.parts) - 1; i >= 0; i-- {
		part := s.parts[i].stage
		part.counts = slices.Clone(part.counts)
		s.best = append(s.best, part)
	}
}

// time is that of a step, with at least a pace of the stages, and so long through those that are not there yet.
func (s *search) time(p *part, pace, through float64) float64 {
	return float64(s.n-1)*max(p.pace, p.pending, pace) + p.through + through + p.sync + p.update
}

// priced is what a search makes least: time or money; infinite beyond a bound.
func (s *search) priced(step, egress float64) float64 {
	perHour := 0.0
	for i, pool := range s.pools {
		used := pool.Node*pool.Nodes - s.free[i]
		perHour += float64((used+pool.Node-1)/pool.Node) * pool.USDPerHour
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

// bound is a value that no layout with this part is below: the layers that are left go at best at the pace at which
// all GPUs that are left, each on the layers at which it is relatively fastest, do their work.
func (s *search) bound(p *part) float64 {
	if p.from == 0 {
		return s.priced(s.time(p, 0, 0), p.egress)
	}
	power := 0.0 // work a second
	for pool, free := range s.free {
		ratio := s.ratios[pool][p.from]
		if free > 0 && ratio > 0 {
			power += float64(free) / float64(s.d) / ratio
		}
	}
	if power == 0 {
		return math.Inf(1)
	}
	compute := s.m.Runtime.Compute
	return s.priced(s.time(p, compute*s.work[p.from]/power, compute*s.least[p.from]), p.egress)
}

// measure makes the sums that bounds need: of the layers before each, the least GPU time (work), the least time
// (least), and how much more GPU time a pool needs at the layer where that is least (ratios; 0 where it has no kind).
func (s *search) measure() {
	layers := s.m.Profile.Layers()
	s.work = make([]float64, layers+1)
	s.least = make([]float64, layers+1)
	s.ratios = make([][]float64, len(s.pools))
	for pool := range s.ratios {
		s.ratios[pool] = make([]float64, layers+1)
	}
	s.slowest = 0
	s.cheapest = math.Inf(1)
	s.dollars = 0
	for i := range s.kinds {
		kind := &s.kinds[i]
		s.slowest = max(s.slowest, kind.compute[layers])
		s.cheapest = min(s.cheapest, s.pools[kind.pool].USDPerHour/float64(kind.place.Node))
	}
	for layer := range layers {
		work := math.Inf(1)
		least := math.Inf(1)
		usd := math.Inf(1)
		mine := make([]float64, len(s.pools)) // GPU time by pool
		for i := range s.kinds {
			kind := &s.kinds[i]
			seconds := kind.compute[layer+1] - kind.compute[layer]
			gpu := seconds * float64(kind.place.TP)
			work = min(work, gpu)
			least = min(least, seconds)
			usd = min(usd, gpu*s.pools[kind.pool].USDPerHour/float64(kind.place.Node)/3600)
			if mine[kind.pool] == 0 || gpu < mine[kind.pool] {
				mine[kind.pool] = gpu
			}
		}
		s.work[layer+1] = s.work[layer] + work
		s.least[layer+1] = s.least[layer] + least
		s.dollars += usd
		for pool, gpu := range mine {
			ratio := 1.0
			if work > 0 {
				ratio = gpu / work
			}
			if layer > 0 {
				ratio = min(ratio, s.ratios[pool][layer])
			}
			s.ratios[pool][layer+1] = ratio
		}
	}
}

// eachChoice gives every way to place the replicas of a stage on the GPUs that are free. counts is used again.
func (s *search) eachChoice(do func(counts []count)) {
	counts := make([]count, 0, len(s.kinds))
	var rec func(kind, left int)
	rec = func(kind, left int) {
		if left == 0 {
			do(counts)
			return
		}
		if kind == len(s.kinds) {
			return
		}
		k := &s.kinds[kind]
		for replicas := range min(left, s.unused(counts, k.pool)/k.place.TP) + 1 {
			if replicas == 0 {
				rec(kind+1, left)
				continue
			}
			counts = append(counts, count{kind, replicas})
			rec(kind+1, left-replicas)
			counts = counts[:len(counts)-1]
		}
	}
	rec(0, s.d)
}

// unused is how many free GPUs of a pool the replicas of a stage leave.
func (s *search) unused(counts []count, pool int) int {
	free := s.free[pool]
	for _, replicas := range counts {
		if kind := &s.kinds[replicas.kind]; kind.pool == pool {
			free -= replicas.n * kind.place.TP
		}
	}
	return free
}

// group makes the groups of kinds: of one GPU type and tensor parallelism, over pools.
func (s *search) group() {
	s.groups = nil
	for i := range s.kinds {
		same := func(g []int) bool {
			first := s.kinds[g[0]].place
			return first.GPU == s.kinds[i].place.GPU && first.TP == s.kinds[i].place.TP
		}
		if at := slices.IndexFunc(s.groups, same); at >= 0 {
			s.groups[at] = append(s.groups[at], i)
			s.kinds[i].group = at
		} else {
			s.kinds[i].group = len(s.groups)
			s.groups = append(s.groups, []int{i})
		}
	}
}

// fill places the replicas of a stage on a group, zone after zone, and what is left on another one; false where both
// are too few.
func (s *search) fill(group, other []int, counts []count) ([]count, bool) {
	counts = counts[:0]
	left := s.d
	for _, some := range [][]int{group, other} {
		for _, i := range some {
			kind := &s.kinds[i]
			replicas := min(left, s.unused(counts, kind.pool)/kind.place.TP)
			if replicas > 0 {
				counts = append(counts, count{i, replicas})
				left -= replicas
			}
		}
		if left == 0 {
			break
		}
	}
	if other != nil { // replicas are in the order of pools
		slices.SortFunc(counts, func(a, b count) int { return a.kind - b.kind })
	}
	return counts, left == 0
}
