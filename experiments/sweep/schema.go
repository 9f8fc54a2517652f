package sweep

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schema of a sweep's file, made from the structs,
// indented and ending in a newline. What paths and values there are is a matter
// of the base.
func Schema() []byte {
	s, err := jsonschema.For[Spec](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[yaml.MapSlice](): {Type: "object", PropertyNames: notFixed()},
	}})
	if err != nil {
		panic(err) // the structs are known
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "marigram sweep"
	one := 1
	for _, name := range []string{"matrix", "zip"} {
		s.Properties[name].AdditionalProperties = &jsonschema.Schema{Type: "array", MinItems: &one}
	}
	s.Properties["starts"].MaxProperties = &one
	s.Properties["chunk_runs"].Maximum = jsonschema.Ptr(float64(MaxChunk))
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(out, '\n')
}

// notFixed refuses the keys that a sweep may not vary.
func notFixed() *jsonschema.Schema {
	var names []any
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		names = append(names, name)
	}
	return &jsonschema.Schema{Not: &jsonschema.Schema{Enum: names}}
}
