package parcae

import (
	"slices"
	"testing"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/papers/parcae/reference"
)

// What comes and goes counts twice: from 14 to 13 instances 12 are expected, from
// 13 to 12 eleven, which is fewer than the least.
func TestGuard(t *testing.T) {
	f := guarded(func([]int, int) []int { return []int{14, 13, 12, 12, 14} }, 12)
	if got, want := f([]int{14}, 5), []int{14, 13, 12, 12, 14}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	f = guarded(func([]int, int) []int { return []int{13, 10, 10, 15} }, 12)
	if got, want := f([]int{16}, 4), []int{12, 12, 12, 15}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The public code's trace for GPT-3 6.7B has at least the 12 instances of its
// smallest layout from minute 508 on: what the plan that knows the future trains
// in the hour LADP depends on it, and nothing before does.
func TestClippedTrace(t *testing.T) {
	samples := func(from map[string]int, segment string) float64 {
		s := setting{OneMore: from, Instances: 32, Ahead: 12, IntervalS: 60}
		minutes, _, err := s.replay("gpt-6.7b", reference.Proactive)
		if err != nil {
			t.Fatal(err)
		}
		for _, hour := range pipeline.ParcaeSegments() {
			if hour.Name == segment {
				return minutes[hour.End-1].Samples - minutes[hour.First-1].Samples
			}
		}
		t.Fatal("no hour " + segment)
		return 0
	}
	clipped := map[string]int{"gpt-6.7b": 508}
	if a, b := samples(nil, "HADP"), samples(clipped, "HADP"); a != b {
		t.Errorf("HADP, before minute 508: %v and %v samples", a, b)
	}
	a, b := samples(nil, "LADP"), samples(clipped, "LADP")
	t.Logf("LADP: %.0f samples of the recorded trace, %.0f of the clipped one: %.1f %% fewer", a, b, 100*(1-a/b))
	if share := a / b; share < 0.94 || share > 0.955 {
		t.Errorf("LADP: %v of the samples without the clip, expected 0.948", share)
	}
}
