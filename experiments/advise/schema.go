package advise

import "github.com/marigram/marigram/experiments/internal/document"

// StateSchema returns the JSON Schema of a state file, indented and ending in a newline.
func StateSchema() []byte {
	return document.Indented(document.Schema[State]("state", nil))
}

// AdviceSchema returns the JSON Schema of Advice, indented and ending in a newline.
func AdviceSchema() []byte {
	return document.Indented(document.Schema[Advice]("advice", nil))
}
