package tune

import (
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
)

// field is where candidates run.
type field struct {
	question   *Question
	base       *spec.Spec
	shared     []spec.Setting // that all candidates have, the spec's own settings among them
	objective  int
	whole      bool                       // traces to their end, for starts
	markets    map[string]*market.Markets // by what candidates change beside the policy
	candidates []entrant
	warnings   []string
}

// entrant is a candidate that can be run.
type entrant struct {
	candidate
	study  *experiments.Study
	policy int // of the study
}

// newField opens the base.
func newField(q *Question, base *spec.Spec, shared []spec.Setting) (*field, error) {
	made := &field{question: q, base: base, shared: shared, markets: map[string]*market.Markets{}}
	var err error
	if made.objective, err = q.objective(base); err != nil {
		return nil, err
	}
	if base.Market.Synthetic == nil {
		recorded, err := market.Of(base)
		if err != nil {
			return nil, err
		}
		made.whole = recorded.Unit == results.ByStart
	}
	_, err = made.marketsOf(base, "{}")
	return made, err
}

// marketsOf returns the markets of a spec with changes, made when they are first wanted.
func (f *field) marketsOf(s *spec.Spec, changes string) (*market.Markets, error) {
	if made := f.markets[changes]; made != nil {
		return made, nil
	}
	read := market.Of
	if f.whole {
		read = market.Whole
	}
	made, err := read(s)
	if err != nil {
		return nil, err
	}
	f.markets[changes] = made
	return made, nil
}

// horizon returns the longest of the base and the candidates.
func (f *field) horizon() time.Duration {
	longest := f.base.Horizon()
	for i := range f.candidates {
		longest = max(longest, f.candidates[i].study.Spec.Horizon())
	}
	return longest
}

// add adds candidates and returns the number of the first. Those that change only the
// policy share a study, so that on a block they share its market.
func (f *field) add(all []candidate) (first int, err error) {
	first = len(f.candidates)
	studies := map[string]*spec.Spec{}
	var changes []string // in the order in which they came
	of := make([]string, len(all))
	for i, c := range all {
		opened, err := f.open(c)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c.parameters(), err)
		}
		_, rest := c.apart()
		of[i] = rest.parameters()
		policy := 0
		if has := studies[of[i]]; has != nil {
			policy = len(has.Policies)
			has.Policies = append(has.Policies, opened.Policies[0])
		} else {
			studies[of[i]] = opened
			changes = append(changes, of[i])
		}
		f.candidates = append(f.candidates, entrant{candidate: c, policy: policy})
	}
	for _, change := range changes {
		study, err := f.study(studies[change], change)
		if err != nil {
			return 0, err
		}
		for i := range all {
			if of[i] == change {
				f.candidates[first+i].study = study
			}
		}
	}
	return first, nil
}

// open opens the spec of a candidate, with its one policy and the objective.
func (f *field) open(c candidate) (*spec.Spec, error) {
	settings := append([]spec.Setting{{Path: "policy", Value: f.question.Policy}}, f.shared...)
	settings = append(settings, c...)
	s, err := spec.Reading{Commands: f.question.AllowCommands}.Open(f.question.Spec, settings...)
	if err != nil {
		return nil, err
	}
	if len(s.Objectives) <= f.objective {
		return nil, fmt.Errorf("the objective is gone")
	}
	s.Objectives = s.Objectives[f.objective : f.objective+1]
	s.Starts = spec.Starts{} // blocks are the starts
	return s, nil
}

func (f *field) study(s *spec.Spec, changes string) (*experiments.Study, error) {
	markets, err := f.marketsOf(s, changes)
	if err != nil {
		return nil, err
	}
	study, err := experiments.NewStudyOn(s, markets)
	if err != nil {
		return nil, err
	}
	for _, warning := range study.Warnings {
		if !slices.Contains(f.warnings, warning) {
			f.warnings = append(f.warnings, warning)
		}
	}
	return study, nil
}

// policy returns a candidate's policy with all its settings.
func (f *field) policy(k int) spec.Policy {
	of := &f.candidates[k]
	return of.study.Spec.Policies[of.policy]
}
