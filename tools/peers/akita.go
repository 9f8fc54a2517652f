package main

import (
	"time"

	akita "github.com/sarchlab/akita/v4/sim"
)

// akitaHold handles the events of a hold model on akita's serial engine. The
// clock is read by the handler, so that neither filling nor emptying the queue
// is measured.
type akitaHold struct {
	engine *akita.SerialEngine
	luck   splitmix
	warm   int // events before the measured ones
	last   int // events after which no timer is set again
	done   int
	sum    uint64
	start  time.Duration
	stop   time.Duration
}

// firing is an event as akita's own are made: a base and what it is about.
type firing struct {
	*akita.EventBase
	slot int
}

func (h *akitaHold) set(slot int, now akita.VTimeInSec) {
	at := now + akita.VTimeInSec(h.luck.gap())
	h.engine.Schedule(&firing{akita.NewEventBase(at, h), slot})
}

// Handle fires a timer and sets it again.
func (h *akitaHold) Handle(e akita.Event) error {
	if h.done == h.last {
		return nil // the queue empties
	}
	h.sum = fold(h.sum, int64(e.Time()))
	h.set(e.(*firing).slot, e.Time())
	switch h.done++; h.done {
	case h.warm:
		h.start = cpuTime()
	case h.last:
		h.stop = cpuTime()
	}
	return nil
}

func holdAkita(n, events int) outcome {
	h := &akitaHold{engine: akita.NewSerialEngine(), luck: 1, warm: n, last: n + events}
	for i := range n {
		h.set(i, 0)
	}
	if err := h.engine.Run(); err != nil {
		panic(err) // akita's serial engine has no error to give
	}
	return outcome{perEvent(h.start, h.stop, events), h.sum}
}
