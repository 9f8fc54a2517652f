package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/experiments/results"
)

// selection takes the runs of a folder that flags leave in.
type selection struct {
	objective       string // only this one; empty: all
	where, policies []string
	cmd             *cobra.Command // for warnings

	// What there was to choose from.
	cells      map[string]combination
	objectives []string
	inCells    []string // policies of the runs with the objective and the values of where
}

// flags adds those that choose.
func (s *selection) flags(cmd *cobra.Command) {
	s.cmd = cmd
	flags := cmd.Flags()
	flags.StringVar(&s.objective, "objective", "", "only the objective of this `label`")
	flags.StringArrayVar(&s.where, "where", nil, "only cells with this `path=value`; may be given again for more")
	flags.StringSliceVar(&s.policies, "policy", nil, "only these policies, `a,b`")
	must(cmd.RegisterFlagCompletionFunc("policy", completePolicies))
}

// warnOutdated warns of a folder whose tables have the column names of an older
// schema version.
func warnOutdated(cmd *cobra.Command, version int) {
	if text := results.Outdated(version); text != "" {
		warn(cmd.ErrOrStderr(), "%s", text)
	}
}

// chosen says whether a cell has the values of --where.
func (s *selection) chosen(c combination) bool {
	return !slices.ContainsFunc(s.where, func(w string) bool {
		path, value, _ := strings.Cut(w, "=")
		return c.value(path) != value
	})
}

// take says whether a run is taken.
func (s *selection) take(objective, policy string, c combination) bool {
	if !slices.Contains(s.objectives, objective) {
		s.objectives = append(s.objectives, objective)
	}
	if s.objective != "" && objective != s.objective || !s.chosen(c) {
		return false
	}
	if !slices.Contains(s.inCells, policy) {
		s.inCells = append(s.inCells, policy)
	}
	return len(s.policies) == 0 || slices.Contains(s.policies, policy)
}

// cell parses the parameters of a cell, once.
func (s *selection) cell(parameters string) (c combination, err error) {
	if c = s.cells[parameters]; c != nil {
		return c, nil
	}
	if s.cells == nil {
		s.cells = map[string]combination{}
	}
	c, err = parseCombination(parameters)
	s.cells[parameters] = c
	return c, err
}

// check says which flag asked for what is not there.
func (s *selection) check() error {
	if s.objective != "" && !slices.Contains(s.objectives, s.objective) {
		return fmt.Errorf("--objective %q: there are %s", s.objective, strings.Join(s.objectives, ", "))
	}
	if s.where != nil && s.inCells == nil {
		paths := combination{}
		for _, c := range s.cells {
			maps.Copy(paths, c)
		}
		return fmt.Errorf("--where %s: no run has these values; parameters of the runs: %s",
			strings.Join(s.where, " --where "), cmp.Or(strings.Join(slices.Sorted(maps.Keys(paths)), ", "), "none"))
	}
	for _, name := range s.policies {
		if !slices.Contains(s.inCells, name) {
			return fmt.Errorf("--policy %s: no run of it that did not fail", name)
		}
	}
	return nil
}
