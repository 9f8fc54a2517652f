package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/experiments/spec"
)

// axis is a dimension of the grid: paths whose values change together.
type axis struct {
	paths  []string
	values [][]value // by place on the axis, then by path
}

// value is one of a path, with the name that results have for it; empty: the value itself.
type value struct {
	is   any
	name string
}

// valueOf reads a value: as it is, or {name: ..., value: ...}.
func valueOf(given any) (value, error) {
	is := plain(given)
	keys, isMap := is.(map[string]any)
	inner, hasValue := keys["value"]
	name, hasName := keys["name"]
	if !isMap || len(keys) != 2 || !hasValue || !hasName {
		return value{is: is}, nil
	}
	text, isText := name.(string)
	if !isText || text == "" || len(text) > maxName {
		return value{}, fmt.Errorf("name %v of the value %v, expected a text of 1 to %d characters",
			name, inner, maxName)
	}
	return value{inner, text}, nil
}

// maxName is the length of the name of a value: of a column and a title.
const maxName = 40

// fixed are keys of a spec that a sweep may not vary, with the reason.
var fixed = map[string]string{
	"name":      "a sweep has one name",
	"about":     "it changes no result",
	"seed":      "every cell has the same seeds, so that differences are paired",
	"seeds":     "every cell has the same seeds: use seeds of the sweep",
	"starts":    "every cell has the same starts: use starts of the sweep",
	"timelines": "a sweep keeps totals only",
	"bound":     "it changes no run: use bound of the sweep",
}

// cells expands the grid: the product of the matrix and of the zip, the last
// axis fastest, less what is excluded; then what is included.
func (s *Spec) cells() ([][]spec.Setting, error) {
	axes, err := s.axes()
	if err != nil {
		return nil, err
	}
	cells := [][]spec.Setting{nil}
	for _, a := range axes {
		if len(cells)*len(a.values) > maxCells {
			return nil, fmt.Errorf("more than %d cells", maxCells)
		}
		cells = times(cells, &a)
	}
	for i, x := range s.Exclude {
		before := len(cells)
		cells = slices.DeleteFunc(cells, func(c []spec.Setting) bool { return matches(c, x) })
		if len(cells) == before {
			return nil, fmt.Errorf("exclude[%d]: no cell has these values", i)
		}
	}
	for i, x := range s.Include {
		var cell []spec.Setting
		for _, item := range x {
			path, err := pathOf(item)
			if err != nil {
				return nil, fmt.Errorf("include[%d]: %w", i, err)
			}
			one, err := valueOf(item.Value)
			if err != nil {
				return nil, fmt.Errorf("include[%d]: %s: %w", i, path, err)
			}
			cell = append(cell, spec.Setting{Path: path, Value: one.is, Name: one.name})
		}
		cells = append(cells, cell)
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("no cell is left, expected at least one")
	}
	return cells, distinct(cells)
}

func times(cells [][]spec.Setting, a *axis) (all [][]spec.Setting) {
	for _, c := range cells {
		for _, values := range a.values {
			cell := slices.Clone(c)
			for k, path := range a.paths {
				cell = append(cell, spec.Setting{Path: path, Value: values[k].is, Name: values[k].name})
			}
			all = append(all, cell)
		}
	}
	return all
}

func (s *Spec) axes() (axes []axis, err error) {
	for _, item := range s.Matrix {
		path, values, err := series("matrix", item)
		if err != nil {
			return nil, err
		}
		along := axis{paths: []string{path}}
		for _, one := range values {
			along.values = append(along.values, []value{one})
		}
		axes = append(axes, along)
	}
	if len(s.Zip) == 0 {
		return axes, nil
	}
	var zip axis
	for _, item := range s.Zip {
		path, values, err := series("zip", item)
		if err != nil {
			return nil, err
		}
		if zip.values == nil {
			zip.values = make([][]value, len(values))
		}
		if len(values) != len(zip.values) {
			return nil, fmt.Errorf("zip: %s has %d values, expected %d as %s has", path, len(values), len(zip.values),
				zip.paths[0])
		}
		zip.paths = append(zip.paths, path)
		for k, v := range values {
			zip.values[k] = append(zip.values[k], v)
		}
	}
	return append(axes, zip), nil
}

// series returns the path and the values of one entry of matrix or zip.
func series(where string, item yaml.MapItem) (path string, values []value, err error) {
	if path, err = pathOf(item); err != nil {
		return "", nil, fmt.Errorf("%s: %w", where, err)
	}
	list, ok := item.Value.([]any)
	if !ok || len(list) == 0 {
		return "", nil, fmt.Errorf("%s: %s is %v, expected a list of values", where, path, item.Value)
	}
	for _, v := range list {
		one, err := valueOf(v)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %s: %w", where, path, err)
		}
		values = append(values, one)
	}
	return path, values, nil
}

func pathOf(item yaml.MapItem) (string, error) {
	path := fmt.Sprint(item.Key)
	if why, is := fixed[path]; is {
		return "", fmt.Errorf("%s cannot be swept: %s", path, why)
	}
	return path, nil
}

// plain turns ordered maps into maps, which have one JSON form.
func plain(v any) any {
	switch given := v.(type) {
	case yaml.MapSlice:
		unordered := map[string]any{}
		for _, item := range given {
			unordered[fmt.Sprint(item.Key)] = plain(item.Value)
		}
		return unordered
	case []any:
		for i := range given {
			given[i] = plain(given[i])
		}
	}
	return v
}

// matches reports whether a cell has all of these values, each as it is or by its name.
func matches(cell []spec.Setting, x yaml.MapSlice) bool {
	for _, item := range x {
		has := func(s spec.Setting) bool {
			return s.Path == fmt.Sprint(item.Key) &&
				(s.Name != "" && s.Name == item.Value || bytes.Equal(toJSON(s.Value), toJSON(plain(item.Value))))
		}
		if !slices.ContainsFunc(cell, has) {
			return false
		}
	}
	return true
}

func toJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Appendf(nil, "%q", fmt.Sprint(v)) // .nan and .inf, which no spec accepts
	}
	return text
}

// distinct refuses cells that are there twice, and paths that a cell has twice.
func distinct(cells [][]spec.Setting) error {
	seen := map[string]bool{}
	for _, c := range cells {
		paths := map[string]bool{}
		for _, x := range c {
			if paths[x.Path] {
				return fmt.Errorf("%s is given twice", x.Path)
			}
			paths[x.Path] = true
		}
		key := spec.Parameters(c)
		if seen[key] {
			return fmt.Errorf("the cell %s is given twice", key)
		}
		seen[key] = true
	}
	return nil
}
