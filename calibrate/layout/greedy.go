package layout

import (
	"math"
	"sort"
)

// preference is by what a greedy layout chooses the GPUs of a stage.
type preference int

const (
	frugal  preference = iota // the most work by GPU second
	longest                   // the most layers
)

// greedy builds layouts from the last stage to the first: at a pace, each stage has as many layers as fit. Ever
// faster paces are tried, for each preference, and with each group of GPUs and each pool alone.
func (s *search) greedy() {
	for _, by := range []preference{frugal, longest} {
		s.quicken(by)
	}
	all := s.groups
	for g := range all {
		s.groups = all[g : g+1]
		s.quicken(longest)
	}
	for pool := range s.pools {
		s.groups = nil
		for i := range s.kinds {
			if s.kinds[i].pool == pool {
				s.groups = append(s.groups, []int{i})
			}
		}
		if len(s.groups) > 0 && len(s.pools) > 1 {
			s.quicken(longest)
		}
	}
	s.groups = all
}

// manyBuilds is from how many greedy layouts on a search no longer tries other paces where the slowest useful one
// fails.
const manyBuilds = 100

// quicken tries ever faster paces, and compares every layout on the way. A pace at which no layout is better than the
// best is not tried.
func (s *search) quicken(by preference) {
	if s.expensive() {
		return
	}
	low := s.fastest()
	high := s.useful()
	for high > low && !s.build(high, by) {
		if s.builds > manyBuilds {
			return
		}
		high *= 0.8 // shorter stages can fit where longer ones did not
	}
	// Where a pace fails, a faster one can succeed: the layout that it leads to is another one.
	for failed := 0; failed < 4; {
		high = min(0.96*high, s.built, s.useful())
		if high <= low || s.expensive() {
			return
		}
		if s.build(high, by) {
			failed = 0
		} else {
			failed++
		}
	}
}

// expensive reports whether no layout on the groups is within the money, or cheaper than the best where that is asked
// for: GPUs that do nothing but compute all micro-batches but one already cost as much.
func (s *search) expensive() bool {
	limit := math.Inf(1)
	if s.want.Goal == Cheapest {
		limit = s.value
	}
	if s.want.MaxUSD > 0 {
		limit = min(limit, s.want.MaxUSD)
	}
	usd := s.dollars
	if len(s.groups) == 1 {
		usd = math.Inf(1)
		for _, i := range s.groups[0] {
			kind := &s.kinds[i]
			gpu := kind.compute[len(kind.compute)-1] * float64(kind.place.TP)
			usd = min(usd, gpu*s.pools[kind.pool].USDPerHour/float64(kind.place.Node)/3600)
		}
	}
	return s.m.Runtime.Compute*usd*float64(s.d*(s.n-1)) > limit*(1+1e-9)
}

// fastest is a pace that no layout on the groups is faster than: their GPUs do nothing but compute.
func (s *search) fastest() float64 {
	layers := s.m.Profile.Layers()
	power := 0.0
	clear(s.counted)
	for _, group := range s.groups {
		for _, i := range group {
			kind := &s.kinds[i]
			if len(s.groups) == 1 {
				power += float64(s.free[kind.pool]) / (float64(kind.place.TP) * kind.compute[layers])
			} else if !s.counted[kind.pool] {
				power += float64(s.free[kind.pool]) / (s.ratios[kind.pool][layers] * s.work[layers])
				s.counted[kind.pool] = true
			}
		}
	}
	return s.m.Runtime.Compute * float64(s.d) / power
}

// useful is the slowest pace at which a layout can be better than the best: of a step at most as long, or at most as
// dear with the cheapest GPUs alone.
func (s *search) useful() float64 {
	layers := s.m.Profile.Layers()
	through := s.m.Runtime.Compute * s.least[layers]
	longest := math.Inf(1)
	if s.want.Goal == Fastest {
		longest = s.value
	}
	if s.want.MaxStep > 0 {
		longest = min(longest, s.want.MaxStep)
	}
	usd := math.Inf(1)
	if s.want.Goal == Cheapest {
		usd = s.value
	}
	if s.want.MaxUSD > 0 {
		usd = min(usd, s.want.MaxUSD)
	}
	if s.cheapest > 0 {
		longest = min(longest, usd/(s.cheapest*float64(s.d))*3600)
	}
	if s.n == 1 {
		longest *= 2
		through = 0
	}
	return min((longest-through)/max(1, float64(s.n-1)), 2*s.m.Runtime.Compute*s.slowest+1)
}

// build builds one layout at a pace and compares it; false if there is none.
func (s *search) build(pace float64, by preference) bool {
	to := s.m.Profile.Layers()
	s.builds++
	s.chosen = s.chosen[:0]
	for to > 0 {
		next, ok := s.nextStage(to, pace, by)
		if !ok || !s.ring(&next) {
			break
		}
		s.push(next)
		to = next.from
	}
	done := to == 0
	if done {
		last := &s.parts[len(s.parts)-1]
		s.built = max(last.pace, last.pending)
		s.compare()
	}
	for len(s.parts) > 0 {
		s.pop()
	}
	return done
}

// nextStage returns the stage before layer to that a preference chooses, with as many layers as a pace allows.
func (s *search) nextStage(to int, pace float64, by preference) (best part, found bool) {
	score := 0.0
	try := func(counts []count) {
		gpus := 0.0
		for _, replicas := range counts {
			gpus += float64(replicas.n * s.kinds[replicas.kind].place.TP)
		}
		value := func(from int) float64 {
			if by == frugal {
				return (s.work[to] - s.work[from]) / gpus
			}
			return float64(to - from)
		}
		low := s.lowest(to, pace, counts)
		if value(low) <= score {
			return // no stage of these is better
		}
		longest, ok := s.longestStage(low, to, pace, counts)
		if ok && value(longest.from) > score {
			best = longest
			score = value(longest.from)
			found = true
			s.kept = append(s.kept[:0], counts...)
		}
	}
	for g, group := range s.groups {
		var ok bool
		s.counts, ok = s.fill(group, nil, s.counts)
		if ok {
			try(s.counts)
			continue
		}
		for o, other := range s.groups {
			if o == g || len(s.counts) == 0 {
				continue
			}
			s.counts, ok = s.fill(group, other, s.counts)
			if ok {
				try(s.counts)
			}
		}
	}
	before := len(s.chosen)
	s.chosen = append(s.chosen, s.kept...)
	best.counts = s.chosen[before:]
	return best, found
}

// lowest returns the first layer from which a stage up to layer to is within a pace, but for its transfers; the last
// one if none is.
func (s *search) lowest(to int, pace float64, counts []count) int {
	return sort.Search(to-1, func(from int) bool { return s.within(from, to, pace, counts) })
}

// longestStage returns the stage from layer low or later, up to layer to, whose time is within a pace, with its
// transfers to the next stage and, as far as it can be known, from the one before.
func (s *search) longestStage(low, to int, pace float64, counts []count) (best part, found bool) {
	p, ok := s.add(stage{low, to, counts})
	if !ok || p.pace > pace { // the next stage, which waits for what this one sends
		return best, false
	}
	received := s.m.Runtime.Exposed * s.received(low, counts)
	if p.pending+received <= pace {
		return p, true
	}
	sent := p.pending - s.computing(low, to, counts)
	from := max(low, s.lowest(to, pace-sent-received, counts))
	for last := min(from+2, to-1); from <= last; from++ { // other layers have other inputs
		p, ok := s.add(stage{from, to, counts})
		if ok && p.pending+s.m.Runtime.Exposed*s.received(from, counts) <= pace {
			return p, true
		}
	}
	return best, false
}

// computing is the time in which the slowest replica of a stage computes a micro-batch.
func (s *search) computing(from, to int, counts []count) (seconds float64) {
	for _, replicas := range counts {
		kind := &s.kinds[replicas.kind]
		seconds = max(seconds, kind.compute[to]-kind.compute[from])
	}
	return s.m.Runtime.Compute * seconds
}

// received is the time in which a stage from a layer on has its input from GPUs of its own kind: a pace that leaves no
// time for it is missed as soon as there is a stage before.
func (s *search) received(from int, counts []count) (seconds float64) {
	if from == 0 {
		return 0
	}
	bytes := 4 * s.m.Profile.sizes[1][from-1].Output * float64(s.micro)
	for _, replicas := range counts {
		if link := s.link(replicas.kind, replicas.kind); link != nil {
			seconds = max(seconds, link.seconds(bytes))
		}
	}
	return seconds
}

// within reports whether the computation of a stage is within a pace, and it fits into memory.
func (s *search) within(from, to int, pace float64, counts []count) bool {
	held := float64(min(s.n, len(s.parts)+1))
	for i, replicas := range counts {
		if i > 0 && s.kinds[replicas.kind].group == s.kinds[counts[i-1].kind].group {
			continue // the same in another pool
		}
		kind := &s.kinds[replicas.kind]
		if s.m.Runtime.Compute*(kind.compute[to]-kind.compute[from]) > pace ||
			s.m.Runtime.Bytes(kind.place.TP, kind.params[to]-kind.params[from],
				held*(kind.kept[to]-kind.kept[from])) > kind.limit {
			return false
		}
	}
	return true
}
