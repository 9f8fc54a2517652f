package tune

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// Question is what is to be found.
type Question struct {
	Spec      string   `json:"spec"`      // file, or the name of one that comes with marigram
	Policy    string   `json:"policy"`    // by name; may be empty where the spec has only one
	Objective string   `json:"objective"` // by name; may be empty where the spec has only one
	Set       []string `json:"set"`       // path=a,b; or path alone, for all names of a setting, or both of a switch
	// Share of the runs has to meet the objective, above 0 and below 1; 0: the objective's own, or else 0.95.
	Share  float64 `json:"share"`
	Within float64 `json:"within"` // margin of the cost, a share of the best's: 0 to 1
	Alpha  float64 `json:"alpha"`  // probability of an error: above 0, at most 0.5; 0: 0.05
	// Blocks bounds the seeds, or starts, of a setting in the race, at least 20; 0: 1000 seeds, 200 starts.
	Blocks int `json:"blocks"`
	// Max is the largest number of runs; 0: no bound. A greater one goes on with the runs of a smaller one.
	Max int64 `json:"-"`
	// AllowCommands lets the policy be a command of the spec, a program of whoever wrote it.
	AllowCommands bool `json:"-"`
}

const (
	defaultShare  = 0.95
	defaultAlpha  = 0.05
	defaultSeeds  = 1000
	defaultStarts = 200
	minBlocks     = 20
	maxBlocks     = 1_000_000
	maxSettings   = 10_000
	freshFactor   = 10 // times Blocks: most seeds of the check
)

// check refuses numbers out of their bounds.
func (q *Question) check() error {
	switch {
	case !(q.Share >= 0 && q.Share <= 1):
		return fmt.Errorf("share: %v, expected above 0 and below 1, such as 0.95", q.Share)
	case q.Share == 1:
		return fmt.Errorf("share: 1 cannot be shown by any number of runs, expected less, such as 0.99")
	case !(q.Within >= 0 && q.Within <= 1):
		return fmt.Errorf("within: %v, expected 0 to 1, such as 0.02 for 2 %%", q.Within)
	case !(q.Alpha >= 0 && q.Alpha <= 0.5):
		return fmt.Errorf("alpha: %v, expected above 0 and at most 0.5, such as 0.05", q.Alpha)
	case q.Blocks != 0 && (q.Blocks < minBlocks || q.Blocks > maxBlocks):
		return fmt.Errorf("%d seeds or starts, expected %d to %d: costs are compared from %[2]d on",
			q.Blocks, minBlocks, maxBlocks)
	case q.Max < 0:
		return fmt.Errorf("most runs: %d, expected at least 1", q.Max)
	case len(q.Set) == 0:
		return fmt.Errorf("nothing to tune, expected settings such as policy.patience_s=30,120,600")
	}
	return nil
}

// open opens the spec with the question's policy and objective only, and completes the
// question.
func (q *Question) open(settings ...spec.Setting) (*spec.Spec, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	s, err := spec.Reading{Commands: q.AllowCommands}.Open(q.Spec, settings...)
	if err != nil {
		return nil, err
	}
	if q.Policy == "" && len(s.Policies) == 1 {
		q.Policy = s.Policies[0].Name
	}
	if q.Policy == "" {
		names := list(s.Policies, func(p spec.Policy) string { return p.Name })
		return nil, fmt.Errorf("which policy? The spec has %s", names)
	}
	if err := s.Choose([]string{q.Policy}); err != nil {
		return nil, err
	}
	if names := s.Commands(); len(names) > 0 {
		return nil, fmt.Errorf("policy %s: %w", names[0], loader.ErrNotAllowed)
	}
	at, err := q.objective(s)
	if err != nil {
		return nil, err
	}
	if kind := s.Objectives[at].Kind(); kind.ByWork {
		return nil, s.ErrorAt(fmt.Sprintf("$.objectives[%d].%s", at, kind.Name),
			"tune looks for the cheapest settings that meet an objective: expected a deadline, samples_per_s or ettr; "+
				"marigram sweep and compare rank settings by the work that is left")
	}
	if q.Share == 0 {
		q.Share = stats.Or(s.Objectives[at].Share, defaultShare)
		if q.Share == 1 {
			return nil, errors.New("the objective's share of 1 cannot be shown by any number of runs, " +
				"expected a share below 1")
		}
	}
	q.Alpha = cmp.Or(q.Alpha, defaultAlpha)
	return s, nil
}

// objective finds the objective in a spec, and keeps it alone.
func (q *Question) objective(s *spec.Spec) (int, error) {
	named := func(o spec.Objective) bool { return o.Name == q.Objective }
	at := slices.IndexFunc(s.Objectives, named)
	if q.Objective == "" && len(s.Objectives) == 1 {
		at = 0
	}
	if at < 0 {
		why := fmt.Sprintf("unknown objective %q", q.Objective)
		if q.Objective == "" {
			why = "which objective?"
		}
		names := list(s.Objectives, func(o spec.Objective) string { return o.Name })
		return 0, fmt.Errorf("%s The spec has %s", why, names)
	}
	q.Objective = s.Objectives[at].Name
	return at, nil
}

func list[T any](all []T, name func(T) string) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = name(all[i])
	}
	return strings.Join(names, ", ")
}
