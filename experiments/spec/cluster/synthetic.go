package cluster

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/traces/synth/workload"
)

// Synthetic says which jobs the generator with a rhythm makes.
type Synthetic struct {
	SpanH  float64          `json:"span_h" above:"0" max:"87840" jsonschema:"hours in which jobs are submitted"`
	From   string           `json:"from,omitempty" jsonschema:"first day, YYYY-MM-DD, which matters to the rhythm; 2026-01-05, a Monday, if absent"`
	Rhythm *workload.Rhythm `json:"rhythm" jsonschema:"the numbers of the generator"`
}

// firstDay is the day on which jobs begin if nothing else is said: a Monday.
const firstDay = "2026-01-05"

func (g *Synthetic) check(at At) error {
	if g == nil {
		return nil
	}
	if _, err := g.Begin(); err != nil {
		return at("$.jobs.synthetic.from", "%v", err)
	}
	if err := g.Rhythm.Check(); err != nil {
		return at("$.jobs.synthetic.rhythm", "%v", err)
	}
	if n := g.Rhythm.JobsPerHour * g.SpanH; n > MaxJobs {
		return at("$.jobs.synthetic", "about %.3g jobs, expected at most %d", n, MaxJobs)
	}
	return nil
}

// Begin is the instant at which the jobs begin.
func (g *Synthetic) Begin() (time.Time, error) {
	day := g.From
	if day == "" {
		day = firstDay
	}
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return t, fmt.Errorf("%q, expected a day such as %s", day, firstDay)
	}
	return t, nil
}

// At returns an error at a place of the spec.
type At func(path, format string, args ...any) error

// MaxJobs is the most jobs of a run: the world holds all of them.
const MaxJobs = 1 << 22
