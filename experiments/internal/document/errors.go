package document

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/registry"
)

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
