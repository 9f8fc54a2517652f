package sweep

import (
	"maps"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/marigram/marigram/experiments/internal/document"
)

// Schema returns the JSON Schema of a sweep's file, made from the structs,
// indented and ending in a newline. What paths and values there are is a matter
// of the base.
func Schema() []byte {
	s := document.Schema[Spec]("sweep", map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[yaml.MapSlice](): {Type: "object", PropertyNames: notFixed()},
	})
	for _, name := range []string{"matrix", "zip"} {
		s.Properties[name].AdditionalProperties = &jsonschema.Schema{Type: "array", MinItems: new(1)}
	}
	return document.Indented(s)
}

// notFixed refuses the keys that a sweep may not vary.
func notFixed() *jsonschema.Schema {
	var names []any
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		names = append(names, name)
	}
	return &jsonschema.Schema{Not: &jsonschema.Schema{Enum: names}}
}
