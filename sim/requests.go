package sim

import (
	"math/bits"
)

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

// grantWaiting grants waiting requests, in the order of pools and jobs, each once:
// a request whose instance is under notice from its grant waits again, for the next
// change of capacity.
func (w *World) grantWaiting() {
	for k, pools := range w.offers {
		for ; pools != 0; pools &= pools - 1 {
			p := k<<6 + bits.TrailingZeros64(pools)
			for _, j := range w.activeJobs {
				h := w.holding(j, p)
				if w.pools[p].queue > 0 && w.now < h.waitingSince {
					continue // it has not waited as long as was announced
				}
				for n := h.waiting; n > 0 && w.room(p); n-- {
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

// enqueue puts the requests of job j in pool p, which are its first, into the pool's queue: they
// may be granted after the wait that is announced.
func (w *World) enqueue(j, p int) {
	h := w.holding(j, p)
	h.waitingSince = w.now.Add(w.market.pools[p].Wait)
	queue := int(w.pools[p].queue) - 1
	w.timers.Set(len(w.inst)+len(w.jobs)+queue*len(w.jobs)+j, h.waitingSince)
}

// fromQueue handles the timer of a place in a queue: its requests may be granted.
func (w *World) fromQueue(slot int) {
	w.touch()
	w.timers.Set(slot, Never)
	w.offer(w.queues[(slot-len(w.inst)-len(w.jobs))/len(w.jobs)])
}

// grant gives job j one instance of pool p.
func (w *World) grant(j, p int) {
	w.accountJob(j, w.now)
	w.pay(j, p)
	if len(w.covers) > 0 {
		w.coverUntil(p, w.now)
	}
	pool, facts := &w.pools[p], &w.market.pools[p]
	i := w.slot()
	x := &w.inst[i] // empty: retire clears it
	x.state, x.job, x.pool, x.node, x.place, x.ordinal = instanceStarting, int32(j), int32(p), -1, unplaced, pool.grants
	x.granted, x.ready, x.gone = w.now, w.now.Add(facts.Boot.draw(pool.bootTimes, int(pool.grants))), Never
	x.marked = Never
	if facts.Length > 0 {
		x.marked = w.now.Add(max(facts.Length-facts.Notice, 0))
	}
	h := w.holding(j, p)
	h.starting++
	w.jobs[j].starting++
	w.join(pool, i)
	pool.grants++
	pool.unmarked++
	w.totals.Grants++
	w.totals.Pools[p].Grants++
	w.recount(j, p)
	w.trigger |= TriggerGrant
	if pool.nodes > 0 {
		x.node = w.freeNode(p)
		w.nodes[pool.node+x.node] = i
	}
	w.instanceEvent(w.now, x, InstanceGranted)
	if x.ready == w.now {
		w.ready(i)
	}
	w.markAtGrant(i)
	w.setInstanceTimer(i)
}
