package experiments

import (
	"slices"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
)

// Study is a spec that is ready to run.
type Study struct {
	Spec     *spec.Spec
	Markets  *market.Markets
	models   []spec.JobModel         // by policy
	warnings [][len(outcomes)]string // of every run, by policy and outcome

	// Timelines is the number of seeds, from the first, whose runs keep what
	// happened in them: spans, decisions, candidates and instances. NewStudy sets
	// it to the spec's, 1 if that is silent; nothing is gained where nobody reads
	// them, and a run that keeps them takes many times as long.
	Timelines int

	// Warnings are why the numbers may mislead, of all policies.
	Warnings []string

	// Progress, if set, is called after every seed with the number of runs
	// done and of all runs, from several goroutines.
	Progress func(done, all int)
}

// NewStudy opens what the spec refers to.
func NewStudy(s *spec.Spec) (*Study, error) {
	m, err := market.Of(s)
	if err != nil {
		return nil, err
	}
	return NewStudyOn(s, m)
}

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
	if err != nil {
		return study, err
	}
	unreachable, err := study.warnUnreachable()
	study.Warnings = append(study.Warnings, unreachable...)
	return study, err
}

// Runs returns the number of runs. They are numbered by objective, then policy,
// then seed.
func (s *Study) Runs() int {
	return len(s.Spec.Objectives) * len(s.Spec.Policies) * s.Spec.Seeds
}

// record is what one run leaves behind.
type record struct {
	summary  results.Summary
	timeline *timelineRecorder // nil if no timeline is kept
}
