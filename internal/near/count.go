package near

import (
	"flag"
	"math"
	"strings"
	"sync/atomic"

	"github.com/marigram/marigram/internal/stats"
)

// TB is what a comparison needs of a *testing.T; programs that import this package do without testing.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(func())
	Failed() bool
	Skipped() bool
}

// Counter compares the numbers of one test and counts them. Subtests may share it, also those that run at once.
type Counter struct {
	t TB
	n atomic.Int64
}

// Count returns a counter that fails the test at its end if nothing was compared by then: a table without rows, a loop
// that never ran, a condition that was never reached. A test that failed or was skipped, or of which only some subtests
// were to run (-run Test/subtest), does not fail by it.
func Count(t TB) *Counter {
	t.Helper()
	c := &Counter{t: t}
	t.Cleanup(func() {
		t.Helper()
		if c.n.Load() == 0 && !t.Failed() && !t.Skipped() && !partial() {
			t.Errorf("no number was compared: the table is empty, or the comparison was never reached")
		}
	})
	return c
}

// partial reports whether the command runs some subtests only.
func partial() bool {
	run := flag.Lookup("test.run")
	return run != nil && strings.Contains(run.Value.String(), "/")
}

// N returns how many numbers were compared.
func (c *Counter) N() int { return int(c.n.Load()) }

// Off reports whether got is farther than tolerance from want, or one of the three is no finite number.
func (c *Counter) Off(got, want, tolerance float64) bool {
	c.n.Add(1)
	return !Is(got, want, tolerance)
}

// OffRel is Off with a tolerance of share times the size of want: 0.01 is 1 %. At a want of 0 only 0 is not off.
func (c *Counter) OffRel(got, want, share float64) bool {
	return c.Off(got, want, share*math.Abs(want))
}

// Alike reports whether two numbers that should differ by more than by do not, or one of the three is no finite number.
func (c *Counter) Alike(a, b, by float64) bool {
	c.n.Add(1)
	return !(math.Abs(a-b) > by && stats.Finite(a) && stats.Finite(b))
}

// Outside reports whether x is below low or above high, or is no finite number. An infinite limit is none.
func (c *Counter) Outside(x, low, high float64) bool {
	c.n.Add(1)
	return !Between(x, low, high)
}

// Above is Outside without a lower limit.
func (c *Counter) Above(x, high float64) bool { return c.Outside(x, math.Inf(-1), high) }

// Below is Outside without an upper limit.
func (c *Counter) Below(x, low float64) bool { return c.Outside(x, low, math.Inf(1)) }

// Abs fails the test where got is farther than tolerance from want, or one of the three is no finite number. what says
// which number it is.
func (c *Counter) Abs(what string, got, want, tolerance float64) {
	c.t.Helper()
	if c.Off(got, want, tolerance) {
		c.t.Errorf("%s: %v, expected %v within %v; off by %v", what, got, want, tolerance, got-want)
	}
}

// Rel fails the test where OffRel is true.
func (c *Counter) Rel(what string, got, want, share float64) {
	c.t.Helper()
	if c.OffRel(got, want, share) {
		c.t.Errorf("%s: %v, expected %v within a share of %v; off by %v, a share of %v",
			what, got, want, share, got-want, got/want-1)
	}
}

// In fails the test where x is below low or above high, or is no finite number. An infinite limit is none.
func (c *Counter) In(what string, x, low, high float64) {
	c.t.Helper()
	if c.Outside(x, low, high) {
		c.t.Errorf("%s: %v, expected %v to %v", what, x, low, high)
	}
}

// Abs is Counter.Abs, for a comparison that is always reached: not in a loop.
func Abs(t TB, what string, got, want, tolerance float64) {
	t.Helper()
	(&Counter{t: t}).Abs(what, got, want, tolerance)
}

// Rel is Counter.Rel, for a comparison that is always reached: not in a loop.
func Rel(t TB, what string, got, want, share float64) {
	t.Helper()
	(&Counter{t: t}).Rel(what, got, want, share)
}

// In is Counter.In, for a comparison that is always reached: not in a loop.
func In(t TB, what string, x, low, high float64) {
	t.Helper()
	(&Counter{t: t}).In(what, x, low, high)
}
