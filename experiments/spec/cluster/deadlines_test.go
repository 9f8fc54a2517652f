package cluster

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/near"
)

// A deadline is the duration and a slack, by a factor that is drawn, within its limits.
func TestDeadlinesOf(t *testing.T) {
	check := near.Count(t)
	d := Deadlines{Factors: []float64{1.2, 2, 10}, MinSlackS: 1800, MaxSlackS: 86400}
	for _, x := range []struct {
		hours, drawn, want float64
	}{{1, 0, 1.5}, {10, 0.1, 12}, {10, 0.34, 20}, {10, 0.99, 34}, {0.01, 0.99, 0.51}} {
		got := d.Of(time.Duration(x.hours*float64(time.Hour)), x.drawn).Hours()
		if check.Off(got, x.want, 1e-9) {
			t.Errorf("%v h, drawn %v: %v h, expected %v", x.hours, x.drawn, got, x.want)
		}
	}
}

// Numbers that are none are refused, with their place.
func TestDeadlinesCheck(t *testing.T) {
	at := func(path, format string, args ...any) error {
		return fmt.Errorf("%s: "+format, append([]any{path}, args...)...)
	}
	for place, d := range map[string]Deadlines{
		"factors":     {},
		"factors[1]":  {Factors: []float64{2, math.NaN()}},
		"factors[0]":  {Factors: []float64{1}},
		"min_slack_s": {Factors: []float64{2}, MinSlackS: math.Inf(1)},
		"max_slack_s": {Factors: []float64{2}, MinSlackS: 2, MaxSlackS: 1},
	} {
		err := (&fields.Checker{Given: func(string) bool { return false }, Fail: at}).Check(&Jobs{Trace: "jobs.csv", Deadlines: &d})
		if err == nil {
			err = d.check(at)
		}
		if err == nil || !strings.Contains(err.Error(), "deadlines."+place) && !strings.Contains(err.Error(), "deadlines: "+place+" is missing") {
			t.Errorf("%s: %v", place, err)
		}
	}
}
