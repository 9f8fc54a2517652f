package near

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
)

// fake is a test that keeps what it is told.
type fake struct {
	mu       sync.Mutex
	errors   []string
	cleanups []func()
	skipped  bool
}

func (*fake) Helper()            {}
func (f *fake) Failed() bool     { return len(f.errors) > 0 }
func (f *fake) Skipped() bool    { return f.skipped }
func (f *fake) Cleanup(c func()) { f.cleanups = append(f.cleanups, c) }
func (f *fake) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func (f *fake) end() {
	for _, c := range f.cleanups {
		c()
	}
}

var nan, inf = math.NaN(), math.Inf(1)

func TestAbs(t *testing.T) {
	for _, c := range []struct {
		got, want, tolerance float64
		passes               bool
	}{
		{1, 1, 0, true}, {1.5, 1, .5, true}, {.5, 1, .5, true}, {1.5, 1, .4999, false}, {-1, 1, 1, false}, {1, 1, -1e-9, false},
		{nan, 1, 1, false}, {1, nan, 1, false}, {1, 1, nan, false}, {nan, nan, 1, false}, {nan, nan, nan, false},
		{inf, 1, 1, false}, {1, inf, 1, false}, {inf, inf, 1, false}, {-inf, -inf, 0, false}, {inf, -inf, inf, false},
		{1, 1, inf, false}, {1, inf, inf, false}, {nan, 1, inf, false},
		{math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, false},
	} {
		var f fake
		Abs(&f, "cost", c.got, c.want, c.tolerance)
		counted := Count(&f).Off(c.got, c.want, c.tolerance)
		if f.Failed() == c.passes || counted == c.passes || Is(c.got, c.want, c.tolerance) != c.passes {
			t.Errorf("%v: %q, %v", c, f.errors, counted)
		}
		if !c.passes && !strings.HasPrefix(f.errors[0], fmt.Sprintf("cost: %v, expected %v within %v", c.got, c.want, c.tolerance)) {
			t.Errorf("%v: %q", c, f.errors)
		}
	}
}

func TestRel(t *testing.T) {
	for _, c := range []struct {
		got, want, share float64
		passes           bool
	}{
		{101, 100, .01, true}, {-101, -100, .01, true}, {101.1, 100, .01, false}, {0, 0, .01, true}, {1e-300, 0, .01, false},
		{nan, 1, .01, false}, {1, nan, .01, false}, {1, 1, nan, false}, {inf, inf, .01, false}, {1, inf, .01, false}, {inf, 1, .01, false}, {1, 2, inf, false},
	} {
		var f fake
		Rel(&f, "time", c.got, c.want, c.share)
		if f.Failed() == c.passes {
			t.Errorf("%v: %q", c, f.errors)
		}
	}
}

func TestIn(t *testing.T) {
	for _, c := range []struct {
		x, low, high float64
		passes       bool
	}{
		{1, 1, 2, true}, {2, 1, 2, true}, {.99, 1, 2, false}, {2.01, 1, 2, false}, {5, 1, inf, true}, {-5, -inf, 1, true},
		{nan, 1, 2, false}, {nan, -inf, inf, false}, {inf, 1, inf, false}, {-inf, -inf, 1, false}, {1, nan, 2, false}, {1, 0, nan, false}, {1, 2, 0, false},
	} {
		var f fake
		In(&f, "share", c.x, c.low, c.high)
		if f.Failed() == c.passes || Count(&f).Outside(c.x, c.low, c.high) == c.passes {
			t.Errorf("%v: %q", c, f.errors)
		}
	}
	check := Count(&fake{})
	for _, x := range []float64{nan, inf, -inf} {
		if !check.Above(x, 1) || !check.Below(x, 1) {
			t.Errorf("%v is above or below nothing", x)
		}
	}
	if check.Above(1, 1) || check.Below(1, 1) || !check.Above(2, 1) || !check.Below(0, 1) {
		t.Error("limits are not what they are")
	}
}

func TestAlike(t *testing.T) {
	check := Count(&fake{})
	for _, c := range [][3]float64{{1, 1, 0}, {1, 2, 1}, {nan, 1, .1}, {1, nan, .1}, {1, 2, nan}, {inf, 1, .1}, {1, -inf, .1}, {inf, inf, .1}} {
		if !check.Alike(c[0], c[1], c[2]) {
			t.Errorf("%v differ", c)
		}
	}
	if check.Alike(1, 2, .99) || check.Alike(2, 1, .99) {
		t.Error("1 and 2 are alike")
	}
}

// A test that compared nothing fails at its end.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		name     string
		do       func(*fake, *Counter)
		expected int
	}{
		{"nothing", func(*fake, *Counter) {}, 1},
		{"an empty table", func(_ *fake, c *Counter) {
			for _, x := range []float64(nil) {
				c.Abs("x", x, 1, 1)
			}
		}, 1},
		{"one", func(_ *fake, c *Counter) { c.Abs("x", 1, 1, 1) }, 0},
		{"one of a range", func(_ *fake, c *Counter) { c.In("x", 1, 1, 1) }, 0},
		{"one in a condition", func(_ *fake, c *Counter) { _ = c.Off(1, 1, 1) }, 0},
		{"skipped", func(f *fake, _ *Counter) { f.skipped = true }, 0},
		{"failed before", func(f *fake, _ *Counter) { f.Errorf("otherwise") }, 1},
	} {
		var f fake
		check := Count(&f)
		c.do(&f, check)
		f.end()
		if len(f.errors) != c.expected {
			t.Errorf("%s: %q", c.name, f.errors)
		}
	}
}

// Where only some subtests are to run, those that compare may not be among them.
func TestPartial(t *testing.T) {
	run := flag.Lookup("test.run")
	before := run.Value.String()
	defer run.Value.Set(before)
	if err := run.Value.Set("TestX/sub"); err != nil {
		t.Fatal(err)
	}
	var f fake
	Count(&f)
	f.end()
	if f.Failed() {
		t.Error(f.errors)
	}
}

// Subtests that run at once share a counter.
func TestAtOnce(t *testing.T) {
	var f fake
	check := Count(&f)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				check.Abs("x", 1, 1, 0)
			}
		})
	}
	all.Wait()
	if n := check.N(); n != 8000 || f.Failed() {
		t.Errorf("%d compared, %q", n, f.errors)
	}
}
