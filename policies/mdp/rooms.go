package mdp

import (
	"math"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// rooms is what a run has seen of how many instances the pools have room for: where a request for more is left waiting,
// or instances are taken, what stays is all the room that there is.
type rooms struct {
	list   []room
	prices []prices
}

// room is what was seen of one pool.
type room struct {
	known   bool // it had room for n instances and no more when it was last asked
	n       int
	at      sim.Time // when that was
	share   float64  // sum of the rooms that were seen while there were some, of what is allowed
	changes float64  // number of them
}

// NewState implements sim.Stateful.
func (m *MDP) NewState(from, used any) any {
	return policyutil.NewMemory[rooms, *rooms](m, from, used)
}

// Pools implements policyutil.Kept.
func (r *rooms) Pools() int { return len(r.list) }

// Restart implements policyutil.Kept.
func (r *rooms) Restart(pools int) {
	r.list = policyutil.Resize(r.list, pools)
	clear(r.list)
	r.prices = policyutil.Resize(r.prices, pools)
	for k := range r.prices {
		r.prices[k] = prices{spells: r.prices[k].spells[:0]}
	}
}

// CopyFrom implements policyutil.Kept.
func (r *rooms) CopyFrom(other *rooms) {
	r.list = append(r.list[:0], other.list...)
	r.prices = policyutil.Resize(r.prices, len(other.prices))
	for k := range r.prices {
		r.prices[k].spells = append(r.prices[k].spells[:0], other.prices[k].spells...)
		r.prices[k].at = other.prices[k].at
	}
}

// see takes in what a job holds of a pool, and has requested or is about to lose, where it may hold at most limit.
func (r *room) see(held *sim.Held, limit int, now sim.Time) {
	active := held.Active()
	switch {
	case held.Waiting > 0 && active < limit, held.Noticed > 0:
		if active > 0 && !(r.known && r.n == active) {
			r.count(active, limit)
		}
		r.known = true
		r.n = active
		r.at = now
	case active == limit && active > 0:
		if r.known {
			r.count(active, limit)
		}
		r.known = false
	case r.known && active > r.n:
		r.known = false
	}
}

func (r *room) count(n, limit int) {
	r.share += float64(n) / float64(limit)
	r.changes++
}

// isRecent reports whether the room is known, and was looked at a short time ago.
func (r *room) isRecent(now sim.Time) bool { return r.known && isRecent(now, r.at) }

// expected returns how many instances of at most limit a pool is expected to have room for when it has some: all of
// them at first.
func (r *room) expected(limit int) int {
	if limit == 0 {
		return 0
	}
	share := (1 + r.share) / (1 + r.changes)
	return max(int(math.Round(share*float64(limit))), 1)
}
