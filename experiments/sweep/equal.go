package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/marigram/marigram/experiments/spec"
)

// maxEqual bounds the warnings of values that mean the same.
const maxEqual = 20

// equals looks for cells that mean the same, written in other words: their runs would be
// made twice.
type equals struct {
	first map[string]int // the first cell of a meaning, by the meaning's digest
	cells []map[string]json.RawMessage
	texts []string
}

// add takes a cell in, with its parameters and its spec.
func (x *equals) add(cell *Cell, s *spec.Spec) {
	if x.first == nil {
		x.first = map[string]int{}
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(cell.Parameters), &values); err != nil {
		values = nil // not a number: no spec has it
	}
	key := digest([]byte(s.Meaning()))
	k, seen := x.first[key]
	if x.cells = append(x.cells, values); !seen {
		x.first[key] = len(x.cells) - 1
		return
	}
	for _, path := range slices.Sorted(maps.Keys(values)) {
		was, is := x.cells[k][path], values[path]
		if string(was) == string(is) || spec.IsPolicySetting(path) && !anyHas(cell.Policies, path) {
			continue
		}
		text := fmt.Sprintf("%s: %s and %s mean the same, and their runs are the same", path, was, is)
		if !slices.Contains(x.texts, text) && len(x.texts) < maxEqual {
			x.texts = append(x.texts, text)
		}
	}
}

// anyHas reports whether one of the policies has a setting.
func anyHas(policies []string, path string) bool {
	return slices.ContainsFunc(policies, func(name string) bool { return spec.HasSetting(name, path) })
}
