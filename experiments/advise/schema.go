package advise

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// StateSchema returns the JSON Schema of a state file, indented and ending in a newline.
func StateSchema() []byte {
	s := schemaOf[State]("marigram state of a job that runs, version 1")
	texts := []*jsonschema.Schema{s}
	for _, list := range []string{"instances", "requests"} {
		texts = append(texts, s.Properties[list].Items)
	}
	for _, of := range texts {
		for _, key := range []string{"now", "started", "since", "ready", "noticed", "gone", "released", "until"} {
			if x := of.Properties[key]; x != nil { // an instant, or seconds
				x.Type, x.Types = "", []string{"string", "number"}
			}
		}
	}
	s.OneOf = []*jsonschema.Schema{{Required: []string{"done"}}, {Required: []string{"loss"}}}
	return indented(s)
}

// AdviceSchema returns the JSON Schema of Advice, indented and ending in a newline.
func AdviceSchema() []byte { return indented(schemaOf[Advice]("marigram advice, version 1")) }

func schemaOf[T any](title string) *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // the structs are known
	}
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", title
	return s
}

func indented(s *jsonschema.Schema) []byte {
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // schemas are data
	}
	return append(out, '\n')
}
