package experiments

import (
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/units"
)

// NewStudy opens what the spec refers to.
func NewStudy(s *spec.Spec) (*Study, error) {
	read := market.Of
	if s.Starts != (spec.Starts{}) {
		read = market.Whole
	}
	m, err := read(s)
	if err != nil {
		return nil, err
	}
	return NewStudyOn(s, m)
}

// startsOf returns the starts of a spec on its markets.
func startsOf(s *spec.Spec, m *market.Markets) (starts []time.Duration, err error) {
	seconds, err := s.Starts.List(m.LastStart()+s.Horizon(), s.Horizon(), uint64(s.Seed))
	for _, at := range seconds {
		starts = append(starts, units.Seconds(at))
	}
	return starts, err
}

// NewStudyOn opens the model that the spec refers to, on markets that are those
// of the spec.
func NewStudyOn(s *spec.Spec, m *market.Markets) (study *Study, err error) {
	study = &Study{Spec: s, Markets: m, Timelines: s.TimelineSeeds()}
	if study.Starts, err = startsOf(s, m); err != nil {
		return study, err
	}
	study.models, err = s.Models()
	study.Warnings = slices.Concat(s.Warnings(), m.Warnings)
	study.Warnings = slices.AppendSeq(study.Warnings, m.PartialWarnings())
	for _, of := range study.models {
		for _, w := range of.Warnings {
			if !slices.Contains(study.Warnings, w) {
				study.Warnings = append(study.Warnings, w)
			}
		}
		study.warnings = append(study.warnings, byOutcome(slices.Concat(of.Warnings, m.Warnings)))
	}
	for i := range s.Policies {
		if err == nil {
			var assumes string
			assumes, err = s.Policies[i].Assumptions()
			study.assumes = append(study.assumes, assumes)
		}
	}
	if err == nil {
		study.work, err = works[s.Workload().Kind()](study)
	}
	if err == nil && s.Bound {
		err = s.Boundable()
	}
	if err == nil {
		err = study.work.warnBounds()
	}
	return study, err
}
