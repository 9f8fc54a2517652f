package sweep

import (
	"cmp"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
)

// sample is the runs of one policy in a group, by start and seed.
type sample struct {
	policy        string
	metric        string
	oracle, many  bool
	cost, samples []float64 // cost: by the metric; NaN: failed, or not there
	missed        []bool
	bound         results.Ceiling
	failed        int
	unfinished, n int
	warnings      []string // those that all its runs have
	warned        string   // those of its last run
}

func (s *sample) add(r *results.SweepRow, at int, metric string) {
	s.n++
	s.warn(r.Warnings)
	s.bound.Add(&r.Summary)
	s.cost[at], s.samples[at], s.missed[at], s.oracle = r.CostUSD, r.Samples, !r.Met, r.Oracle
	if s.metric, s.many = USD, r.ManyJobs(); s.many {
		s.metric = cmp.Or(metric, JCTHours)
		s.cost[at], s.samples[at] = valueOf(r, s.metric), 0
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
