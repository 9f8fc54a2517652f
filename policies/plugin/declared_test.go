package plugin_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/message"
)

// settings are one of each kind, as a greeting has them.
const settings = `[
	{"name": "ratio", "default": 0.25, "min": 0, "max": 1, "doc": "share, \"of\" what"},
	{"name": "instances", "default": 4, "min": 1, "max": 64, "whole": true, "doc": "how many"},
	{"name": "patient", "default": true, "doc": "whether it waits"},
	{"name": "rule", "default": "daly", "names": ["young", "daly"], "doc": "formula"}]`

// parse reads settings as a greeting has them.
func parse(text []byte) (settings []message.Setting, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = d.Decode(&settings)
	return settings, err
}

// What a plug-in declares is a setting as those in Go are.
func TestDeclaredSettings(t *testing.T) {
	declared, err := parse([]byte(settings))
	if err != nil {
		t.Fatal(err)
	}
	fields, err := plugin.Struct(declared)
	if err != nil {
		t.Fatal(err)
	}
	p := plugin.New("mine", nil)
	if got := policies.Settings(p); got != nil {
		t.Errorf("%v, expected none of a plug-in that does not say", got)
	}
	p.Declare(fields)
	var texts []string
	for _, s := range policies.Settings(p) {
		texts = append(texts, s.Name+": "+s.Doc+", "+s.Expected())
	}
	if got, want := strings.Join(texts, "; "), `ratio: share, "of" what, 0 to 1; instances: how many, 1 to 64; `+
		"patient: whether it waits, true or false; rule: formula, young or daly"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
	right := map[string]any{"ratio": 1, "instances": 8, "patient": false, "rule": "young"}
	if err := policies.Configure(p, right); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]any{"ratio": 1.5, "instances": 2.5, "patient": "no", "rule": "newton", "ration": 0.5} {
		err := policies.Configure(p, map[string]any{name: wrong})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s = %v: %v", name, wrong, err)
		}
	}
	for _, s := range policies.Settings(p) {
		if want := map[string]any{"ratio": 1.0, "instances": 8.0, "patient": false, "rule": "young"}[s.Name]; s.Value != want {
			t.Errorf("%s is %v, expected %v", s.Name, s.Value, want)
		}
	}
}

// Whatever a plug-in says of its settings, it is refused or is settings.
func TestWrongDeclarations(t *testing.T) {
	for text, want := range map[string]string{
		`[{"name": "a", "default": 1, "doc": "d"}]`:                                                "two bounds",
		`[{"name": "a", "default": 1, "min": 2, "max": 1, "doc": "d"}]`:                            "min below max",
		`[{"name": "a", "default": 3, "min": 1, "max": 2, "doc": "d"}]`:                            "its default is 3, expected 1 to 2",
		`[{"name": "a", "default": 1.5, "min": 1, "max": 2, "whole": true, "doc": ""}]`:            "expected a whole number",
		`[{"name": "a", "default": true}]`:                                                         "expected a doc",
		`[{"name": "A b", "default": true, "doc": "d"}]`:                                           "expected a name of lower-case letters",
		`[{"name": "a", "default": true, "max": 1, "doc": "d"}]`:                                   "are of numbers",
		`[{"name": "a", "default": "x", "names": ["y"], "doc": "d"}]`:                              "expected one of its names",
		`[{"name": "a", "default": "x,y", "names": ["x,y"], "doc": "d"}]`:                          "no comma",
		`[{"name": "a", "default": null, "doc": "d"}]`:                                             "expected a number, true or false",
		`[{"name": "a", "default": false, "names": ["y"], "doc": "d"}]`:                            "names are of texts",
		`[{"name": "a", "default": true, "doc": "d"}, {"name": "a", "default": true, "doc": "d"}]`: "declared twice",
		`[{"name": "a", "kind": 1}]`:                                                               `unknown field "kind"`,
	} {
		declared, err := parse([]byte(text))
		if err == nil {
			_, err = plugin.Struct(declared)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
	if _, err := plugin.Struct(make([]message.Setting, 1000)); err == nil || !strings.Contains(err.Error(), "at most 256") {
		t.Error(err)
	}
}
