package main

import (
	"time"

	"github.com/fschuetz04/simgo"
)

const simgoModule = "github.com/fschuetz04/simgo"

// simgoHold is a hold model on simgo. As with akita, the clock is read when a
// timer fires, so that neither filling nor emptying the queue is measured.
type simgoHold struct {
	*simgo.Simulation
	luck        splitmix
	warm, last  int // events before the measured ones, and after all
	done        int
	sum         uint64
	start, stop time.Duration
}

func newSimgoHold(n, events int) *simgoHold {
	return &simgoHold{Simulation: simgo.NewSimulation(), luck: 1, warm: n, last: n + events}
}

// fire counts an event, and reports whether its timer is set again.
func (h *simgoHold) fire() bool {
	if h.done == h.last {
		return false // the queue empties
	}
	h.sum = fold(h.sum, int64(h.Now()))
	switch h.done++; h.done {
	case h.warm:
		h.start = cpuTime()
	case h.last:
		h.stop = cpuTime()
	}
	return true
}

func (h *simgoHold) gap() *simgo.Event { return h.Timeout(float64(h.luck.gap())) }

func (h *simgoHold) outcome() outcome {
	h.Run()
	return outcome{perEvent(h.start, h.stop, h.last-h.warm), h.sum}
}

// holdSimgoProcesses has a process, a goroutine, for every timer.
func holdSimgoProcesses(n, events int) outcome {
	h := newSimgoHold(n, events)
	for range n {
		h.Process(func(p simgo.Process) {
			for p.Wait(h.gap()); h.fire(); p.Wait(h.gap()) {
			}
		})
	}
	return h.outcome()
}

// holdSimgoHandlers has an event with a handler for every timer.
func holdSimgoHandlers(n, events int) outcome {
	h := newSimgoHold(n, events)
	var set func()
	handle := func(*simgo.Event) {
		if h.fire() {
			set()
		}
	}
	set = func() { h.gap().AddHandler(handle) }
	for range n {
		set()
	}
	return h.outcome()
}
