package sim

import "math/bits"

// poolSet is a set of pools, one bit each.
type poolSet []uint64

func (s poolSet) add(p int)    { s[p>>6] |= 1 << (p & 63) }
func (s poolSet) remove(p int) { s[p>>6] &^= 1 << (p & 63) }

// request sets how many instances of pool p job j wants, and releases those beyond.
func (w *World) request(j, p int, want int32) {
	h := w.holding(j, p)
	w.jobs[j].want += want - h.want
	h.want = want
	for h.starting+h.ready > want {
		w.release(w.newest(j, p))
	}
	w.recount(j, p)
	w.supply = true
}

// recount brings the number of waiting requests up to date.
func (w *World) recount(j, p int) {
	h, s, pool := w.holding(j, p), &w.jobs[j], &w.pools[p]
	before := h.waiting
	h.waiting = max(h.want-h.starting-h.ready, 0)
	more := h.waiting - before
	if more == 0 {
		return
	}
	pool.waiting += more
	s.waiting += more
	if more > 0 {
		w.offers.add(p)
		w.totals.Requests += int64(more)
	}
	switch {
	case before == 0:
		h.waitingSince = w.now
		s.waitingSince = min(s.waitingSince, w.now)
	case h.waiting == 0:
		h.waitingSince = Never
		s.waitingSince = w.longestWait(j)
	}
}

// grantWaiting grants waiting requests, in the order of pools and jobs, each once:
// a request whose instance is under notice from its grant waits again, for the next
// change of capacity.
func (w *World) grantWaiting() {
	for k, pools := range w.offers {
		for ; pools != 0; pools &= pools - 1 {
			p := k<<6 + bits.TrailingZeros64(pools)
			for _, j := range w.activeJobs {
				for n := w.holding(j, p).waiting; n > 0 && w.room(p); n-- {
					w.grant(j, p)
				}
			}
			if w.pools[p].waiting == 0 || !w.room(p) {
				w.offers.remove(p)
			}
		}
	}
	w.supply = false
}
