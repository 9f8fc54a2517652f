// Package judge compares policies of others with all of marigram's on a fixed set of studies.
//
// A Set is a versioned list of specs, each with its seeds or starts. Judge runs them and returns a Result: what
// each policy cost beside the least that any policy can cost in hindsight (package bound), how often it met
// the objective, and its rank with its interval.
//
// A run that misses its objective also pays what the whole job costs under the policy ondemand, n times as the set
// says (Set.Late). A policy that is not for the model or the pools of a study counts there as ondemand.
package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/policies/plugin/loader"
)

// Judge runs a set with entries, policies that were handed in, beside all of marigram's that are for its studies.
// Each run of an entry knows of no other: its program is started for it, in a sandbox if the options say so.
// An entry that fails, or does not do the same when it is asked again, is out; that is no error.
func (s *Set) Judge(ctx context.Context, entries []*loader.Plugin, opt Options) (*Result, error) {
	records := map[string]*Entry{}
	for _, g := range entries {
		if records[g.Name] != nil {
			return nil, fmt.Errorf("two policies are called %s; give one another name: other=COMMAND", g.Name)
		}
		if opt.Sandbox {
			if err := g.Confine(); err != nil {
				return nil, fmt.Errorf("policy %s: %w", g.Name, err)
			}
		}
		sum, err := g.SHA256()
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", g.Name, err)
		}
		records[g.Name] = &Entry{SHA256: sum, Sandbox: opt.Sandbox}
	}
	studies, left, err := s.open(entries)
	if err != nil {
		return nil, err
	}
	judged := &trial{options: opt, entries: entries, studies: studies}
	if err := judged.run(ctx); err != nil {
		return nil, err
	}
	result := &Result{Format: Format, Set: SetRecord{s.Name, s.Version, s.SHA256, s.Late, left}}
	if result.Policies, result.Studies, result.With, err = judged.ranking(s.Late); err != nil {
		return nil, err
	}
	for i := range result.Policies {
		result.Policies[i].Entry = records[result.Policies[i].Policy]
	}
	result.warn()
	return result, nil
}

// warn says why the result may mislead.
func (r *Result) warn() {
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(r.Warnings, text) {
			r.Warnings = append(r.Warnings, text)
		}
	}
	for _, x := range r.Set.LeftOut {
		add("study %s is left out: %s", x.Study, x.Why)
	}
	for i := range r.Studies {
		study := &r.Studies[i]
		if doubt := intervals.Doubt(study.independent(), study.Unit); doubt != "" {
			add("%s, %s: %s", study.Study, study.Objective, doubt)
		}
		if study.Hopeless > 0 {
			add("%s, %s: no policy can end %d more runs in time; they do not count",
				study.Study, study.Objective, study.Hopeless)
		}
	}
}
