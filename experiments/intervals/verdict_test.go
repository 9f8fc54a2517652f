package intervals

import "testing"

// Of n runs that are all in time Wilson's lower bound is n/(n+z²): .929 for 50.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		met, n int
		share  float64
		want   string
	}{
		{50, 50, 0.95, Undecided}, {72, 72, 0.95, Undecided}, {73, 73, 0.95, Proven}, {50, 50, 0.92, Proven},
		{0, 1, 0.95, Missed}, {60, 73, 0.95, Missed}, {70, 73, 0.95, Undecided},
		{1000, 1000, 1, Undecided}, {999, 1000, 1, Missed},
	} {
		if got := wilson(float64(c.met)/float64(c.n), c.n).Verdict(c.share); got != c.want {
			t.Errorf("%d of %d for %v: %s, expected %s", c.met, c.n, c.share, got, c.want)
		}
	}
	for _, share := range []float64{1e-6, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999} {
		n := Min(share)
		if wilson(1, n).Verdict(share) != Proven || n > 1 && wilson(1, n-1).Verdict(share) == Proven {
			t.Errorf("%v: %d runs, of which one less proves it too, or they do not", share, n)
		}
	}
	if n := Min(1); n != 0 {
		t.Errorf("%d runs prove a share of 1", n)
	}
}
