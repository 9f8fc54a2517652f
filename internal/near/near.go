// Package near compares numbers in tests and checks. A comparison by hand, as in
//
//	if math.Abs(got-want) > tolerance { t.Error(...) }
//
// passes where a number is NaN, and in a loop that never runs. Here both fail.
//
// The word is the test's: check := near.Count(t), then check.Abs("cost", got, want, 1e-9), or, in a condition with a
// message of its own, if check.Off(got, want, 1e-9) || ... { t.Errorf(...) }. Outside of loops Abs, Rel and In do
// without the counter. Is and Between are for code that has no test.
package near

import (
	"math"

	"github.com/marigram/marigram/internal/stats"
)

// Is reports whether got is at most tolerance from want, and all three are numbers: it is false where one of them is
// NaN or infinite, also for two infinities.
func Is(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance && stats.Finite(want) && stats.Finite(tolerance)
}

// Between reports whether x is a finite number of low to high, both included. An infinite limit is none: Between(x, 0,
// math.Inf(1)) asks for a finite number of at least 0. It is false where a limit is NaN.
func Between(x, low, high float64) bool { return x >= low && x <= high && stats.Finite(x) }
