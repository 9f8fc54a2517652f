package layout

import (
	"math"
	"slices"
)

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
		for n := range min(left, s.unused(counts, k.pool)/k.place.TP) + 1 {
			if n == 0 {
				rec(kind+1, left)
				continue
			}
			counts = append(counts, count{kind, n})
			rec(kind+1, left-n)
			counts = counts[:len(counts)-1]
		}
	}
	rec(0, s.d)
}

// unused is how many free GPUs of a pool the replicas of a stage leave.
func (s *search) unused(counts []count, pool int) int {
	free := s.free[pool]
	for _, c := range counts {
		if k := &s.kinds[c.kind]; k.pool == pool {
			free -= c.n * k.place.TP
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
			s.groups[at], s.kinds[i].group = append(s.groups[at], i), at
		} else {
			s.kinds[i].group = len(s.groups)
			s.groups = append(s.groups, []int{i})
		}
	}
}

// fill places the replicas of a stage on a group, zone after zone, and what is left on another one; false where both are too few.
func (s *search) fill(group, other []int, counts []count) ([]count, bool) {
	counts = counts[:0]
	left := s.d
	for _, g := range [][]int{group, other} {
		for _, i := range g {
			k := &s.kinds[i]
			if n := min(left, s.unused(counts, k.pool)/k.place.TP); n > 0 {
				counts = append(counts, count{i, n})
				left -= n
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
