package document

import (
	"strings"
	"testing"
)

// A document may name its schema; that of another kind or of a later version is an error, with its place.
func TestSchemaOfADocument(t *testing.T) {
	type thing struct {
		Name string `json:"name"`
	}
	for schema, says := range map[string]string{
		"https://github.com/marigram/marigram/releases/latest/download/marigram-spec-2.schema.json": "",
		"https://github.com/marigram/marigram/releases/download/v0.1.0/marigram-spec-1.schema.json": "",
		"mine.json": "",
		"https://github.com/marigram/marigram/releases/latest/download/marigram-spec-3.schema.json": "x.yaml:2:10: $schema: version 3 of the schema, expected 1 to 2",
		"marigram-spec-0.schema.json":                    "expected 1 to 2",
		"marigram-spec-99999999999999999999.schema.json": "expected 1 to 2",
		"marigram-state-1.schema.json":                   "another kind (state), expected that of a spec",
		"marigram-advice-1.schema.json":                  "another kind (advice), expected that of a spec",
		"[a]":                                            "x.yaml:2:10: $schema: expected the address of a schema",
	} {
		d, err := Parse("x.yaml", "a spec", []byte("name: y\n$schema: "+schema+"\n"))
		if says != "" {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, expected %s", schema, err, says)
			}
			continue
		}
		var x thing
		if err == nil {
			err = d.Decode(&x)
		}
		if err != nil || x.Name != "y" {
			t.Errorf("%s: %v, %+v", schema, err, x)
		}
	}
	if d, err := Parse("x.yaml", "a spec", []byte("$schema: mine.json\nname: y\nmore: 1\n")); err != nil {
		t.Error(err)
	} else if err := d.Decode(&thing{}); err == nil || !strings.Contains(err.Error(), `x.yaml:3:1: unknown field "more"`) {
		t.Errorf("%v, expected an error with its place", err)
	}
}
