package market

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// warn adds a warning about all runs. Results separate warnings by semicolons.
func (m *Markets) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}

// warnDuring adds a warning about the runs that overlap one of the intervals.
func (m *Markets) warnDuring(when []interval, format string, args ...any) {
	m.partial = append(m.partial, partial{fmt.Sprintf(format, args...), when})
}

// WarningsDuring yields the warnings about a run from an instant of the market
// until another, beside those about all runs.
func (m *Markets) WarningsDuring(from, until sim.Time) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range m.partial {
			p := &m.partial[i]
			if slices.ContainsFunc(p.when, func(x interval) bool { return x.from < until && from < x.until }) && !yield(p.text) {
				return
			}
		}
	}
}

// PartialWarnings yields the warnings about some of the runs.
func (m *Markets) PartialWarnings() iter.Seq[string] {
	return m.WarningsDuring(0, math.MaxInt64)
}
