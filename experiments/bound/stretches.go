package bound

import (
	"cmp"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// readyAt returns when an instance of a stretch is of use at the earliest, but for the grain.
func (p *problem) readyAt(s *stretch, boot float64) sim.Time {
	after := s.from.Add(time.Duration(boot * 1e9)).Sub(p.first)
	return max(s.from, p.first.Add(after.Truncate(grain)))
}

// stretch is a time in which a pool has capacity for at least n instances.
//
// Let k of them be alive in a part I of it that is as long as possible. Whoever was there
// before I were fewer than k, so that in the first boot of I fewer than k are ready: I
// pays for a boot, at the stretch's least price or more, in which the k-th is of no use.
// I is no longer than the stretch's length L. So the k-th costs at least b/(L - b) times that
// price more, each second of its use, and is of use from the stretch's b-th second on.
type stretch struct {
	from, to sim.Time
	usd      float64 // least price, USD per second
}

// tier is instances of a pool with the same stretches: those above one capacity of the pool, up
// to the next.
type tier struct {
	n         int
	above     int
	intervals []stretch
}

// tiersOf returns the tiers of a pool, the lowest first.
func tiersOf(segments []segment, p int) (tiers []tier) {
	var capacities []int
	for i := range segments {
		capacities = append(capacities, segments[i].capacity[p])
	}
	slices.Sort(capacities)
	below := 0
	for _, capacity := range slices.Compact(capacities) {
		if capacity > below {
			tiers = append(tiers, tier{n: capacity - below, above: below, intervals: intervalsOf(segments, p, below)})
			below = capacity
		}
	}
	return tiers
}

// intervalsOf returns the stretches in which pool p has capacity for more than n.
func intervalsOf(segments []segment, p, above int) (intervals []stretch) {
	for i := range segments {
		s := &segments[i]
		if s.capacity[p] <= above {
			continue
		}
		if n := len(intervals); n > 0 && intervals[n-1].to == s.from {
			intervals[n-1].to, intervals[n-1].usd = s.to, min(intervals[n-1].usd, s.usd[p])
		} else {
			intervals = append(intervals, stretch{s.from, s.to, s.usd[p]})
		}
	}
	return intervals
}

// schedule is the states of a problem in the order of time, with what boots add.
type schedule struct {
	solver solver
	stages []stage
	states []*state
	tenure *tenure
	credit float64 // USD by which prices below 0 were raised to 0, for all that they are the prices of
}

type stage struct {
	from, to sim.Time
	state    *state
}

// grain is what ends of boots are rounded down to.
const grain = 10 * time.Second

// newSchedule counts boots, and at most n instances until training can have more than it
// began with (problem.alone); most of 0 is any number.
func newSchedule(p *problem, b *boots, largest int, tenure *tenure) *schedule {
	x := &schedule{solver: p.solver, tenure: tenure}
	tiers := make([][]tier, len(b.shortest))
	var ready []sim.Time
	for i := range tiers {
		tiers[i] = tiersOf(p.segments, i)
		for _, t := range tiers[i] {
			for _, s := range t.intervals {
				ready = append(ready, p.readyAt(&s, b.shortest[i]))
			}
		}
	}
	states, alone := map[string]*state{}, p.first
	if len(ready) > 0 && largest > 0 {
		alone = p.alone(slices.Min(ready), b)
		ready = append(ready, alone)
	}
	if tenure != nil {
		ready = append(ready, tenure.at...)
	}
	slices.Sort(ready)
	ready = slices.Compact(ready)
	for i := range p.segments {
		s := &p.segments[i]
		for from := s.from; from < s.to; {
			to := s.to
			if k, _ := slices.BinarySearch(ready, from+1); k < len(ready) {
				to = min(to, ready[k])
			}
			now, credit := x.at(s, from, to, tiers, b)
			x.credit += credit * to.Sub(from).Seconds()
			if from < alone {
				now.max = largest
			}
			key := now.key()
			if states[key] == nil {
				states[key] = now
				x.states = append(x.states, now)
			}
			states[key].seconds += to.Sub(from).Seconds()
			x.stages = append(x.stages, stage{from, to, states[key]})
			from = to
		}
	}
	return x
}

// alone returns the instant before which a job that began on what it is set up for has no
// more than that: others are asked for when training has begun, which is not before the first
// instance can be ready, and take the shortest boot of all pools. It is the submission where
// instances under notice may train beside them.
func (p *problem) alone(ready sim.Time, b *boots) sim.Time {
	boot := time.Duration(slices.Min(b.shortest) * 1e9)
	if until := ready.Add(boot.Truncate(grain)); !p.unforeseen(until) {
		return until
	}
	return p.first
}

// at returns what can be held of a segment in a part of it, and the credit of the prices that would be below 0, USD a second.
func (x *schedule) at(s *segment, from, to sim.Time, tiers [][]tier, b *boots) (out *state, credit float64) {
	out = &state{levels: make([][]level, len(s.capacity))}
	for p, boot := range b.shortest {
		for _, t := range tiers[p] {
			if t.above >= s.capacity[p] {
				break
			}
			k, _ := slices.BinarySearchFunc(t.intervals, from+1, func(s stretch, at sim.Time) int { return int(s.to - at) })
			y := &t.intervals[k]
			length := y.to.Sub(y.from).Seconds()
			if length <= boot || to.Sub(y.from).Seconds() <= boot {
				continue
			}
			usd := s.usd[p] + (y.usd*boot+b.more(p)-x.tenure.boot(p))/(length-boot) + x.tenure.usd(p, t.above, from)
			if usd < 0 {
				credit, usd = credit-usd*float64(t.n), 0
			}
			out.offer(p, level{t.n, usd})
		}
	}
	return out, credit
}

// offer adds instances of a pool, the cheapest first.
func (s *state) offer(p int, l level) {
	at, _ := slices.BinarySearchFunc(s.levels[p], l.usd, func(x level, usd float64) int { return cmp.Compare(x.usd, usd) })
	if at < len(s.levels[p]) && s.levels[p][at].usd == l.usd {
		s.levels[p][at].n += l.n
		return
	}
	s.levels[p] = slices.Insert(s.levels[p], at, l)
}
