//go:build !js

package document

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/stats"
)

// Schema returns the JSON Schema of documents that are decoded into a T, with what the tags of
// its fields say of their values (package fields). Types that have a
// schema of their own are given.
func Schema[T any](kind string, own map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: own})
	if err != nil {
		panic(err) // the structs are known
	}
	s.Schema, s.Title, s.ID = "https://json-schema.org/draft/2020-12/schema", fmt.Sprintf("marigram %s, version %d", kind, versions[kind]), address(kind)
	m := schemaMaker{root: s, own: own}
	m.describe(s, reflect.TypeFor[T](), nil)
	if read[kind] {
		s.Properties[schemaKey] = &jsonschema.Schema{Type: "string", Description: "the address of this schema, for editors: " + s.ID}
	}
	return s
}

// Indented is a schema as a file has it: indented and ending in a newline.
func Indented(s *jsonschema.Schema) []byte {
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // schemas are data
	}
	return append(out, '\n')
}

// schemaMaker adds to the schema of a type what the tags of its fields say.
type schemaMaker struct {
	root *jsonschema.Schema
	own  map[reflect.Type]*jsonschema.Schema
}

// describe adds to the schema of a type; keys lead to it from the root, nil if it is in a list.
func (m *schemaMaker) describe(s *jsonschema.Schema, t reflect.Type, keys []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if t.Kind() == reflect.Slice {
			s, keys = s.Items, nil
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || m.own[t] != nil || s == nil {
		return
	}
	rules, all := fields.Rules(t)
	for i := range rules {
		r, f := &rules[i], all[i]
		if s.Properties[r.Key] == nil && len(f.Index) > 1 {
			m.addRegistered(s, f)
		}
		own := s.Properties[r.Key]
		if own == nil {
			continue
		}
		bound(own, r)
		below := append(slices.Clip(keys), r.Key)
		if keys == nil && s != m.root {
			below = nil
		}
		m.relate(s, r, f.Type, below)
		m.describe(own, f.Type, below)
	}
	words, groups := fields.Groups(rules)
	for _, word := range words {
		one := &jsonschema.Schema{}
		for _, key := range groups[word] {
			one.OneOf = append(one.OneOf, required(key))
		}
		s.AllOf = append(s.AllOf, one)
	}
}

// addRegistered adds the property of a field that a package has registered, of which the schema's library does not
// know.
func (m *schemaMaker) addRegistered(s *jsonschema.Schema, f reflect.StructField) {
	alone := reflect.StructOf([]reflect.StructField{{Name: f.Name, Type: f.Type, Tag: f.Tag}})
	of, err := jsonschema.ForType(alone, &jsonschema.ForOptions{TypeSchemas: m.own})
	if err != nil {
		panic(err) // the structs are known
	}
	for key, property := range of.Properties {
		if s.Properties == nil {
			s.Properties = map[string]*jsonschema.Schema{}
		}
		s.Properties[key] = property
		s.PropertyOrder = append(s.PropertyOrder, key)
	}
	s.Required = append(s.Required, of.Required...)
}

// bound adds the bounds and the names of a field.
func bound(s *jsonschema.Schema, r *fields.Rule) {
	if r.Items > 0 {
		s.MaxItems = &r.Items
	}
	for s.Items != nil || s.AdditionalProperties != nil && s.Properties == nil {
		if s.Items == nil {
			s = s.AdditionalProperties
		} else {
			s = s.Items
		}
	}
	if low, high := r.Min, r.Max; r.Bounded() {
		if r.Above {
			s.ExclusiveMinimum = stats.FiniteOrNil(low)
		} else {
			s.Minimum = stats.FiniteOrNil(low)
		}
		if r.Below {
			s.ExclusiveMaximum = stats.FiniteOrNil(high)
		} else {
			s.Maximum = stats.FiniteOrNil(high)
		}
	}
	if r.Names != nil {
		s.Enum = Anys(r.Names)
	}
}

// relate adds what a field asks of others.
func (m *schemaMaker) relate(s *jsonschema.Schema, r *fields.Rule, t reflect.Type, keys []string) {
	for _, need := range r.Needs {
		switch {
		case need.Key[0] == '/':
			if keys != nil {
				m.root.AllOf = append(m.root.AllOf, &jsonschema.Schema{If: nested(keys), Then: required(need.Key[1:])})
			}
		case need.Values == nil:
			if s.DependentRequired == nil {
				s.DependentRequired = map[string][]string{}
			}
			s.DependentRequired[r.Key] = append(s.DependentRequired[r.Key], need.Key)
		default:
			then := required(need.Key)
			then.Properties = map[string]*jsonschema.Schema{need.Key: {Enum: Anys(need.Values)}}
			s.AllOf = append(s.AllOf, &jsonschema.Schema{If: required(r.Key), Then: then})
		}
	}
	for _, key := range r.Excludes {
		if key == "*" {
			s.AllOf = append(s.AllOf, &jsonschema.Schema{If: required(r.Key), Then: &jsonschema.Schema{MaxProperties: new(1)}})
		} else {
			both := required(r.Key, key)
			if t.Kind() == reflect.Bool { // false is as if absent
				both.Properties = map[string]*jsonschema.Schema{r.Key: {Enum: []any{true}}}
			}
			s.AllOf = append(s.AllOf, &jsonschema.Schema{Not: both})
		}
	}
}

func required(keys ...string) *jsonschema.Schema { return &jsonschema.Schema{Required: keys} }

// nested requires a key within others.
func nested(keys []string) *jsonschema.Schema {
	s := required(keys[0])
	if len(keys) > 1 {
		s.Properties = map[string]*jsonschema.Schema{keys[0]: nested(keys[1:])}
	}
	return s
}

// Anys returns names as a schema's list of values.
func Anys(names []string) []any {
	out := make([]any, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}
