package synth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/marigram/marigram/internal/store"
)

// Write writes the generator as JSON. The file appears whole or not at all.
func (g *Generator) Write(path string) error {
	text, err := json.MarshalIndent(g, "", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return store.WriteBytes(context.Background(), path, append(text, '\n'))
}

// ReadGenerator reads a generator from a JSON file. Unknown fields, parameters
// out of range and other versions are errors.
func ReadGenerator(path string) (*Generator, error) {
	text, err := store.ReadInput(path, maxGeneratorBytes)
	if err != nil {
		return nil, err
	}
	g, err := decodeGenerator(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// UnmarshalJSON reads a generator whose model says what its parameters are.
func (g *Generator) UnmarshalJSON(text []byte) error {
	type fields Generator
	file := struct {
		*fields
		Parameters json.RawMessage `json:"parameters"`
	}{fields: (*fields)(g)}
	if err := strict(text, &file); err != nil {
		return err
	}
	l, err := models.Named(g.Model)
	if err != nil {
		return err
	}
	g.Parameters = l.blank()
	if err := strict(file.Parameters, g.Parameters); err != nil {
		return fmt.Errorf("parameters of the model %s: %w", g.Model, err)
	}
	return nil
}

func decodeGenerator(text []byte) (*Generator, error) {
	var g Generator
	if err := json.Unmarshal(text, &g); err != nil {
		return nil, err
	}
	return &g, g.Check()
}

// strict decodes one JSON value without fields that have no place.
func strict(text []byte, into any) error {
	if text = bytes.TrimSpace(text); len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return fmt.Errorf("is missing")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
