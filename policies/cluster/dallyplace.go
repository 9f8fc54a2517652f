package cluster

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// place gives a job GPUs as close together as it can have by now, and reports whether it did. A job that could keep
// what it had only takes what is closer together.
func (d *Dally) place(v sim.View, s *dallyState, j int, hold []int, had bool) bool {
	n, spread := gang(v, j).Gang(), math.MaxInt
	if had {
		spread = d.spread(v)
	}
	waited := float64(v.Now().Sub(s.jobs[j].since)) / float64(d.Lease)
	if spread > 0 && d.room.onOne(hold, n) {
		s.tuner.note(oneServer, n, waited, v.Now(), d.span())
		return true
	}
	rack, network := d.timers(&s.tuner, n)
	first, last, largest := d.room.rack(v, n)
	if spread > 1 && (waited >= rack || n > d.room.large) && last > first {
		d.room.fill(hold, first, last, n)
		s.tuner.note(oneRack, n, waited, v.Now(), d.span())
		return true
	}
	if spread > 2 && (waited >= network || n > largest) && n <= d.room.total {
		d.room.fill(hold, 0, len(hold), n)
		return true
	}
	return false
}

// spread is how far apart the old GPUs are: 0 on one server, 1 in one rack, 2 beyond.
func (d *Dally) spread(v sim.View) int {
	at, spread := -1, 0
	for p, n := range d.old {
		switch {
		case n == 0:
		case at < 0:
			at = p
		case v.Pool(p).Region == v.Pool(at).Region:
			spread = max(spread, 1)
		default:
			spread = 2
		}
	}
	return spread
}

// span is how long a wait counts.
func (d *Dally) span() time.Duration { return time.Duration(d.History) * d.Lease }

// timers returns how many leases a job of n GPUs waits for one server and for one rack.
func (d *Dally) timers(t *delays, n int) (rack, network float64) {
	if d.Rack >= 0 || d.Network >= 0 {
		return float64(max(d.Rack, 0)), float64(max(d.Network, 0))
	}
	h := float64(d.History)
	return min(math.Ceil(0.8*h), max(6, math.Ceil(t.likely(oneServer, n)))), min(h, max(12, math.Ceil(t.likely(oneRack, n))))
}

// Where a job was placed in the end.
const (
	oneServer = iota
	oneRack
)

// delays remembers how long jobs waited until they were placed, by where and by their GPUs.
type delays struct{ list []delay }

type delay struct {
	where, gpus int
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
