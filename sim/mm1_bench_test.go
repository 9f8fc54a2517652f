package sim_test

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// mm1 is a queue with Poisson arrivals, 0.8 a second, and one server with
// exponential services, 1 a second: customers spend 1/(1-0.8) = 5 s in it.
type mm1 struct {
	timers  sim.Timers
	draws   splitmix
	now     sim.Time
	line    [4096]sim.Time // ring: when those in the system came
	head    int
	tail    int
	sojourn sim.Time // of all that have left, together
}

// The owners of mm1's timers.
const (
	arrival = iota
	departure
)

func (q *mm1) reset() {
	q.draws = 1
	q.now, q.head, q.tail, q.sojourn = 0, 0, 0, 0
	q.timers.Reset(2, 1<<52)
	q.in(arrival, 0.8)
}

// in sets a timer for an exponential time from now.
func (q *mm1) in(slot int, rate float64) {
	seconds := -math.Log(1-q.draws.float()) / rate
	q.timers.Set(slot, q.now+sim.Time(seconds*1e6))
}

func (q *mm1) arrive() {
	q.in(arrival, 0.8)
	if q.tail == q.head {
		q.in(departure, 1)
	}
	q.line[q.tail%len(q.line)] = q.now
	if q.tail++; q.tail-q.head > len(q.line) {
		panic("mm1: the line is longer than its ring")
	}
}

func (q *mm1) depart() {
	q.sojourn += q.now - q.line[q.head%len(q.line)]
	if q.head++; q.head < q.tail {
		q.in(departure, 1)
	} else {
		q.timers.Set(departure, sim.Never)
	}
}

// runSwitch serves customers, dispatching on the owner, and returns the mean
// seconds that they spent.
func (q *mm1) runSwitch(customers int) float64 {
	for q.head < customers {
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

// runClosures is runSwitch with a closure for each owner.
func (q *mm1) runClosures(customers int) float64 {
	handlers := [2]func(){func() { q.arrive() }, func() { q.depart() }}
	for q.head < customers {
		at, slot := q.timers.First()
		q.now = at
		handlers[slot]()
	}
	return q.sojourn.Seconds() / float64(customers)
}

var mm1Styles = []struct {
	name string
	run  func(*mm1, int) float64
}{{"switch", (*mm1).runSwitch}, {"closure", (*mm1).runClosures}}

const mm1Customers = 1_000_000

func BenchmarkMM1(b *testing.B) {
	for _, style := range mm1Styles {
		b.Run("style="+style.name, func(b *testing.B) {
			b.ReportAllocs()
			q := new(mm1)
			start := simtest.CPUTime()
			for b.Loop() {
				q.reset()
				style.run(q, mm1Customers)
			}
			reportCPU(b, start, mm1Customers, "customer")
		})
	}
}

func TestMM1(t *testing.T) {
	check := near.Count(t)
	var means [2]float64
	for i, style := range mm1Styles {
		q := new(mm1)
		q.reset()
		means[i] = style.run(q, mm1Customers)
	}
	if check.Outside(means[0], 4.9, 5.05) {
		t.Errorf("customers spend %v s in the mean, want 4.9 to 5.05 (theory: 5)", means[0])
	}
	if means[0] != means[1] {
		t.Errorf("the styles disagree: %v s, %v s", means[0], means[1])
	}
}
