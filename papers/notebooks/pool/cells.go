package pool

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// schedule makes the next cell of a session due, passing over those without GPUs.
func (r *round) schedule(i int) {
	s, t := &r.sessions[i], &r.turns[i]
	for t.cell < len(s.Cells) && s.Cells[t.cell].GPUs == 0 {
		t.cell++
	}
	t.due, t.delay = sim.Never, -1
	if t.cell < len(s.Cells) {
		t.due = max(r.now, r.at(s.Cells[t.cell].Start).Add(t.late))
	} else {
		t.replicas = t.replicas[:0]
	}
}

// end frees the GPUs of cells that end.
func (r *round) end() {
	r.busy = slices.DeleteFunc(r.busy, func(b busy) bool {
		if b.end > r.now {
			return false
		}
		r.host(b.host).idle += b.gpus
		t := &r.turns[b.session]
		t.late += b.began.Sub(t.since) + b.cold
		t.cell++
		r.schedule(b.session)
		return true
	})
}

// join puts the cells that are due into the queue, by session.
func (r *round) join() {
	for i := range r.turns {
		if t := &r.turns[i]; t.due <= r.now {
			t.since, t.due = t.due, sim.Never
			r.queue = append(r.queue, i)
		}
	}
}

// start runs the cells of the queue that find room.
func (r *round) start() {
	r.queue = slices.DeleteFunc(r.queue, func(i int) bool {
		c, t := r.cellOf(i), &r.turns[i]
		k, cold := r.place(i, c.GPUs)
		if k < 0 {
			return false
		}
		h := &r.hosts[k]
		h.idle -= c.GPUs
		if r.plan.Reason() == "" {
			r.plan.SetReason("cells begin on the host with most idle GPUs")
		}
		if t.delay < 0 {
			t.delay = len(r.delays)
			r.delays = append(r.delays, 0)
		}
		r.delays[t.delay] = r.now.Sub(t.since).Seconds()
		r.busy = append(r.busy, busy{r.now, r.now.Add(cold + time.Duration(c.Duration)*time.Second), i, h.number, c.GPUs, cold, t.delay})
		return true
	})
}

// place returns the host on which a session's cell begins now, the one with most idle GPUs, of
// equal ones the first, -1 if none has room; and how long the cell takes to begin there.
func (r *round) place(i, gpus int) (k int, cold time.Duration) {
	if r.Replicas == 0 {
		return r.maxIdle(gpus, nil), r.Cold
	}
	return r.placeKernel(i, gpus)
}
