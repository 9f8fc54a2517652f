package experiments

import (
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/spec"
)

// NewStudy opens what the spec refers to.
func NewStudy(s *spec.Spec) (*Study, error) {
	m, err := market.Of(s)
	if err != nil {
		return nil, err
	}
	return NewStudyOn(s, m)
}

// NewStudyFrom is NewStudy with recorded histories to their end, and the starts so far apart
// from the first on that leave a whole horizon.
func NewStudyFrom(s *spec.Spec, every time.Duration) (study *Study, starts []time.Duration, err error) {
	m, err := market.Whole(s)
	if err != nil {
		return nil, nil, err
	}
	last := m.LastStart()
	if last < 0 {
		return nil, nil, fmt.Errorf("no start leaves enough history for the whole horizon of %v: -s horizon_s makes it shorter", s.Horizon())
	}
	if last/every >= maxStarts {
		return nil, nil, fmt.Errorf("%v between two starts makes %d of them, expected at most %d", every, last/every+1, maxStarts)
	}
	for at := time.Duration(0); at <= last; at += every {
		starts = append(starts, at)
	}
	study, err = NewStudyOn(s, m)
	return study, starts, err
}

const maxStarts = 1_000_000

// NewStudyOn opens the model that the spec refers to, on markets that are those
// of the spec.
func NewStudyOn(s *spec.Spec, m *market.Markets) (study *Study, err error) {
	study = &Study{Spec: s, Markets: m, Timelines: s.TimelineSeeds()}
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
	if err == nil && s.Bound {
		err = s.Boundable()
	}
	if err != nil {
		return study, err
	}
	if s.Jobs != nil {
		return study, study.openJobs()
	}
	unreachable, err := study.warnUnreachable()
	study.Warnings = append(study.Warnings, unreachable...)
	return study, err
}
