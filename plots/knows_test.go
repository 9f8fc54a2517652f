package plots

import "testing"

// A scheduler that knows durations does not know the future: figures and tables say the same.
func TestKnows(t *testing.T) {
	for want, p := range map[string]PolicyResult{
		"srtf (knows durations)":           {Policy: "srtf", Oracle: true, ManyJobs: true},
		"clairvoyant (knows the future)":   {Policy: "clairvoyant", Oracle: true},
		"srtf (knows durations), met 50 %": {Policy: "srtf", Oracle: true, ManyJobs: true, Met: 0.5, Misses: true},
		"fifo":                             {Policy: "fifo", ManyJobs: true},
	} {
		if got := p.text(); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}
