package bound

import (
	"cmp"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// readyAt returns when an instance of a stretch is of use at the earliest, but for the grain.
func (p *problem) readyAt(s *stretch, boot float64) sim.Time {
	ready := s.from.Add(time.Duration(boot * 1e9))
	return max(s.from, p.first.Add(ready.Sub(p.first).Truncate(grain)))
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

// tier is instances of a pool with the same stretches: those above one capacity of the pool, up to the next.
type tier struct {
	n         int
	above     int
	stretches []stretch
}

// tiersOf returns the tiers of a pool, the lowest first.
func tiersOf(segments []segment, p int) []tier {
	var capacities []int
	for i := range segments {
		capacities = append(capacities, segments[i].capacity[p])
	}
	slices.Sort(capacities)
	var tiers []tier
	below := 0
	for _, capacity := range slices.Compact(capacities) {
		if capacity > below {
			tiers = append(tiers, tier{n: capacity - below, above: below, stretches: stretchesOf(segments, p, below)})
			below = capacity
		}
	}
	return tiers
}

// stretchesOf returns the stretches in which pool p has capacity for more than so many.
func stretchesOf(segments []segment, p, above int) []stretch {
	var out []stretch
	for i := range segments {
		s := &segments[i]
		if s.capacity[p] <= above {
			continue
		}
		last := len(out) - 1
		if last >= 0 && out[last].to == s.from {
			out[last].to = s.to
			out[last].usd = min(out[last].usd, s.usd[p])
		} else {
			out = append(out, stretch{s.from, s.to, s.usd[p]})
		}
	}
	return out
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

// newSchedule counts boots, and at most so many instances until training can have more than it began with
// (problem.alone); 0 is any number.
func newSchedule(p *problem, b *boots, maxInstances int, tenure *tenure) *schedule {
	x := &schedule{solver: p.solver, tenure: tenure}
	tiers := make([][]tier, len(b.shortest))
	var cuts []sim.Time
	for i := range tiers {
		tiers[i] = tiersOf(p.segments, i)
		for _, tier := range tiers[i] {
			for _, s := range tier.stretches {
				cuts = append(cuts, p.readyAt(&s, b.shortest[i]))
			}
		}
	}
	alone := p.first
	if len(cuts) > 0 && maxInstances > 0 {
		alone = p.alone(slices.Min(cuts), b)
		cuts = append(cuts, alone)
	}
	if tenure != nil {
		cuts = append(cuts, tenure.at...)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	states := map[string]*state{}
	for i := range p.segments {
		segment := &p.segments[i]
		for from := segment.from; from < segment.to; {
			to := segment.to
			if next, _ := slices.BinarySearch(cuts, from+1); next < len(cuts) {
				to = min(to, cuts[next])
			}
			seconds := to.Sub(from).Seconds()
			offered, credit := x.at(segment, from, to, tiers, b)
			x.credit += credit * seconds
			if from < alone {
				offered.maxInstances = maxInstances
			}
			key := offered.key()
			if states[key] == nil {
				states[key] = offered
				x.states = append(x.states, offered)
			}
			states[key].seconds += seconds
			x.stages = append(x.stages, stage{from, to, states[key]})
			from = to
		}
	}
	return x
}

// alone returns the instant before which a job that began on what it is set up for has no more than that: others are
// asked for when training has begun, which is not before the first instance can be ready, and take the shortest boot of
// all pools. It is the submission where instances under notice may train beside them.
func (p *problem) alone(ready sim.Time, b *boots) sim.Time {
	boot := time.Duration(slices.Min(b.shortest) * 1e9)
	until := ready.Add(boot.Truncate(grain))
	if p.unforeseen(until) {
		return p.first
	}
	return until
}

// at returns what can be held of a segment in a part of it, and the credit of the prices that would be below 0, USD a
// second.
func (x *schedule) at(s *segment, from, to sim.Time, tiers [][]tier, b *boots) (out *state, credit float64) {
	out = &state{levels: make([][]level, len(s.capacity))}
	for p, boot := range b.shortest {
		for _, t := range tiers[p] {
			if t.above >= s.capacity[p] {
				break
			}
			ends := func(s stretch, at sim.Time) int { return int(s.to - at) }
			k, _ := slices.BinarySearchFunc(t.stretches, from+1, ends)
			stretch := &t.stretches[k]
			length := stretch.to.Sub(stretch.from).Seconds()
			if length <= boot || to.Sub(stretch.from).Seconds() <= boot {
				continue
			}
			bootUSD := stretch.usd*boot + b.costOfNotKnowing(p) - x.tenure.bootUSD(p)
			usd := s.usd[p] + bootUSD/(length-boot) + x.tenure.surcharge(p, t.above, from)
			if usd < 0 {
				credit -= usd * float64(t.n)
				usd = 0
			}
			out.offer(p, level{t.n, usd})
		}
	}
	return out, credit
}

// offer adds instances of a pool, the cheapest first.
func (s *state) offer(p int, l level) {
	byPrice := func(l level, usd float64) int { return cmp.Compare(l.usd, usd) }
	at, found := slices.BinarySearchFunc(s.levels[p], l.usd, byPrice)
	if found {
		s.levels[p][at].n += l.n
		return
	}
	s.levels[p] = slices.Insert(s.levels[p], at, l)
}
