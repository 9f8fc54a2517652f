package sim

import (
	"sort"

	"github.com/marigram/marigram/sim/cursor"
)

// listen chooses the market's records that policy and recorder need from now on: prices, too, for those that watch
// them.
func (w *World) listen() {
	w.records = w.market.events
	all := w.traits.WatchesPrices || w.recorder != nil
	if all {
		w.records = w.market.all()
	}
	w.goThrough(!all && w.market.dense(w.start, w.end))
}

// goThrough goes on with the records after now. Of a dense market those are passed over that can touch neither what is
// held nor what is wanted.
func (w *World) goThrough(skips bool) {
	w.passed = sort.Search(len(w.records), func(i int) bool { return w.records[i].at > w.now })
	w.skips = skips
	w.meeting = false
	w.loose = false
	if !skips {
		for p := range w.pools {
			w.updateCapacity(p, w.now) // the run that this one is a fork of may have passed over it
		}
		w.advance(w.passed)
		return
	}
	w.loose = !w.offers.empty()
	w.ahead.Reset(&w.market.ahead)
	for p := range w.pools {
		w.seek(p)
	}
	w.advance(int(w.ahead.First()))
}

// advance moves the cursor of the market's records.
func (t *trace) advance(to int) {
	t.at = to
	t.nextRecord = Never
	if to < len(t.records) {
		t.nextRecord = t.records[to].at
	}
}

// meetNext meets the record at the cursor, and finds the next that can matter.
func (w *World) meetNext() {
	change := &w.records[w.at]
	w.passed = w.at + 1
	matters := w.matters(change)
	if !matters {
		w.totals.Events-- // it did when it was looked up
	}
	if matters || w.loose {
		w.meeting = true
		w.fromMarket(change)
		w.meeting = false
	}
	w.seek(int(change.pool))
	w.advance(int(w.ahead.First()))
}

// matters reports whether a record changes more than the capacity that is looked up.
func (w *World) matters(change *record) bool {
	pool := &w.pools[change.pool]
	switch change.kind {
	case recordCapacity:
		return pool.unmarked > int32(change.value) || pool.waiting > 0 && change.rise
	case recordWarning:
		return pool.unmarked > int32(change.value)
	}
	return true
}

// seek finds the next record that matters to pool p. One that is passed over would change nothing but the capacity,
// which is looked up when it counts (fleet.updateCapacity): it takes nothing that is held, and either nothing waits or
// it makes no room.
func (w *World) seek(p int) {
	what := cursor.Held
	pool := &w.pools[p]
	if pool.waiting > 0 {
		what = cursor.Wanted
		if w.loose {
			what = cursor.Everything
		}
	}
	w.ahead.Seek(p, int32(w.passed), pool.unmarked, what)
}

// seekAgain does so for a pool for which requests begin to wait, or were granted.
func (w *World) seekAgain(p int) {
	if w.skips { // here, where it costs no call
		w.seekFromNow(p)
	}
}

func (w *World) seekFromNow(p int) {
	if w.meeting && p == int(w.records[w.at].pool) {
		return // meetNext does
	}
	if !w.meeting {
		w.pass()
	}
	w.seek(p)
	w.advance(int(w.ahead.First()))
}

// pass passes all records until now.
func (w *World) pass() {
	step := 1
	for w.isPast(w.passed + step - 1) {
		w.passed += step
		step *= 2
	}
	for step /= 2; step > 0; step /= 2 {
		if w.isPast(w.passed + step - 1) {
			w.passed += step
		}
	}
}

// isPast reports whether a record is there and not after now.
func (w *World) isPast(i int) bool { return i < len(w.records) && w.records[i].at <= w.now }

// loosen says whether every record of the pools for which requests wait is to be met: some request could be
// granted still, and is when the next record offers headroom.
func (w *World) loosen() {
	if w.skips && w.loose == w.offers.empty() { // here, where it costs no call
		w.setLoose(!w.loose)
	}
}

func (w *World) setLoose(loose bool) {
	w.loose = loose
	if loose { // else what is met in vain by then changes nothing
		w.seekWaiting()
	}
}

// seekWaiting seeks the next record of each pool for which requests wait.
func (w *World) seekWaiting() {
	w.pass()
	for p := range w.pools {
		if w.pools[p].waiting > 0 {
			w.seek(p)
		}
	}
	w.advance(int(w.ahead.First()))
}
