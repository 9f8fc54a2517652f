package sim_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// splitmix is the generator of every benchmark's input (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014); its value is
// the seed.
type splitmix uint64

func (s *splitmix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// float returns a number in [0, 1).
func (s *splitmix) float() float64 { return float64(s.next()>>11) * 0x1p-53 }

// reportCPU reports the processor time since a start, by operation and, where
// an operation is many items, by item.
func reportCPU(b *testing.B, since time.Duration, items int, unit string) {
	ns := float64(simtest.CPUTime()-since) / float64(b.N)
	b.ReportMetric(ns, "cpu-ns/op")
	if items > 1 {
		b.ReportMetric(ns/float64(items), "cpu-ns/"+unit)
	}
}

// uniform and bimodal are the gaps of the hold model, in ticks: 1 to 2^20, and
// a tenth of them far longer than the rest.
func uniform(x uint64) sim.Time { return 1 + sim.Time(x>>44) }

func bimodal(x uint64) sim.Time {
	if x&1023 < 922 {
		return 1 + sim.Time(x>>48)
	}
	return 1 + sim.Time(x>>38)
}

// hold is the hold model: n pending timers, the earliest fires and is set again
// a random gap later.
type hold struct {
	timers sim.Timers
	draws  splitmix
}

func (h *hold) reset(n int, latest sim.Time, gap func(uint64) sim.Time) {
	h.draws = 1
	h.timers.Reset(n, latest)
	for i := range n {
		h.timers.Set(i, gap(h.draws.next()))
	}
}

const prime = 0x100000001B3 // of the order checksum, FNV's

// uni fires events timers and returns the checksum of their order.
func (h *hold) uni(events int) (sum uint64) {
	for range events {
		at, slot := h.timers.First()
		sum = (sum ^ uint64(slot)) * prime
		h.timers.Set(slot, at+uniform(h.draws.next()))
	}
	return sum
}

// bim is uni with the other gaps; apart, so that neither pays for a call.
func (h *hold) bim(events int) (sum uint64) {
	for range events {
		at, slot := h.timers.First()
		sum = (sum ^ uint64(slot)) * prime
		h.timers.Set(slot, at+bimodal(h.draws.next()))
	}
	return sum
}

// forms choose between keys of one word, with all the time that n slots leave,
// and of two.
var forms = []struct {
	name   string
	latest func(n int) sim.Time
}{
	{"tree", func(n int) sim.Time { return math.MaxInt64 >> bits.Len(uint(n)) }},
	{"wide", func(int) sim.Time { return sim.Never }},
}

func BenchmarkHold(b *testing.B) {
	for _, q := range forms {
		for _, n := range []int{32, 100, 10_000, 1_000_000} {
			b.Run(fmt.Sprintf("q=%s/N=%d/dist=uni", q.name, n), func(b *testing.B) {
				benchmarkHold(b, n, q.latest(n), uniform, (*hold).uni)
			})
			b.Run(fmt.Sprintf("q=%s/N=%d/dist=bim", q.name, n), func(b *testing.B) {
				benchmarkHold(b, n, q.latest(n), bimodal, (*hold).bim)
			})
		}
	}
}

func benchmarkHold(b *testing.B, n int, latest sim.Time, gap func(uint64) sim.Time, run func(*hold, int) uint64) {
	if testing.Short() && n > 10_000 {
		b.Skip("short: a million timers")
	}
	var h hold
	h.reset(n, latest, gap)
	run(&h, n) // into the steady state
	b.ReportAllocs()
	b.ResetTimer()
	start := simtest.CPUTime()
	run(&h, b.N)
	reportCPU(b, start, 1, "event")
}

// The order of the 200,000 events that follow n inserts, by slot, of a draw
// each. The sums are frozen; container/heap over (instant, slot) gives the same.
func TestHoldOrder(t *testing.T) {
	for _, c := range []struct {
		n        int
		uni, bim uint64
	}{
		{100, 0x1095bb473fd14dec, 0x49c42f3be7e26d8c},
		{10_000, 0x1f073f3d8cfcf02f, 0xeb645ade23fa1cd5},
		{1_000_000, 0xc7a40fc3c8f97a0b, 0xe267ca3ae48fe05a},
	} {
		if testing.Short() && c.n > 10_000 {
			continue
		}
		for _, q := range forms {
			var h hold
			h.reset(c.n, q.latest(c.n), uniform)
			if sum := h.uni(200_000); sum != c.uni {
				t.Errorf("%s, %d timers, uni: order %#016x, want %#016x", q.name, c.n, sum, c.uni)
			}
			h.reset(c.n, q.latest(c.n), bimodal)
			if sum := h.bim(200_000); sum != c.bim {
				t.Errorf("%s, %d timers, bim: order %#016x, want %#016x", q.name, c.n, sum, c.bim)
			}
		}
	}
}
