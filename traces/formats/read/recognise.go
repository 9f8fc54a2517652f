package read

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Holds reports whether the beginning of a source holds one of the texts, in
// any case.
func (s *Source) Holds(texts ...string) bool {
	head := bytes.ToLower(s.Head[:min(len(s.Head), MaxLine)])
	return slices.ContainsFunc(texts, func(t string) bool { return bytes.Contains(head, []byte(t)) })
}

// TopKey reports whether a source begins as a JSON object with one of the keys,
// as far as its first few KiB tell.
func (s *Source) TopKey(keys ...string) bool {
	dec := json.NewDecoder(bytes.NewReader(s.Head[:min(len(s.Head), MaxLine)]))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return false
	}
	for depth, isKey := 0, true; depth >= 0; {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			if key, _ := tok.(string); isKey && slices.Contains(keys, key) {
				return true
			}
			isKey = !isKey
		}
	}
	return false
}

// FirstLine returns the first line of a source without white space around it.
func (s *Source) FirstLine() string {
	first, _, _ := bytes.Cut(s.Head[:min(len(s.Head), MaxLine)], []byte("\n"))
	return string(bytes.TrimSpace(first))
}
