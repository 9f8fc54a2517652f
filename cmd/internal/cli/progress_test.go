package cli

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The first rate that a bar shows is that since it began: a thousand runs in 300 ms or more are at most 3,334 a second.
func TestFirstRateOfABar(t *testing.T) {
	var out strings.Builder
	b := newBar(&out, 24000, "runs", "")
	time.Sleep(300 * time.Millisecond)
	b.Set(1000)
	rates := regexp.MustCompile(`(\d+) runs/s`).FindAllStringSubmatch(out.String(), -1)
	if rates == nil {
		t.Errorf("%q has no rate", out.String())
	}
	for _, rate := range rates {
		if x, err := strconv.Atoi(rate[1]); err != nil || x > 3334 {
			t.Errorf("%s, expected at most 3334", rate[0])
		}
	}
}
