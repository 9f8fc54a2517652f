package sim

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/internal/near"
)

func TestTimeSaturates(t *testing.T) {
	for _, x := range []struct {
		at   Time
		d    time.Duration
		want Time
	}{
		{0, time.Second, 1_000_000},
		{5, 1, 6},  // part of a microsecond counts as one
		{5, -1, 4}, // in both directions
		{Never - 1, time.Second, Never},
		{Never, -time.Hour, Never},
		{math.MinInt64 + 1, -time.Hour, math.MinInt64},
	} {
		if got := x.at.Add(x.d); got != x.want {
			t.Errorf("%d + %v = %d, expected %d", x.at, x.d, got, x.want)
		}
	}
	if d := Never.Sub(0); d != math.MaxInt64 {
		t.Errorf("Never - 0 = %v", d)
	}
	if d := Time(0).Sub(Never); d != -math.MaxInt64 {
		t.Errorf("0 - Never = %v", d)
	}
	if d := Time(math.MinInt64).Sub(Never); d != -math.MaxInt64 {
		t.Errorf("first - Never = %v", d)
	}
	for _, s := range []float64{math.NaN(), math.Inf(1), 1e300} {
		if at := Time(7).After(s); at != Never {
			t.Errorf("After(%v) = %d", s, at)
		}
	}
}

func TestTimeAddsUp(t *testing.T) {
	check := near.Count(t)
	rapid.Check(t, func(t *rapid.T) {
		at := Time(rapid.Int64Range(0, 1<<52).Draw(t, "at"))
		d := time.Duration(rapid.Int64Range(0, 1<<52).Draw(t, "us")) * time.Microsecond
		if d/time.Microsecond > 1<<43 {
			d = 0
		}
		if got := at.Add(d).Sub(at); got != d {
			t.Fatalf("(%d + %v) - %d = %v", at, d, at, got)
		}
		s := rapid.Float64Range(0, 1e9).Draw(t, "s")
		if end := at.After(s); check.Below(end.Sub(at).Seconds(), s-1e-6) || end < at {
			t.Fatalf("%v s after %d is %d", s, at, end)
		}
	})
}

// The dice are frozen: these numbers are in every published result.
func TestDiceAreFrozen(t *testing.T) {
	check := near.Count(t)
	d := Rand{Seed: 42}
	for i, want := range []uint64{0x4828c3c9abc3bc8d, 0x670e0d9129886e9c, 0xbd5ed9fb9ec091c1, 0xa14b9739db0474a6} {
		if got := d.Bits(Purpose(i), uint64(10*i), uint64(100*i)); got != want {
			t.Errorf("draw %d: %#x, frozen as %#x", i, got, want)
		}
	}
	if a, b := NameEntity("foobar"), NameEntity("us-east-1a/p3.2xlarge"); a != 0x85944171f73967e8 || b != 0x9c148d1def1bdd9 {
		t.Errorf("entities of names %#x, %#x: frozen as FNV-1a has them", a, b)
	}
	if x := d.Normal(PurposeBoot, 1, 2); check.Off(x, -1.199631964750836, 1e-12) {
		t.Errorf("normal %v, frozen as -1.199631964750836", x)
	}
}

// Neighbouring names give unrelated draws: means, variance and correlation of
// 100,000, within five standard errors.
func TestDiceAreFair(t *testing.T) {
	check := near.Count(t)
	d := Rand{Seed: 7}
	const n = 100_000
	sum, square, lag := 0.0, 0.0, 0.0
	before := 0.5
	for i := range uint64(n) {
		x := d.Uniform(PurposeBoot, i%10, i/10)
		if check.Below(x, 0) || !(x < 1) {
			t.Fatalf("draw %d is %v", i, x)
		}
		sum, square, lag = sum+x, square+x*x, lag+(x-0.5)*(before-0.5)
		before = x
	}
	for what, x := range map[string]float64{
		"mean":        (sum/n - 0.5) * math.Sqrt(12*n),
		"square":      (square/n - 1./3) / math.Sqrt(4./45/n),
		"correlation": lag / n * 12 * math.Sqrt(n),
	} {
		if check.Off(x, 0, 5) {
			t.Errorf("%s is %.1f standard errors off", what, x)
		}
	}
	same := Rand{Seed: 8}
	if d.Bits(PurposeBoot, 1, 1) == same.Bits(PurposeBoot, 1, 1) || d.Bits(PurposeBoot, 1, 2) == d.Bits(PurposeBoot, 2, 1) ||
		d.Bits(PurposeBoot, 1, 1) == d.Bits(PurposeNotice, 1, 1) {
		t.Error("different names, the same draw")
	}
}
