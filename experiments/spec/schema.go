//go:build !js

package spec

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/marigram/marigram/experiments/internal/document"
	"github.com/marigram/marigram/experiments/model"
	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/policies"
)

// Schema returns the JSON Schema of a spec, made from its structs, indented and
// ending in a newline.
func Schema() []byte {
	s := document.Schema[Spec]("spec", nil)
	for _, kind := range model.Kinds() {
		addNames(s, kind)
	}
	alternatives := policyAlternatives{defs: s.Defs, places: map[string]string{}}
	policy := s.Properties["policies"].Items
	policy.AnyOf = alternatives.all()
	policy.Properties["command"].MinItems = jsonschema.Ptr(1)
	return document.Indented(s)
}

// addNames adds what texts of a kind of models can be.
func addNames(s *jsonschema.Schema, kind *model.Kind) {
	if kind.Names == nil {
		return
	}
	for path, names := range kind.Names() {
		if kind.Key != "" {
			path = kind.Key + "." + path
		}
		place := s.Properties["model"]
		for key := range strings.SplitSeq(path, ".") {
			place = place.Properties[key]
			if name, refers := strings.CutPrefix(place.Ref, "#/$defs/"); refers {
				place = s.Defs[name]
			}
		}
		place.Enum = document.Anys(names)
	}
}

// policyAlternatives are what an element of policies can be: each policy with its own settings, its forms, and policies
// of a user's own.
type policyAlternatives struct {
	defs   map[string]*jsonschema.Schema
	places map[string]string // where settings are described, one or all of a policy, by the description
}

func (a *policyAlternatives) all() []*jsonschema.Schema {
	for _, form := range policies.Forms() {
		form.Name = strings.TrimSuffix(form.Name, ":NAME")
		a.settings(&form)
	}
	var out []*jsonschema.Schema
	for _, policy := range policies.List() {
		out = append(out, a.alternative(&policy))
		for _, prefix := range policies.Prefixes() {
			if form, err := policies.Named(prefix + policy.Name); err == nil {
				out = append(out, a.alternative(&form))
			}
		}
	}
	own := &jsonschema.Schema{Description: "a policy of your own", Required: []string{"command"}}
	renamed := &jsonschema.Schema{
		Description: "a policy of marigram under a name of your own",
		Required:    []string{"policy"},
	}
	return append(out, own, renamed)
}

// alternative is a policy of marigram.
func (a *policyAlternatives) alternative(policy *policies.Info) *jsonschema.Schema {
	keys := map[string]*jsonschema.Schema{
		"name":     {Enum: []any{policy.Name}},
		"settings": a.settings(policy),
	}
	if policy.Needs.Workers() {
		refuseOwn(keys)
	}
	return &jsonschema.Schema{Description: policy.Doc, Properties: keys}
}

// refuseOwn refuses the keys that policies may have in place of those of the model.
func refuseOwn(keys map[string]*jsonschema.Schema) {
	for _, kind := range model.Kinds() {
		if kind.Own == nil {
			continue
		}
		rules, _ := fields.Rules(reflect.TypeOf(kind.Own()).Elem())
		for _, rule := range rules {
			keys[rule.Key] = nothing()
		}
	}
}

// settings is what a policy takes as settings: a definition, in which those that a policy before it has in the same
// words refer to that one.
func (a *policyAlternatives) settings(policy *policies.Info) *jsonschema.Schema {
	object := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: nothing(),
	}
	for _, setting := range policies.Settings(policy.Defaults()) {
		object.Properties[setting.Name] = settingSchema(&setting)
	}
	name := policy.Name + "-settings"
	place, known := a.describe("", object, "#/$defs/"+name)
	if !known {
		for key, described := range object.Properties {
			if at, known := a.describe(key, described, place+"/properties/"+key); known {
				object.Properties[key] = &jsonschema.Schema{Ref: at}
			}
		}
		a.defs[name] = object
	}
	return &jsonschema.Schema{Ref: place}
}

// describe returns where a setting, or all of a policy, are described, and whether they were before.
func (a *policyAlternatives) describe(key string, s *jsonschema.Schema, place string) (at string, known bool) {
	words := key + string(document.Indented(s))
	if at, known = a.places[words]; known {
		return at, true
	}
	a.places[words] = place
	return place, false
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
