package sim

import (
	"math"
	"time"
)

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

// Hours returns the instance-hours.
func (m MachineTime) Hours() float64 {
	const hour = int64(time.Hour / time.Microsecond)
	if m >= exact {
		return float64(m) / float64(hour)
	}
	whole, rest := int64(m)/hour, int64(m)%hour
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
