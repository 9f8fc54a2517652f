package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/traces/synth/workload"
)

// Synthetic says which jobs the generator with a rhythm makes: by a file that marigram traces fit-jobs
// wrote, or by numbers of one's own.
type Synthetic struct {
	SpanH  float64          `json:"span_h" above:"0" max:"87840" jsonschema:"hours in which jobs are submitted"`
	From   string           `json:"from,omitempty" jsonschema:"first day, YYYY-MM-DD, which matters to the rhythm; 2026-01-05, a Monday, if absent"`
	File   string           `json:"file,omitempty" either:"generator" jsonschema:"generator that marigram traces fit-jobs wrote, relative to this file"`
	Rhythm *workload.Rhythm `json:"rhythm,omitempty" either:"generator" jsonschema:"instead of a file: the numbers of the generator"`
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
	if g.Rhythm == nil {
		return nil
	}
	if err := g.Rhythm.Check(); err != nil {
		return at("$.jobs.synthetic.rhythm", "%v", err)
	}
	return g.few(at, g.Rhythm)
}

func (g *Synthetic) few(at At, r *workload.Rhythm) error {
	if n := r.JobsPerHour * g.SpanH; n > MaxJobs {
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

// Generator returns the generator, from its file if it has one.
func (g *Synthetic) Generator(path func(string) string) (*workload.Rhythm, error) {
	if g.Rhythm != nil {
		return g.Rhythm, nil
	}
	f, err := store.OpenInput(path(g.File))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const largest = 1 << 20
	text, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err == nil && len(text) > largest {
		err = fmt.Errorf("larger than %d bytes", largest)
	}
	r := new(workload.Rhythm)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(r)
	}
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.File, err)
	}
	return r, g.few(func(_, format string, args ...any) error { return fmt.Errorf(format, args...) }, r)
}

// At returns an error at a place of the spec.
type At func(path, format string, args ...any) error

// MaxJobs is the most jobs of a run: the world holds all of them.
const MaxJobs = 1 << 22
