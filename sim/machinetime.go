package sim

import (
	"math"
	"time"
)

// MachineTime is time of instances added up, in microseconds: at most 2.56 billion instance-hours, as of
// 131,072 instances for 2.2 years. A time.Duration holds 2.56 million.
type MachineTime int64

// Hours returns the instance-hours.
func (m MachineTime) Hours() float64 {
	const hour = int64(time.Hour / time.Microsecond)
	whole, rest := int64(m)/hour, int64(m)%hour
	return float64(whole) + float64(rest*1000)/float64(time.Hour) // as Duration.Hours, to the last bit
}

// Seconds returns the instance-seconds.
func (m MachineTime) Seconds() float64 {
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

// plus adds; what is more than a MachineTime holds is the largest one.
func (m MachineTime) plus(n MachineTime) MachineTime {
	if m > math.MaxInt64-n {
		return math.MaxInt64
	}
	return m + n
}
