package document

import (
	"fmt"
	"slices"
	"strings"
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
