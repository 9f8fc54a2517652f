package sim

import (
	"sort"

	"github.com/marigram/marigram/sim/cursor"
)

// goThrough goes on with the records after now. Of a dense market those are passed over that can touch neither what is held nor
// what is wanted.
func (t *trace) goThrough(w *World, skips bool) {
	t.passed = sort.Search(len(t.records), func(i int) bool { return t.records[i].at > w.now })
	t.skips, t.meeting, t.loose = skips, false, false
	if !skips {
		for p := range w.pools {
			w.updateCapacity(p, w.now) // the run that this one is a fork of may have passed over it
		}
		t.advance(t.passed)
		return
	}
	t.loose = !w.offers.empty()
	t.ahead.Reset(&w.market.ahead)
	for p := range w.pools {
		t.seek(w, p)
	}
	t.advance(int(t.ahead.First()))
}

// advance moves the cursor of the market's records.
func (t *trace) advance(to int) {
	t.at, t.nextRecord = to, Never
	if to < len(t.records) {
		t.nextRecord = t.records[to].at
	}
}

// matters reports whether a record changes more than the capacity that is looked up.
func (t *trace) matters(w *World, r *record) bool {
	pool := &w.pools[r.pool]
	switch r.kind {
	case recordCapacity:
		return pool.unmarked > int32(r.value) || pool.waiting > 0 && r.rise
	case recordWarning:
		return pool.unmarked > int32(r.value)
	}
	return true
}

// seek finds the next record that matters to pool p. One that is passed over would change nothing but the
// capacity, which is looked up when it counts (fleet.updateCapacity): it takes nothing that is held, and either nothing waits or it
// makes no room.
func (t *trace) seek(w *World, p int) {
	what, pool := cursor.Held, &w.pools[p]
	if pool.waiting > 0 {
		what = cursor.Wanted
		if t.loose {
			what = cursor.Everything
		}
	}
	t.ahead.Seek(p, int32(t.passed), pool.unmarked, what)
}

// seekAgain does so for a pool for which requests begin to wait, or were granted.
func (t *trace) seekAgain(w *World, p int) {
	if t.meeting && p == int(t.records[t.at].pool) {
		return // meetNext does
	}
	if !t.meeting {
		t.pass(w)
	}
	t.seek(w, p)
	t.advance(int(t.ahead.First()))
}

// pass passes all records until now.
func (t *trace) pass(w *World) {
	step := 1
	for t.isPast(w, t.passed+step-1) {
		t.passed += step
		step *= 2
	}
	for step /= 2; step > 0; step /= 2 {
		if t.isPast(w, t.passed+step-1) {
			t.passed += step
		}
	}
}

// isPast reports whether a record is there and not after now.
func (t *trace) isPast(w *World, i int) bool { return i < len(t.records) && t.records[i].at <= w.now }

// loosen says whether every record of the pools for which requests wait is to be met: some request could be
// granted still, and is when the next record offers headroom.
func (t *trace) loosen(w *World, loose bool) {
	if loose == t.loose {
		return
	}
	if t.loose = loose; !loose {
		return // what is met in vain by then changes nothing
	}
	t.pass(w)
	for p := range w.pools {
		if w.pools[p].waiting > 0 {
			t.seek(w, p)
		}
	}
	t.advance(int(t.ahead.First()))
}
