package spec

import (
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
