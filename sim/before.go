package sim

import (
	"sync"
	"time"
)

// SeenBefore returns what a job would have seen of pool p within a time before the start of the run, had it requested
// the whole quota since then, or since the first record of the pool's capacity: for policies that learn. Nothing at or
// after the start is in it. What is requested is granted, and ready, at once: waits in queues, boots and quotas over
// several pools are left out. RefusedAt and TakenAt are Never. All else is 0 where within is not above 0, where the
// record begins with the run, and where the capacity was not recorded (Trace.Recorded).
func (v View) SeenBefore(p int, within time.Duration) Seen {
	return v.w.market.before.between(p, v.w.start.Add(-within), v.w.start)
}

// before is what was to be seen of pools until any instant. It is added up once for all runs of a market, when a policy
// first asks.
type before struct {
	once    sync.Once
	pools   []Pool
	series  []series
	summary [][]seenBefore // by pool and record of its capacity
}

// seenBefore is what was to be seen until a record of capacity, the change that it makes included.
type seenBefore struct {
	removals, arrivals, grants int
	held                       MachineTime
	occupied, waited           Time
}

// between returns what was to be seen of a pool from one instant on until another.
func (b *before) between(p int, from, until Time) Seen {
	b.once.Do(b.addUp)
	seen := Seen{RefusedAt: Never, TakenAt: Never}
	series := &b.series[p]
	last := series.before(until)
	if !series.recorded || last < 0 || from >= until {
		return seen
	}
	from = max(from, series.capAt[0])
	first := series.after(from) - 1
	sum := b.at(p, last, until)
	was := b.at(p, first, from)
	seen.Removals = sum.removals - was.removals
	seen.Arrivals = sum.arrivals - was.arrivals
	seen.Grants = b.room(p, first) + sum.grants - was.grants
	seen.Held = sum.held - was.held
	seen.Occupied = (sum.occupied - was.occupied).Sub(0)
	seen.Waited = (sum.waited - was.waited).Sub(0)
	return seen
}

// at returns what was to be seen of a pool until an instant, at which its i-th record holds.
func (b *before) at(p, i int, at Time) seenBefore {
	sum := b.summary[p][i]
	sum.pass(b.room(p, i), b.pools[p].Quota, at-b.series[p].capAt[i])
	return sum
}

// room returns how many instances the i-th record of a pool's capacity leaves to a job.
func (b *before) room(p, i int) int { return min(int(b.series[p].cap[i]), b.pools[p].Quota) }

// addUp adds up what was to be seen of all pools.
func (b *before) addUp() {
	b.summary = make([][]seenBefore, len(b.series))
	for p := range b.series {
		series := &b.series[p]
		if !series.recorded {
			continue
		}
		sums := make([]seenBefore, len(series.cap))
		quota := b.pools[p].Quota
		for i := range sums {
			room := b.room(p, i)
			if i == 0 {
				sums[i].grants = room
				continue
			}
			sum := sums[i-1]
			was := b.room(p, i-1)
			sum.pass(was, quota, series.capAt[i]-series.capAt[i-1])
			sum.change(was, room)
			sums[i] = sum
		}
		b.summary[p] = sums
	}
}

// pass has time pass with room for so many instances, of which the quota is requested.
func (s *seenBefore) pass(room, quota int, span Time) {
	s.held += machineTime(int32(room), span)
	if room > 0 {
		s.occupied += span
	}
	if room < quota {
		s.waited += span
	}
}

// change has the room of a pool change.
func (s *seenBefore) change(was, room int) {
	if room < was {
		s.removals++
	} else if room > was {
		s.arrivals++
		s.grants += room - was
	}
}
