package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/sim"
)

// passing is a doubt about a part of the market: about the runs that meet it.
type passing struct {
	text string
	when []stretch
}

// stretch is a span of a market's time, its end not included.
type stretch struct{ from, until sim.Time }

// warn adds a doubt about all runs. Semicolons are what separates them in results.
func (m *Markets) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}

// warnDuring adds a doubt about the runs that meet one of the stretches.
func (m *Markets) warnDuring(when []stretch, format string, args ...any) {
	m.passing = append(m.passing, passing{fmt.Sprintf(format, args...), when})
}

// warnings are those of a run under a policy, with an ending, from an instant of
// the market until another.
func (s *Study) warnings(policy, ending int, from, until sim.Time) string {
	out := s.doubts[policy][ending]
	for i := range s.Markets.passing {
		p := &s.Markets.passing[i]
		if slices.ContainsFunc(p.when, func(x stretch) bool { return x.from < until && from < x.until }) {
			out = strings.TrimPrefix(out+"; "+p.text, "; ")
		}
	}
	return out
}

// MuchSaving is the share of instance-hours above which saves are a doubt about a
// run: whoever trains would save less often.
const MuchSaving = 0.25

const muchSaving = "saves took more than a quarter of the instance-hours: does the policy save too often?"

// endings are the doubts about a run that lie in how it ended, which stand before
// those about its market and its model; the first: it finished.
var endings = [...]string{"",
	"training never began: no instance that could train was held (is the objective above the loss at which training starts?)",
	"the job was lost with its chief: cost and hours are those until then",
	"the run was cut before the job finished: cost and hours are those until then"}

// ending returns the number of the doubt.
func ending(job *sim.JobTotals) int {
	switch {
	case math.IsInf(job.Loss, 1):
		return 1
	case job.Lost:
		return 2
	case !job.Finished:
		return 3
	}
	return 0
}

// doubts are the warnings of a run with each of the endings.
func doubts(warnings []string) (all [len(endings)]string) {
	for i, e := range endings {
		list := warnings
		if e != "" {
			list = slices.Concat([]string{e}, warnings)
		}
		all[i] = strings.Join(list, "; ")
	}
	return all
}
