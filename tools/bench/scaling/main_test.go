package main

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
)

// What takes a start of 20 ms and then a millisecond a unit is linear; what takes a
// square is not.
func TestExponents(t *testing.T) {
	check := near.Count(t)
	const start = 20 * time.Millisecond
	grows := func(power float64) (took [3]usage) {
		for i, size := range sizes {
			took[i].processor = start + time.Duration(math.Pow(float64(10*size), power)*float64(time.Millisecond))
		}
		return took
	}
	for _, power := range []float64{0.5, 1, 2} {
		if all, last := exponents(grows(power), start); check.Off(all, power, 0.01) || check.Off(last, power, 0.01) {
			t.Errorf("power %v: %v, %v", power, all, last)
		}
	}
}
