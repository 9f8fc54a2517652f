package sim

import (
	"math"
	"math/bits"
	"time"
)

// Time is an instant: microseconds since the trace began. It is never
// negative in a run; Never means "not at all". Microseconds are the resolution
// of the stored traces, and leave room to pack an owner beside an instant
// into one 64-bit key (see Timers).
type Time int64

// Never is the instant that does not come.
const Never Time = math.MaxInt64

// Add returns the instant a span after t, saturating at Never and at the smallest Time. A part of a
// microsecond is rounded away from zero, so that a positive span never ends at
// the instant at which it began.
func (t Time) Add(span time.Duration) Time {
	if t == Never {
		return Never
	}
	switch {
	case span > 0:
		return t.plus(int64((span-1)/time.Microsecond) + 1)
	case span < 0:
		return t.plus(int64((span+1)/time.Microsecond) - 1)
	}
	return t
}

func (t Time) plus(us int64) Time {
	sum := int64(t) + us
	switch {
	case us > 0 && sum < int64(t):
		return Never
	case us < 0 && sum > int64(t):
		return math.MinInt64
	}
	return Time(sum)
}

// Sub returns the span since an earlier instant, saturating at the longest time.Duration (292 years).
func (t Time) Sub(earlier Time) time.Duration {
	us := int64(t) - int64(earlier)
	if (us < 0) != (t < earlier) {
		us = math.MaxInt64
		if t < earlier {
			us = math.MinInt64
		}
	}
	neg := us < 0
	mag := uint64(us)
	if neg {
		mag = -mag
	}
	hi, lo := bits.Mul64(mag, uint64(time.Microsecond))
	if hi != 0 || lo > math.MaxInt64 {
		lo = math.MaxInt64
	}
	if neg {
		return -time.Duration(lo)
	}
	return time.Duration(lo)
}

// Seconds returns t in seconds since the trace began.
func (t Time) Seconds() float64 { return float64(t) / 1e6 }

// After returns the first instant at least that many seconds after t. Infinite, not-a-
// number and unrepresentable spans give Never; seconds are otherwise at least 0.
func (t Time) After(seconds float64) Time {
	us := math.Ceil(seconds * 1e6)
	if !(us < math.MaxInt64/2) {
		return Never
	}
	return t.plus(int64(us))
}

// At returns the instant that many seconds into the trace, to the nearest
// microsecond.
func At(seconds float64) Time { return Time(math.Round(seconds * 1e6)) }

// Timers holds at most one pending instant for each owner and finds the
// earliest: a winner (tournament) tree over owner slots. Setting an owner's
// timer again moves it. Two timers at one instant are ordered by slot, whoever
// was set first, so the order of a run does not depend on who scheduled when.
//
// Keys pack (instant, slot) in one word; the tree's inner step is then a
// branch-free minimum. Where the latest instant and the number of owners do not
// fit in 64 bits together, a two-word form (instants, and a tree of winning
// slots) takes over with the same order.
//
// Why not a heap: with one timer an owner the slots are fixed, and the tree has
// no data-dependent branch to mispredict.
type Timers struct {
	first  uint64   // packed form: the winner
	node   []uint64 // the others, leaves start at leaf
	leaf   int      // number of leaves, a power of two
	shift  uint     // bits of a key that hold the slot
	latest Time     // later instants never come
	wide   bool
	at     []Time  // two-word form: instant by slot
	winner []int32 // two-word form: winning slot by node
}

const noKey = ^uint64(0)

// Reset makes room for owners slots, none of them set, with instants up to
// latest; a timer set for later never fires. It reuses the memory it has. A
// latest of Never always takes the two-word form.
func (t *Timers) Reset(owners int, latest Time) {
	if owners < 1 || owners > 1<<30 {
		panic("sim: Timers.Reset: owners must be in [1, 2^30]")
	}
	t.shift = uint(max(bits.Len(uint(owners-1)), 1)) // so that no instant is above Never
	t.leaf = 1 << t.shift
	t.latest = latest
	t.wide = uint64(latest) >= noKey>>t.shift
	if t.wide {
		t.at = resize(t.at, t.leaf)
		t.winner = resize(t.winner, 2*t.leaf)
		for i := range t.at {
			t.at[i] = Never
			t.winner[t.leaf+i] = int32(i)
		}
		for k := t.leaf - 1; k > 0; k-- {
			t.winner[k] = t.winner[2*k]
		}
		return
	}
	t.first = noKey
	t.node = resize(t.node, 2*t.leaf)
	for i := range t.node {
		t.node[i] = noKey
	}
}

// grow makes room for more owners; timers that are set stay.
func (t *Timers) grow(owners int) {
	old := *t
	*t = Timers{}
	t.Reset(owners, old.latest)
	for slot := range old.leaf {
		t.Set(slot, old.of(slot))
	}
}

// of returns the instant for which slot's timer is set, Never if it is not.
func (t *Timers) of(slot int) Time {
	if t.wide {
		return t.at[slot]
	}
	if key := t.node[t.leaf+slot]; key != noKey {
		return Time(key >> t.shift)
	}
	return Never
}

// Set moves slot's timer to at, which is at least 0; Never cancels it.
func (t *Timers) Set(slot int, at Time) {
	if at > t.latest {
		at = Never
	}
	if t.wide {
		t.setWide(slot, at)
		return
	}
	key := noKey
	if at != Never {
		key = uint64(at)<<(t.shift&63) | uint64(slot)
	}
	node := t.node
	k := uint(t.leaf + slot)
	if node[k] == key {
		return
	}
	node[k] = key
	for k > 3 { // two levels at once: a loop of one has as much to do for itself
		a := node[k^1]
		b := node[k>>1^1]
		key = min(key, a)
		node[k>>1] = key
		key = min(key, b)
		k >>= 2
		node[k] = key
	}
	if k > 1 {
		key = min(key, node[k^1])
	}
	t.first = key
}

// setWide climbs as Set does, with the winner so far and its instant. The
// conditions stand apart so that they compile to moves, not to branches.
func (t *Timers) setWide(slot int, at Time) {
	t.at[slot] = at
	w := int32(slot)
	for k := t.leaf + slot; k > 1; {
		v := t.winner[k^1]
		a := t.at[v]
		wins := a < at
		if a == at {
			wins = v < w
		}
		if wins {
			at = a
		}
		if wins {
			w = v
		}
		k >>= 1
		t.winner[k] = w
	}
}

// First returns the earliest timer: its instant and its owner's slot. With
// none set the instant is Never.
func (t *Timers) First() (Time, int) {
	if t.wide {
		w := t.winner[1]
		return t.at[w], int(w)
	}
	key := t.first
	if key == noKey {
		return Never, 0
	}
	return Time(key >> (t.shift & 63)), int(key & (1<<(t.shift&63) - 1))
}

// next returns the instant of the earliest timer, later than all that can be set if there is none.
func (t *Timers) next() Time {
	if t.wide {
		return t.at[t.winner[1]]
	}
	return Time(t.first >> (t.shift & 63))
}

// copyFrom makes t equal to src, reusing t's memory.
func (t *Timers) copyFrom(src *Timers) {
	t.first = src.first
	t.leaf = src.leaf
	t.shift = src.shift
	t.latest = src.latest
	t.wide = src.wide
	t.node = append(t.node[:0], src.node...)
	t.at = append(t.at[:0], src.at...)
	t.winner = append(t.winner[:0], src.winner...)
}

// resize returns s with length n, its memory reused where it is large enough;
// the contents are not defined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// MachineTime is time of instances added up, in microseconds. It is exact to the microsecond up to 2^53 of them, 2.5
// million instance-hours, and to 16 digits beyond; a time.Duration ends at 2.56 million.
type MachineTime float64

// exact is the number of microseconds up to which every whole one is a float64.
const exact = 1 << 53

// machineTime returns the time of n instances over a span.
func machineTime(n int32, span Time) MachineTime { return MachineTime(float64(n) * float64(span)) }

// redundant returns the part of the time of instances that work at a rate which is redundant, in whole microseconds.
func (r *Rate) redundant(worked MachineTime) MachineTime {
	if r.Redundant > 0 {
		return MachineTime(math.Floor(float64(worked) * r.Redundant))
	}
	return 0
}

// saving returns the part of the time of instances that work at a rate which goes into saves, in whole microseconds.
func (r *Rate) saving(worked MachineTime) MachineTime {
	if r.Saving > 0 {
		return MachineTime(math.Round(float64(worked) * r.Saving))
	}
	return 0
}

// Hours returns the instance-hours.
func (m MachineTime) Hours() float64 {
	const hour = int64(time.Hour / time.Microsecond)
	if m >= exact {
		return float64(m) / float64(hour)
	}
	whole := int64(m) / hour
	rest := int64(m) % hour
	return float64(whole) + float64(rest*1000)/float64(time.Hour) // as Duration.Hours, to the last bit
}

// Seconds returns the instance-seconds.
func (m MachineTime) Seconds() float64 {
	if m >= exact {
		return float64(m) / 1e6
	}
	return float64(int64(m)/1e6) + float64(int64(m)%1e6*1000)/1e9
}

// Span returns the same as a time.Duration, the longest one if it is longer.
func (m MachineTime) Span() time.Duration {
	if m > math.MaxInt64/1000 {
		return math.MaxInt64
	}
	return time.Duration(m) * time.Microsecond
}

// String writes it as a time.Duration.
func (m MachineTime) String() string { return m.Span().String() }

// extend returns s with length n, which is more; what it had before is kept, beyond it too where
// there is memory.
func extend[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return append(s[:cap(s)], make([]T, n-cap(s))...)
}
