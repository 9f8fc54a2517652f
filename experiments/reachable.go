package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/sim"
)

// mostBounds is the number of starts and seeds whose bounds are looked at before a run. The first from which the
// objective can be met ends the search, so that it takes one bound in nearly all studies.
const mostBounds = 20

// warnUnreachable says which objectives no policy can meet, by their bounds in hindsight, and the least time that the
// job takes. Where no bound is known, or it takes seconds, it says nothing.
func (s *Study) warnUnreachable() (warnings []string, err error) {
	if s.Spec.Boundable() != nil {
		return nil, nil
	}
	w := s.Worker()
	defer w.Close()
	for o := range s.Spec.Objectives {
		text, err := w.unreachable(o)
		if err != nil {
			return nil, err
		}
		if text != "" {
			warnings = append(warnings, text)
		}
	}
	return warnings, nil
}

// unreachable says that no policy can meet the o-th objective from any of the first starts and seeds; empty if one may.
func (w *Worker) unreachable(o int) (string, error) {
	s := w.study
	objective := &s.Spec.Objectives[o]
	if objective.Kind().NeedNotEnd {
		return "", nil
	}
	cases := s.boundedCases()
	fastest := math.Inf(1)
	for _, c := range cases {
		c.Objective = o
		seconds, possible, err := w.fastest(c)
		if err != nil || possible {
			return "", err
		}
		fastest = min(fastest, seconds)
	}
	market := "the market of the run"
	if len(cases) > 1 {
		market = fmt.Sprintf("any market of %d starts and seeds", len(cases))
	}
	horizon := span(s.Spec.Horizon().Seconds())
	why := "the job is not done within the horizon of " + horizon +
		" or by the end of the trace, even on all that can be held"
	if !math.IsInf(fastest, 1) {
		why = fmt.Sprintf("the job takes at least %s, even on all that can be held", span(fastest))
	}
	return fmt.Sprintf("objective %s (within %s) cannot be met by any policy in %s: %s",
		objective.Name, span(objective.TimeS), market, why), nil
}

// boundedCases returns the starts and seeds whose bounds are looked at: the first of the study or, where a sweep has
// yet to choose the starts, some that are spread evenly over the trace.
func (s *Study) boundedCases() (cases []Case) {
	if !s.Markets.FromAnywhere() || len(s.Starts) > 1 || s.Markets.LastStart() <= 0 {
		for k := range min(s.Points(), mostBounds) {
			cases = append(cases, s.At(k))
		}
		return cases
	}
	for k := range mostBounds {
		c := s.At(0)
		c.Start = s.Markets.LastStart() * time.Duration(k) / (mostBounds - 1)
		cases = append(cases, c)
	}
	return cases
}

// fastest returns the least seconds in which the job of a case can be done until the run is cut, +Inf if it cannot, and
// whether its objective may be met. An objective whose bound is not known may.
func (w *Worker) fastest(c Case) (seconds float64, possible bool, err error) {
	if err := w.enter(c.Seed); err != nil {
		return 0, false, err
	}
	seconds = math.Inf(1)
	for p := range w.models {
		if slices.Contains(w.models[:p], w.models[p]) {
			continue
		}
		c.Policy = p
		config, err := w.loaded(c, nil)
		if err != nil {
			return 0, false, err
		}
		_, mixes := config.Jobs[0].Model.(sim.MixedModel) // whose bound takes seconds: it tries all sets of instances
		if mixes || bound.Known(config) != nil {
			return 0, true, nil
		}
		inTime, err := bound.Fastest(config)
		if err != nil || !math.IsInf(inTime, 1) {
			return 0, true, err
		}
		config.Jobs[0].Objective.Within = w.study.Spec.Horizon()
		late, err := bound.Fastest(config)
		if err != nil {
			return 0, false, err
		}
		seconds = min(seconds, late)
	}
	return seconds, false, nil
}

// span is a time for people, such as 24h or 9h58m.
func span(seconds float64) string {
	if seconds >= math.MaxInt64/1e9 { // more than a time.Duration holds
		return fmt.Sprintf("%.3g h", seconds/3600)
	}
	text := time.Duration(seconds * 1e9).Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
