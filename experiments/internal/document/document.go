// Package document reads YAML files strictly: unknown keys, fractions of whole
// numbers and a second document are errors, which name file, line and column and show
// the place. Former names of keys are read as the present ones, with a warning
// (package internal/fields).
//
//	d, err := document.Parse("mine.yaml", "a spec", data)
//	err = d.Decode(&spec)
//	return d.ErrorAt("$.market.pools[0].quota", "%d, expected at least 1", n)
package document

import "slices"

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
