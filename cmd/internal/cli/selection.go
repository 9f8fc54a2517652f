package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/store"
)

// Selection takes the runs of a folder that flags leave in.
type Selection struct {
	Objective string   `flag:"objective" help:"only the objective of this <label>"` // empty: all
	Where     []string `flag:"where" help:"only cells with this <path=value>; may be repeated"`
	Policies  []string `flag:"policy" split:"true" complete:"@policies" help:"only these policies, <a,b>"`

	// What there was to choose from.
	Objectives []string
	cells      map[string]Combination
	inCells    []string // policies of the runs with the objective and the values of where
}

// WarnOutdated warns of a folder whose tables have the column names of an older
// schema version.
func WarnOutdated(cmd *cobra.Command, version int) {
	if text := results.Outdated(version); text != "" {
		term.Warn(cmd.ErrOrStderr(), "%s", text)
	}
}

// Chosen says whether a cell has the values of --where.
func (s *Selection) Chosen(c Combination) bool {
	return !slices.ContainsFunc(s.Where, func(w string) bool {
		path, value, _ := strings.Cut(w, "=")
		return c.Value(path) != value
	})
}

// Take says whether a run is taken.
func (s *Selection) Take(objective, policy string, c Combination) bool {
	if !slices.Contains(s.Objectives, objective) {
		s.Objectives = append(s.Objectives, objective)
	}
	if s.Objective != "" && objective != s.Objective || !s.Chosen(c) {
		return false
	}
	if !slices.Contains(s.inCells, policy) {
		s.inCells = append(s.inCells, policy)
	}
	return len(s.Policies) == 0 || slices.Contains(s.Policies, policy)
}

// Cell parses the parameters of a cell, once.
func (s *Selection) Cell(parameters string) (c Combination, err error) {
	if c = s.cells[parameters]; c != nil {
		return c, nil
	}
	if s.cells == nil {
		s.cells = map[string]Combination{}
	}
	c, err = ParseCombination(parameters)
	s.cells[parameters] = c
	return c, err
}

// Check says which flag asked for what is not there.
func (s *Selection) Check() error {
	if s.Objective != "" && !slices.Contains(s.Objectives, s.Objective) {
		return fmt.Errorf("--objective %q: unknown; the objectives are %s", s.Objective,
			strings.Join(s.Objectives, ", "))
	}
	if s.Where != nil && s.inCells == nil {
		paths := Combination{}
		for _, cell := range s.cells {
			maps.Copy(paths, cell)
		}
		return fmt.Errorf("--where %s: no run has these values; parameters of the runs: %s",
			strings.Join(s.Where, " --where "), cmp.Or(strings.Join(slices.Sorted(maps.Keys(paths)), ", "), "none"))
	}
	for _, name := range s.Policies {
		if !slices.Contains(s.inCells, name) {
			return fmt.Errorf("--policy %s: it has no successful run", name)
		}
	}
	return nil
}

// IsSweep says whether a folder is of a sweep.
func IsSweep(dir string) bool {
	there, err := store.Exists(context.Background(), store.Join(dir, sweep.PlanFile))
	return there || err != nil && !errors.Is(err, syscall.ENOTDIR) // who opens it says what is wrong
}

// Combination is one of parameters: JSON by path in the spec, without the choice
// of policies, by which runs are not told apart.
type Combination map[string]json.RawMessage

// ParseCombination reads the parameters of a row of a sweep.
func ParseCombination(parameters string) (Combination, error) {
	combination := Combination{}
	if parameters == "" { // a run, not of a sweep
		return combination, nil
	}
	if err := json.Unmarshal([]byte(parameters), &combination); err != nil {
		return nil, fmt.Errorf("parameters %s: %w", parameters, err)
	}
	delete(combination, "policy")
	return combination, nil
}

// Value is what a path is set to, as it is written.
func (c Combination) Value(path string) string {
	raw, set := c[path]
	var text string
	switch {
	case !set:
		return "not set"
	case json.Unmarshal(raw, &text) == nil:
		return text
	}
	return string(raw)
}

// CombinationNames names combinations by the parameters in which they differ.
func CombinationNames(all []Combination) []string {
	differs := map[string]bool{}
	for _, one := range all {
		for path := range one {
			other := func(o Combination) bool { return o.Value(path) != one.Value(path) }
			differs[path] = differs[path] || slices.ContainsFunc(all, other)
		}
	}
	names := make([]string, len(all))
	for i, one := range all {
		var parts []string
		for _, path := range slices.Sorted(maps.Keys(differs)) {
			if differs[path] {
				parts = append(parts, path+" "+one.Value(path))
			}
		}
		names[i] = strings.Join(parts, ", ")
	}
	return names
}

// Title is an objective, if there is one, with the parameters, but for lists of
// objectives.
func (c Combination) Title(objective string) string {
	var parts []string
	if objective != "" {
		parts = append(parts, objective)
	}
	for _, path := range slices.Sorted(maps.Keys(c)) {
		if path != "objectives" {
			parts = append(parts, path+" "+c.Value(path))
		}
	}
	return strings.Join(parts, ", ")
}

// endings are the endings of a spec's keys, and how people write them.
var endings = []struct{ ending, unit string }{
	{"_usd_per_gb_month", "USD/GB/month"}, {"_usd_per_h", "USD/h"}, {"_gb_per_s", "GB/s"}, {"_gb", "GB"},
	{"_steps", "steps"},
	{"_usd", "USD"}, {"_ms", "ms"}, {"_s", "s"}, {"_h", "h"},
}

// Words says a path of a spec as people do, for an axis: "replay: notice (s)" of
// market.replay.notice_s, "pools 0: quota" of market.pools.0.quota.
func Words(path string) string {
	parts := strings.Split(path, ".")
	last := parts[len(parts)-1]
	var where []string
	for i, part := range parts[:len(parts)-1] {
		if i == 0 && len(parts) > 2 && (part == "market" || part == "model" || part == "policy") {
			continue
		}
		if _, err := strconv.Atoi(part); err != nil {
			part = strings.ReplaceAll(part, "_", " ")
		}
		where = append(where, part)
	}
	unit := ""
	for _, known := range endings {
		if name, has := strings.CutSuffix(last, known.ending); has && name != "" {
			last = name
			unit = " (" + known.unit + ")"
			break
		}
	}
	text := strings.ReplaceAll(last, "_", " ") + unit
	if len(where) > 0 {
		text = strings.Join(where, " ") + ": " + text
	}
	return text
}
