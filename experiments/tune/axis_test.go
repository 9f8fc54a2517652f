package tune

import (
	"math"
	"testing"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
	_ "github.com/marigram/marigram/papers/extensions"
)

var safePolicy = spec.Policy{Name: "spotdnn-safe"}

// Places on an axis are values within its ends, in their order, and the spec's own value is
// at its place; ranges that are wide are searched by the logarithm.
func TestPlaces(t *testing.T) {
	check := near.Count(t)
	for _, text := range []string{"policy.reserve_s=30..900", "policy.reserve_s", "policy.patience_s", "policy.slack=0.1..0.5",
		"policy.on_demand_instances=1..12", "policy.poll_s=0..60"} {
		a, err := parseAxis(text, &safePolicy)
		if err != nil {
			t.Fatal(err)
		}
		last := math.Inf(-1)
		for u := 0.0; u <= 1; u += 1.0 / 64 {
			x := number(t, a.at(u))
			if x < a.low || x > a.up || x < last {
				t.Errorf("%s: %v at %v, after %v", text, x, u, last)
			}
			last = x
			if x > 0 && x < 1 && text != "policy.slack=0.1..0.5" {
				t.Errorf("%s: %v at %v, expected nothing between 0 and 1", text, x, u)
			}
		}
		if own, want := number(t, a.at(a.place())), min(max(a.present, a.low), a.up); check.Off(own, want, 0.006*want+0.5) {
			t.Errorf("%s: %v at its place, expected %v", text, own, want)
		}
	}
	wide, err := parseAxis("policy.reserve_s", &safePolicy)
	if x := number(t, wide.at(0.5)); err != nil || x > 5000 {
		t.Errorf("%v at the middle of 1 to 86400 s: the scale is not logarithmic", x)
	}
	if a, err := parseAxis("policy.reserve_s=5,7", &safePolicy); err != nil || a.ranged() || len(a.values) != 2 {
		t.Errorf("%+v, %v", a, err)
	}
	for x, want := range map[float64]float64{0.3: 0.3, -0.3: 0.3, 1.2: 0.8, 2.2: 0.2, -1.4: 0.6} {
		if got := reflected(x); check.Off(got, want, 1e-12) {
			t.Errorf("reflected(%v) = %v, want %v", x, got, want)
		}
	}
}

func number(t *testing.T, v any) float64 {
	t.Helper()
	switch x := v.(type) {
	case int:
		return float64(x)
	case float64:
		return x
	}
	t.Fatalf("%v is no number", v)
	return 0
}

// What is not an axis is an error, never a panic.
func FuzzParseAxis(f *testing.F) {
	for _, text := range []string{"policy.reserve_s=30..900", "policy.patience_s=30,120", "policy.slack", "a=b", "policy.=..", "=",
		"policy.slack=.nan...inf", "x=[", "0= ", "policy.slack=0..1e999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAxis(text, &safePolicy)
		if err != nil {
			return
		}
		if a.path == "" || a.ranged() && !(a.low < a.up) || !a.ranged() && len(a.values) == 0 {
			t.Errorf("%q: %+v", text, a)
		}
		a.at(0.5)
	})
}
