package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/store"
)

// IsSweep says whether a folder is of a sweep.
func IsSweep(dir string) bool {
	there, err := store.Exists(context.Background(), store.Join(dir, sweep.PlanFile))
	return there || err != nil // who opens it says what is wrong
}

// Combination is one of parameters: JSON by path in the spec, without the choice
// of policies, by which runs are not told apart.
type Combination map[string]json.RawMessage

// ParseCombination reads the parameters of a row of a sweep.
func ParseCombination(parameters string) (Combination, error) {
	c := Combination{}
	if parameters == "" { // a run, not of a sweep
		return c, nil
	}
	if err := json.Unmarshal([]byte(parameters), &c); err != nil {
		return nil, fmt.Errorf("parameters %s: %w", parameters, err)
	}
	delete(c, "policy")
	return c, nil
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
	for _, c := range all {
		for path := range c {
			differs[path] = differs[path] || slices.ContainsFunc(all, func(o Combination) bool { return o.Value(path) != c.Value(path) })
		}
	}
	names := make([]string, len(all))
	for i, c := range all {
		var parts []string
		for _, path := range slices.Sorted(maps.Keys(differs)) {
			if differs[path] {
				parts = append(parts, path+" "+c.Value(path))
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
