package report

import "testing"

func TestClock(t *testing.T) {
	for s, want := range map[float64]string{0: "0:00:00", 3600.000001: "1:00:00", 82799.999999: "23:00:00",
		61.5: "0:01:01.5", 360000.0625: "100:00:00.063"} {
		if got := clock(s); got != want {
			t.Errorf("%v s: %s, want %s", s, got, want)
		}
	}
}
