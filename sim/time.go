package sim

import (
	"math"
	"math/bits"
	"time"
)

// Time is an instant: microseconds since the history began. It is never
// negative in a run; Never means "not at all". Microseconds are the resolution
// of the stored histories, and leave room to pack an owner beside an instant
// into one 64-bit key (see Timers).
type Time int64

// Never is the instant that does not come.
const Never Time = math.MaxInt64

// Add returns t+d, saturating at Never and at the smallest Time. A part of a
// microsecond is rounded away from zero, so that a positive span never ends at
// the instant at which it began.
func (t Time) Add(d time.Duration) Time {
	if t == Never {
		return Never
	}
	switch {
	case d > 0:
		return t.plus(int64((d-1)/time.Microsecond) + 1)
	case d < 0:
		return t.plus(int64((d+1)/time.Microsecond) - 1)
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

// Sub returns t-u, saturating at the longest time.Duration (292 years).
func (t Time) Sub(u Time) time.Duration {
	us := int64(t) - int64(u)
	if (us < 0) != (t < u) {
		us = math.MaxInt64
		if t < u {
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

// Seconds returns t in seconds since the history began.
func (t Time) Seconds() float64 { return float64(t) / 1e6 }

// After returns the first instant at least s seconds after t. Infinite, not-a-
// number and unrepresentable spans give Never; s is otherwise at least 0.
func (t Time) After(s float64) Time {
	us := math.Ceil(s * 1e6)
	if !(us < math.MaxInt64/2) {
		return Never
	}
	return t.plus(int64(us))
}

// At returns the instant s seconds into the history, to the nearest
// microsecond.
func At(s float64) Time { return Time(math.Round(s * 1e6)) }
