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

// grant gives job j one instance of pool p.
func (w *World) grant(j, p int) {
	w.accountJob(j, w.now)
	w.pay(j, p)
	pool, facts := &w.pools[p], &w.market.pools[p]
	i := w.slot()
	x := &w.inst[i] // empty: retire clears it
	x.state, x.job, x.pool, x.node, x.place, x.ordinal = instanceStarting, int32(j), int32(p), -1, unplaced, pool.grants
	x.granted, x.ready, x.gone = w.now, w.now.Add(facts.Boot.draw(pool.bootTimes, int(pool.grants))), Never
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
