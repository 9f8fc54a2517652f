//go:build !js

package spec

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/policies"
)

// Schema returns the JSON Schema of a spec, made from its structs, indented and
// ending in a newline.
func Schema() []byte {
	s := document.Schema[Spec]("spec", map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Policy](): policySchema(),
	})
	for _, kind := range model.Kinds() {
		addNames(s, kind)
	}
	pipelined := s.Properties["model"].Properties["pipelined"].Properties
	pipelined["throughput"].Properties["published"].Enum = document.Anys(pipeline.PublishedThroughputs())
	pipelined["recovery"].Properties["migration"].Properties["published"].Enum = document.Anys(pipeline.ParcaeNetworks())
	return document.Indented(s)
}

// addNames adds what texts of a kind of models can be.
func addNames(s *jsonschema.Schema, kind *model.Kind) {
	if kind.Names == nil {
		return
	}
	for path, names := range kind.Names() {
		place := s.Properties["model"]
		if kind.Key != "" {
			place = place.Properties[kind.Key]
		}
		for key := range strings.SplitSeq(path, ".") {
			place = place.Properties[key]
		}
		place.Enum = document.Anys(names)
	}
}

// policySchema is one alternative a policy, with its own settings, and one for each of its
// forms.
func policySchema() *jsonschema.Schema {
	out := &jsonschema.Schema{Description: "a policy"}
	for _, p := range policies.List() {
		out.OneOf = append(out.OneOf, policyAlternative(&p))
		for _, prefix := range policies.Prefixes() {
			if form, err := policies.Named(prefix + p.Name); err == nil {
				out.OneOf = append(out.OneOf, policyAlternative(&form))
			}
		}
	}
	out.OneOf = append(out.OneOf, ownPolicy(), renamedPolicy())
	return out
}

// renamedPolicy is the alternative of a policy of marigram under another name.
func renamedPolicy() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Description: "a policy of marigram under a name of your own", Required: []string{"name", "policy"},
		AdditionalProperties: nothing(), Properties: map[string]*jsonschema.Schema{
			"name":   {Type: "string", Description: "a name that no policy of marigram has"},
			"policy": {Type: "string", Description: "which policy it is"}, "settings": {Type: "object"}}}
}

// ownPolicy is the alternative of a policy of a user's own.
func ownPolicy() *jsonschema.Schema {
	name := &jsonschema.Schema{Type: "string", Description: "a name that no policy of marigram has"}
	words := &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}, MinItems: jsonschema.Ptr(1)}
	own := map[string]*jsonschema.Schema{"name": name, "settings": {Type: "object"}, "command": words,
		"watch_prices": {Type: "boolean"}, "answer_s": {Type: "number", Minimum: jsonschema.Ptr(0.0), Maximum: jsonschema.Ptr(86400.0)}}
	return &jsonschema.Schema{Type: "object", Description: "a policy of your own", Required: []string{"name", "command"},
		AdditionalProperties: nothing(), Properties: own}
}

func policyAlternative(p *policies.Info) *jsonschema.Schema {
	settings := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: nothing()}
	for _, s := range policies.Settings(p.Defaults()) {
		settings.Properties[s.Name] = settingSchema(&s)
	}
	own := map[string]*jsonschema.Schema{"name": {Enum: []any{p.Name}}, "settings": settings}
	if !p.Needs.Workers() {
		for _, section := range []string{"throughput", "recovery"} {
			own[section] = &jsonschema.Schema{Ref: "#/properties/model/properties/pipelined/properties/" + section,
				Description: "under this policy; the model's if absent"}
		}
	}
	return &jsonschema.Schema{Type: "object", Description: p.Doc, Required: []string{"name"},
		AdditionalProperties: nothing(), Properties: own}
}

// settingSchema is a number within bounds, a switch, or one of some names.
func settingSchema(s *policies.Setting) *jsonschema.Schema {
	switch {
	case s.Names != nil:
		return &jsonschema.Schema{Enum: document.Anys(s.Names), Description: s.Doc}
	case s.Value == true || s.Value == false:
		return &jsonschema.Schema{Type: "boolean", Description: s.Doc}
	}
	return &jsonschema.Schema{Type: "number", Description: s.Doc, Minimum: &s.Min, Maximum: &s.Max}
}

func nothing() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }
