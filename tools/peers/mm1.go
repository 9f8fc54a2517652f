package main

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim"
)

// mm1 is a queue with Poisson arrivals, 0.8 a second, and one server with
// exponential services, 1 a second: customers spend 1/(1-0.8) = 5 s in it.
type mm1 struct {
	timers  sim.Timers
	luck    splitmix
	now     sim.Time
	line    [4096]sim.Time // ring: when those in the system came
	left    int            // customers that have left
	came    int
	sojourn sim.Time // of all that have left, together
}

// The owners of mm1's timers.
const (
	arrival = iota
	departure
)

// in sets a timer for an exponential time from now.
func (q *mm1) in(slot int, rate float64) {
	uniform := float64(q.luck.next()>>11) * 0x1p-53
	q.timers.Set(slot, q.now+sim.Time(-math.Log(1-uniform)/rate*1e6))
}

func (q *mm1) arrive() {
	q.in(arrival, 0.8)
	if q.came == q.left {
		q.in(departure, 1)
	}
	q.line[q.came%len(q.line)] = q.now
	if q.came++; q.came-q.left > len(q.line) {
		panic("mm1: the line is longer than its ring")
	}
}

func (q *mm1) depart() {
	q.sojourn += q.now - q.line[q.left%len(q.line)]
	if q.left++; q.left < q.came {
		q.in(departure, 1)
	} else {
		q.timers.Set(departure, sim.Never)
	}
}

// serve runs until n customers have left, and returns the mean seconds
// that they spent.
func (q *mm1) serve(customers int) float64 {
	q.timers.Reset(2, 1<<52)
	q.in(arrival, 0.8)
	for q.left < customers {
		at, slot := q.timers.First()
		q.now = at
		switch slot {
		case arrival:
			q.arrive()
		case departure:
			q.depart()
		}
	}
	return q.sojourn.Seconds() / float64(customers)
}

// mm1Timers returns the processor time of a customer, ns.
func mm1Timers() (float64, error) {
	const customers = 4_000_000
	q := &mm1{luck: 1}
	start := cpuTime()
	mean := q.serve(customers)
	ns := perEvent(start, cpuTime(), customers)
	if mean < 4.9 || mean > 5.1 {
		return 0, fmt.Errorf("customers spend %v s in the mean, expected 4.9 to 5.1", mean)
	}
	return ns, nil
}
