// Package document reads YAML files strictly: unknown keys, fractions of whole
// numbers and a second document are errors, which name file, line and column and show
// the place. Former names of keys are read as the present ones, with a warning
// (package internal/fields).
//
//	d, err := document.Parse("mine.yaml", "a spec", data)
//	err = d.Decode(&spec)
//	return d.ErrorAt("$.market.pools[0].quota", "%d, expected at least 1", n)
package document

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/registry"
)

// Document is a YAML file. The zero value stands for none: its errors have no place.
type Document struct {
	File   string
	Source []byte // without its byte order mark
	// Hint, if set, adds to an error of a value what may help whoever wrote it.
	Hint func(message, value string) string

	tree     tree     // with the present names of keys
	set      []string // paths that Set changed, with all below them: what the document has there is not the value any more
	warnings []string
}

// Guard, deferred, makes a panic the error of whoever reads a document: the YAML library has panicked on bad input before.
func Guard[T any](file string, read **T, err *error) {
	if why := recover(); why != nil {
		*read, *err = nil, fmt.Errorf("%s: not readable as YAML: %v", file, why)
	}
}

// Warnings are about the document: former names of keys, and what Warn was given.
func (d *Document) Warnings() []string { return d.warnings }

// Warn adds warnings, each once.
func (d *Document) Warn(texts ...string) {
	for _, text := range texts {
		if !slices.Contains(d.warnings, text) {
			d.warnings = append(d.warnings, text)
		}
	}
}

func (d *Document) hint(message, value string) string {
	if d.Hint == nil {
		return ""
	}
	return d.Hint(message, value)
}

// meant says what an unknown key may stand for: a key of this name in another place, or the nearest
// name.
func meant(key string, t reflect.Type) string {
	keys, places := keysOf(t)
	if at := places[key]; at != nil {
		return fmt.Sprintf("\nit is a key of %s", strings.Join(at, ", "))
	}
	return registry.DidYouMean("\n", key, keys)
}

// keysOf returns every key of a type and the types below it, and where each is: the first path
// to every type.
func keysOf(t reflect.Type) (keys []string, places map[string][]string) {
	places = map[string][]string{}
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type, at string)
	walk = func(t reflect.Type, at string) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			name := fields.Key(t.Field(i))
			if name == "" {
				continue
			}
			keys = append(keys, name)
			places[name] = append(places[name], at)
			walk(t.Field(i).Type, strings.TrimPrefix(at+"."+name, "the document."))
		}
	}
	walk(t, "the document")
	return keys, places
}

// ErrorAt returns an error at a place in the document, such as
// "$.market.pools[0].quota": its line, column and surroundings where the document has
// it, else, and where Set gave it another value, its path alone.
func (d *Document) ErrorAt(path, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if key := strings.TrimPrefix(path, "$."); key != "$" {
		msg = key + ": " + msg
	}
	line, column, found := d.place(path)
	if !found || line == 0 || d.changed(path) {
		return fmt.Errorf("%s: %s", d.File, msg)
	}
	return fmt.Errorf("%s:%d:%d: %s\n%s", d.File, line, column, msg, excerpt(d.Source, line, column))
}

// changed reports whether Set changed the value of a place, or that of a place above it.
func (d *Document) changed(path string) bool {
	path = dotted.Replace(path) + "."
	return slices.ContainsFunc(d.set, func(set string) bool { return strings.HasPrefix(path, set+".") })
}

// dotted writes a place as a path of Set.
var dotted = strings.NewReplacer("$.", "", "[", ".", "]", "")

// Has reports whether the document has a place, or Set gave it a value.
func (d *Document) Has(path string) bool {
	_, _, found := d.place(path)
	return found || d.changed(path)
}

// Given reports whether Set gave a place a value, or else the document has it.
func (d *Document) Given(path string) bool {
	key := dotted.Replace(path)
	replaced := func(set string) bool { return strings.HasPrefix(key, set+".") }
	_, _, found := d.place(path)
	return slices.Contains(d.set, key) || found && !slices.ContainsFunc(d.set, replaced)
}

// Sets reports whether Set gave a place or one below it a value: keys and numbers of elements
// joined by dots.
func (d *Document) Sets(path string) bool {
	return slices.ContainsFunc(d.set, func(set string) bool { return set == path || strings.HasPrefix(set, path+".") })
}

// Line returns the line of a place, from 1; 0 where the document has it not.
func (d *Document) Line(path string) int {
	line, _, _ := d.place(path)
	return line
}

// whole reports the first fraction where a whole number belongs, in a value of type
// t as YAML has it: the YAML library cuts it off.
func (d *Document) whole(t reflect.Type, v any, path string) error {
	switch x := v.(type) {
	case float64:
		if k := t.Kind(); k == reflect.Int || k == reflect.Int64 ||
			k == reflect.Pointer && t.Elem().Kind() == reflect.Int {
			return d.ErrorAt(path, "%v, expected a whole number", x)
		}
	case []any:
		for i := range x {
			if t.Kind() != reflect.Slice {
				break
			}
			if err := d.whole(t.Elem(), x[i], fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
			name := fields.Key(t.Field(i))
			if inner, ok := x[name]; ok && name != "" {
				if err := d.whole(t.Field(i).Type, inner, path+"."+name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Check reports the first value of a struct, which was decoded from the document, that is not
// as the tags of its fields say (package fields), that is no finite number, or that has
// characters which a terminal or a page would obey.
func (d *Document) Check(of any) error {
	c := fields.Checker{Given: d.Given, Fail: d.ErrorAt}
	return c.Check(of)
}

// excerpt returns the lines around a place in a text, counted from 1, with a mark
// below it. The YAML library's own has other line numbers after a folded text.
func excerpt(source []byte, line, column int) string {
	lines := strings.Split(strings.TrimSuffix(string(source), "\n"), "\n")
	var b strings.Builder
	for n := max(1, line-3); n <= min(len(lines), line+3); n++ {
		mark := ' '
		if n == line {
			mark = '>'
		}
		fmt.Fprintf(&b, "%c %3d | %s\n", mark, n, strings.TrimRight(lines[n-1], "\r"))
		if n == line {
			fmt.Fprintf(&b, "%*s\n", len("> 123 | ")+column, "^")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
