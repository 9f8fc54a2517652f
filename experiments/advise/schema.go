package advise

import (
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/marigram/marigram/experiments/internal/document"
)

// StateSchema returns the JSON Schema of a state file, indented and ending in a newline.
func StateSchema() []byte {
	s := document.Schema[State]("state", nil)
	texts := []*jsonschema.Schema{s}
	for _, list := range []string{"instances", "requests", "jobs"} {
		texts = append(texts, s.Properties[list].Items)
	}
	for _, of := range texts {
		for _, key := range []string{"now", "started", "since", "ready", "noticed", "gone", "released", "until"} {
			if x := of.Properties[key]; x != nil { // an instant, or seconds
				x.Type, x.Types = "", []string{"string", "number"}
			}
		}
	}
	return document.Indented(s)
}

// AdviceSchema returns the JSON Schema of Advice, indented and ending in a newline.
func AdviceSchema() []byte {
	return document.Indented(document.Schema[Advice]("advice", nil))
}
