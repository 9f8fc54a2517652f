package schedulers

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// place gives a job GPUs as close together as it can have by now, and reports whether it did. A job that could keep
// what it had only takes what is closer together. How far apart GPUs are is counted as sim.Market.Apart does.
func (d *Dally) place(v sim.View, plan *sim.Plan, s *dallyState, j int, had bool) bool {
	n, spread, tiers := gang(v, j).Gang(), math.MaxInt, v.Tiers()
	if had {
		spread = d.spread(tiers)
	}
	waited := float64(v.Now().Sub(s.jobs[j].since)) / float64(d.Lease)
	if spread > 0 && d.room.onOne(plan, j, n) {
		s.tuner.note(oneServer, n, waited, v.Now(), d.span())
		return true
	}
	within := d.room.large // GPUs of the largest place of the tier below
	for k, tier := range tiers {
		first, last, largest := d.room.within(v, tier, n)
		if spread > k+1 && (waited >= d.wait(&s.tuner, n, k+1) || n > within) && last > first {
			d.room.fill(plan, j, first, last, n)
			s.tuner.note(k+1, n, waited, v.Now(), d.span())
			return true
		}
		within = largest
	}
	if beyond := len(tiers) + 1; spread > beyond && (waited >= d.wait(&s.tuner, n, beyond) || n > within) && n <= d.room.total {
		d.room.fill(plan, j, 0, v.Pools(), n)
		return true
	}
	return false
}

// spread is how far apart the old GPUs are.
func (d *Dally) spread(tiers [][]int32) int {
	spread := 0
	for k, part := range d.old {
		if at, p := d.old[0].Pool, part.Pool; k > 0 {
			spread = max(spread, 1)
			for spread <= len(tiers) && tiers[spread-1][p] != tiers[spread-1][at] {
				spread++
			}
		}
	}
	return spread
}

// span is how long a wait counts.
func (d *Dally) span() time.Duration { return time.Duration(d.History) * d.Lease }

// wait returns how many leases a job of n GPUs waits before it takes GPUs that are so far apart, at least 1. By its settings a tier above
// racks takes as much longer as racks took; tuned, it is likely to wait as others did for the tier below.
func (d *Dally) wait(t *delays, n, apart int) float64 {
	if d.Rack >= 0 || d.Network >= 0 {
		rack, network := float64(max(d.Rack, 0)), float64(max(d.Network, 0))
		if apart == 1 {
			return rack
		}
		return network + float64(apart-2)*max(network-rack, 0)
	}
	largest := float64(d.History)
	if apart == 1 {
		largest = math.Ceil(0.8 * largest)
	}
	return min(largest, max(6*float64(apart), math.Ceil(t.likely(apart-1, n))))
}

// oneServer is where a job was placed in the end that has GPUs of one server: as far apart as they are.
const oneServer = 0

// delays remembers how long jobs waited until they were placed, by where and by their GPUs.
type delays struct{ list []delay }

type delay struct {
	where, gpus int // how far apart they are
	leases      float64
	at          sim.Time
}

func (t *delays) clone() delays { return delays{slices.Clone(t.list)} }

// note remembers a wait of at least a lease, and forgets those that are older than the span.
func (t *delays) note(where, gpus int, leases float64, now sim.Time, span time.Duration) {
	if leases < 1 {
		return
	}
	t.list = slices.DeleteFunc(t.list, func(x delay) bool { return now.Sub(x.at) > span })
	t.list = append(t.list, delay{where, gpus, leases, now})
}

// likely is the mean wait of jobs of so many GPUs and twice its standard deviation, leases; 1 without waits.
func (t *delays) likely(where, gpus int) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, x := range t.list {
		if x.where == where && x.gpus == gpus {
			n, sum, squares = n+1, sum+x.leases, squares+x.leases*x.leases
		}
	}
	if n == 0 {
		return 1
	}
	return sum/n + 2*math.Sqrt(max(squares/n-sum/n*(sum/n), 0))
}
