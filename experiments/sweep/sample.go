package sweep

import (
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
)

// sample is the runs of one policy in a group, by start and seed.
type sample struct {
	policy         string
	oracle, many   bool
	capacity       string    // how it was replayed
	value, samples []float64 // value: by the metric; NaN: failed, or not there
	missed         []bool
	bound          results.Ceiling
	failed         int
	unfinished, n  int
	warnings       []string // those that all its runs have
	warned         string   // those of its last run
}

func (s *sample) add(r *results.SweepRow, at int, metric *results.Metric) {
	s.n++
	s.warn(r.Warnings)
	s.bound.Add(&r.Summary)
	s.oracle, s.many, s.capacity = r.Oracle, r.ManyJobs(), r.Capacity()
	s.value[at], s.missed[at] = metric.Of(&r.Summary), !r.Met
	if s.samples[at] = r.Samples; s.many {
		s.samples[at] = 0
	}
	if !r.Finished {
		s.unfinished++
	}
}

// warn keeps the warnings that one more run has as well.
func (s *sample) warn(text string) {
	if s.n > 1 && text == s.warned {
		return
	}
	s.warned = text
	list := slices.DeleteFunc(strings.Split(text, "; "), func(w string) bool { return w == "" })
	if s.n == 1 {
		s.warnings = list
		return
	}
	s.warnings = slices.DeleteFunc(s.warnings, func(w string) bool { return !slices.Contains(list, w) })
}
