package message_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/plugin/message"
)

// TestSchema compares the JSON Schema of the messages with the types.
func TestSchema(t *testing.T) {
	hold := &jsonschema.Schema{Description: "instances by pool: numbers by name, or a list of a number a pool", OneOf: []*jsonschema.Schema{
		{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "integer"}}, {Type: "array", Items: &jsonschema.Schema{Type: "integer"}}}}
	options := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[message.Hold](): hold}}
	whole := &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", Title: "Messages between marigram and policies outside of it, version 1"}
	for _, of := range []struct {
		name string
		typ  reflect.Type
	}{
		{"hello", reflect.TypeFor[message.Hello]()}, {"greeting", reflect.TypeFor[message.Greeting]()},
		{"begin", reflect.TypeFor[message.Begin]()}, {"decide", reflect.TypeFor[message.View]()},
		{"decisions", reflect.TypeFor[message.Decisions]()}, {"answer", reflect.TypeFor[message.Answer]()}, {"plan", reflect.TypeFor[message.Plan]()},
	} {
		s, err := jsonschema.ForType(of.typ, options)
		if err != nil {
			t.Fatal(err)
		}
		if of.name == "plan" || of.name == "greeting" {
			s.Required = nil // what is left out stays as it is
			for _, p := range s.Properties {
				optional(p)
			}
		}
		if whole.Defs == nil {
			whole.Defs = map[string]*jsonschema.Schema{}
		}
		whole.Defs[of.name] = s
	}
	text, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	testutil.GoldenText(t, "messages.schema.json", string(text)+"\n")
}

// optional takes away what a schema requires, also below.
func optional(s *jsonschema.Schema) {
	s.Required = nil
	for _, p := range s.Properties {
		optional(p)
	}
	if s.Items != nil {
		optional(s.Items)
	}
}
