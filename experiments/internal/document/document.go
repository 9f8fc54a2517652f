// Package document reads YAML files strictly: unknown keys, fractions of whole
// numbers and a second document are errors, which name file, line and column and show
// the place.
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
	"github.com/marigram/marigram/internal/gone"
	"github.com/marigram/marigram/internal/registry"
)

// Document is a YAML file. The zero value stands for none: its errors have no place.
type Document struct {
	File   string
	Source []byte // without its byte order mark
	// Hint, if set, adds to an error of a value what may help whoever wrote it.
	Hint func(message, value string) string

	tree tree
	// set are the paths that Set changed, with all below them: what the document has there is not the value any more.
	set      []string
	warnings []string
}

// Guard makes a panic the error of whoever reads a document, where it is deferred: the YAML library has panicked on bad
// input before.
func Guard[T any](file string, read **T, err *error) {
	if why := recover(); why != nil {
		*read = nil
		*err = fmt.Errorf("%s: not readable as YAML: %v", file, why)
	}
}

// Warnings are about the document: what Warn was given.
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

// KeyHelper is a section that knows where keys belong which people write into it and which it has not: such as settings
// that are to be below another key.
type KeyHelper interface {
	// HelpKey says where a key belongs, with its value as it is written; empty: the section does not know.
	HelpKey(key, value string) string
}

// helpKey is HelpKey of a section; empty where it is no KeyHelper.
func helpKey(section reflect.Type, key, value string) string {
	helper, is := reflect.New(section).Interface().(KeyHelper)
	if !is {
		return ""
	}
	return helper.HelpKey(key, value)
}

// meant says what an unknown key of a section of a document of type t may stand for: the nearest key of the section,
// what the section says itself (KeyHelper), or a key of this name in another place; else which keys the section has, and
// which of another place is near.
func meant(key, value string, t, section reflect.Type) string {
	if sentence := gone.Instead("key", key); sentence != "" {
		return "\n" + sentence
	}
	own := ownKeys(section)
	if near := registry.DidYouMean("\n", key, own); near != "" {
		return near
	}
	if sentence := helpKey(section, key, value); sentence != "" {
		return "\n" + sentence
	}
	keys, places := keysOf(t)
	if at := places[key]; at != nil {
		return fmt.Sprintf("\nit is a key of %s", strings.Join(at, ", "))
	}
	text := "\nexpected one of " + strings.Join(own, ", ")
	if near := registry.Nearest(key, keys); near != "" {
		text += fmt.Sprintf("; %q is a key of %s", near, strings.Join(places[near], ", "))
	}
	return text
}

// ownKeys are the keys of a section, without those of the sections below it.
func ownKeys(section reflect.Type) (keys []string) {
	for _, f := range fields.All(section) {
		keys = append(keys, fields.Key(f))
	}
	return keys
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
		for _, f := range fields.All(t) {
			name := fields.Key(f)
			keys = append(keys, name)
			places[name] = append(places[name], at)
			walk(f.Type, strings.TrimPrefix(at+"."+name, "the document."))
		}
	}
	walk(t, "the document")
	return keys, places
}
