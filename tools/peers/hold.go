package main

import (
	"container/heap"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/marigram/marigram/sim"
)

// The hold model: n timers are pending; the earliest fires and is set again 1 to
// 2^20 ticks later, uniformly. Each engine runs n events to reach the steady
// state and then those that are measured.

// outcome is what a run in this process gives.
type outcome struct {
	ns  float64 // processor time per event
	sum uint64  // of the instants of all events, in their order
}

// splitmix is the generator of gaps (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014); its value is the seed.
type splitmix uint64

func (s *splitmix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *splitmix) gap() int64 { return 1 + int64(s.next()>>44) }

// fold adds an instant to a checksum. Which of two timers at one instant fires
// first does not change the instants that follow, so the sum is the same for
// every engine, whatever its rule for ties.
func fold(sum uint64, at int64) uint64 { return (sum ^ uint64(at)) * 0x100000001B3 }

func perEvent(start, stop time.Duration, events int) float64 {
	return float64(stop-start) / float64(events)
}

func holdTimers(n, events int) (out outcome) {
	luck := splitmix(1)
	var timers sim.Timers
	timers.Reset(n, math.MaxInt64>>bits.Len(uint(n)))
	for i := range n {
		timers.Set(i, sim.Time(luck.gap()))
	}
	run := func(events int) {
		sum := out.sum
		for range events {
			at, slot := timers.First()
			sum = fold(sum, int64(at))
			timers.Set(slot, at+sim.Time(luck.gap()))
		}
		out.sum = sum
	}
	run(n)
	start := cpuTime()
	run(events)
	out.ns = perEvent(start, cpuTime(), events)
	return out
}

// item and items are what container/heap asks for.
type item struct {
	at   int64
	slot int
}

type items []item

func (h items) Len() int { return len(h) }
func (h items) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].slot < h[j].slot
}
func (h items) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *items) Push(x any)   { *h = append(*h, x.(item)) }
func (h *items) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

func holdHeap(n, events int) (out outcome) {
	luck := splitmix(1)
	var queue items
	for i := range n {
		heap.Push(&queue, item{luck.gap(), i})
	}
	run := func(events int) {
		for range events {
			x := heap.Pop(&queue).(item)
			out.sum = fold(out.sum, x.at)
			heap.Push(&queue, item{x.at + luck.gap(), x.slot})
		}
	}
	run(n)
	start := cpuTime()
	run(events)
	out.ns = perEvent(start, cpuTime(), events)
	return out
}

// verify checks that the engines of this process run the same model.
func verify() error {
	for _, n := range []int{100, 10_000} {
		const events = 200_000
		want := holdTimers(n, events).sum
		for _, other := range []struct {
			engine string
			hold   func(n, events int) outcome
		}{{"container/heap", holdHeap}, {"akita", holdAkita}, {"simgo's handlers", holdSimgoHandlers}, {"simgo's processes", holdSimgoProcesses}} {
			if got := other.hold(n, events).sum; got != want {
				return fmt.Errorf("hold, %d timers: the instants of %s sum to %#x, ours to %#x", n, other.engine, got, want)
			}
		}
	}
	return nil
}
