package experiments

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "66h40m": 240000 * time.Second, "3d": 72 * time.Hour, "2d12h": 60 * time.Hour, "0d1.5h": 90 * time.Minute,
	} {
		if d, err := ParseDuration(text); err != nil || d != want {
			t.Errorf("%s: %v, %v, expected %v", text, d, err, want)
		}
	}
	for _, bad := range []string{"", "d", "3", "3x", "-1h", "1d-3h", "+2h", "1.5d", "1d2d", "99999d", "1h1d"} {
		if d, err := ParseDuration(bad); err == nil {
			t.Errorf("%q is read as %v", bad, d)
		}
	}
}

// Wilson's interval of 15 of 148 is that of Newcombe (Statistics in Medicine 17,
// 1998), Table I, method 3.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		if low, high := Wilson(c.k, c.n); math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%d of %d: %v to %v, want %v to %v", c.k, c.n, low, high, c.low, c.high)
		}
	}
}

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
		if got := Verdict(c.met, c.n, c.share); got != c.want {
			t.Errorf("%d of %d for %v: %s, expected %s", c.met, c.n, c.share, got, c.want)
		}
	}
	for _, share := range []float64{1e-6, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999} {
		n := LeastRuns(share)
		if Verdict(n, n, share) != Proven || n > 1 && Verdict(n-1, n-1, share) == Proven {
			t.Errorf("%v: %d runs, of which one less proves it too, or they do not", share, n)
		}
	}
	if n := LeastRuns(1); n != 0 {
		t.Errorf("%d runs prove a share of 1", n)
	}
}

// A time as text is the same as in seconds, and a share is in the rows and has a
// verdict; without one there is neither.
func TestObjectiveAsText(t *testing.T) {
	dir, text, write := pipes(t)
	spec := filepath.Join(dir, "spec.yaml")
	run := func(objective string) Aggregate {
		write("spec.yaml", strings.Replace(text, "{time_s: 4000}", objective, 1))
		return Aggregates(runStudy(t, study(t, spec, 3)).Summaries)[0]
	}
	plain, said := run("{time_s: 4000}"), run("{within: 1h6m40s, share: 0.4}")
	if plain.ObjectiveS != 4000 || said.ObjectiveS != 4000 || said.Objective != "all-in-1h6m40s" || plain.Objective != "all-in-4000s" {
		t.Errorf("%+v and %+v", plain, said)
	}
	if plain.ObjectiveShare != nil || plain.Verdict != "" || said.ObjectiveShare == nil || *said.ObjectiveShare != 0.4 || said.Verdict != Proven {
		t.Errorf("shares and verdicts %v %q, %v %q", plain.ObjectiveShare, plain.Verdict, said.ObjectiveShare, said.Verdict)
	}
	for objective, says := range map[string]string{
		"{within: 4000}":             `objectives[0].within: "4000", expected a duration`,
		"{within: 1h, time_s: 4000}": "time_s is 4000 and within 1h, expected one of them",
		"{share: 0.9}":               "objectives[0]: time_s is missing",
		"{within: 500ms}":            "objectives[0].within: 0.5, expected 1 second",
		"{within: 1h, share: 0}":     "objectives[0].share: 0, expected more than 0 and at most 1",
		"{within: 1h, share: 95}":    "objectives[0].share: 95",
		"{time_s: 3d}":               "3d is 259200 seconds; an objective may say within: 3d",
		"{within: 1h, share: .inf}":  "expected a finite number",
		"{time_s: 0.5}":              "objectives[0].time_s: 0.5, expected",
	} {
		write("spec.yaml", strings.Replace(text, "{time_s: 4000}", objective, 1))
		if _, err := Open(spec); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, expected %q", objective, err, says)
		}
	}
}
