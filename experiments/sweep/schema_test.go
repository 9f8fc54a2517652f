package sweep

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
)

// What the schema accepts is what a plan can be made of, as far as a schema says.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{
		synthetic: true,
		tiny:      true,
		"base: quickstart\nname: x\nabout: y\ninclude: [{policy: [reactive]}]\n": true,

		"base: quickstart\nmatrix: {policy: reactive}\n":       false,
		"base: quickstart\nmatrix: {policy: []}\n":             false,
		"base: quickstart\nmatrix: {seeds: [1, 2]}\n":          false,
		"base: quickstart\nzip: {timelines: [1, 2]}\n":         false,
		"base: quickstart\ninclude: [{name: x}]\n":             false,
		"base: quickstart\ninclude: {policy: [reactive]}\n":    false,
		"base: quickstart\nstarts: random\n":                   false,
		"base: quickstart\nstarts: {every_s: 6h}\n":            false,
		"base: quickstart\nstarts: {every: 6h, random: 3}\n":   false,
		"base: quickstart\nstarts: {every_s: 60, random: 3}\n": false,
		"base: quickstart\nchunk_runs: 65537\n":                false,
		"base: quickstart\nseeds: many\n":                      false,
		"base: quickstart\nmatrices: {}\n":                     false,
	} {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		var plain any // as JSON has it
		if err := json.Unmarshal(toJSON(v), &plain); err != nil {
			t.Fatal(err)
		}
		spec, err := parse("sweep.yaml", []byte(text))
		if err == nil {
			_, err = spec.Plan(context.Background(), "v0", "c0")
		}
		if (err == nil) != good {
			t.Errorf("%s: the reader says %v", text, err)
		}
		if err := schema.Validate(plain); (err == nil) != good {
			t.Errorf("%s: the schema says %v", text, err)
		}
	}
}
