package term

import "testing"

// Runs may have different numbers of jobs.
func TestCount(t *testing.T) {
	for mean, want := range map[float64]string{12: "12", 1e6: "1000000", 25.0 / 3: "on average 8.3"} {
		if got := count(mean); got != want {
			t.Errorf("%v: %q, expected %q", mean, got, want)
		}
	}
}
