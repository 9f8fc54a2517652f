//go:build !js

package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/stats"
)

// Schema returns the JSON Schema of documents that are decoded into a T, with what the tags of
// its fields say of their values (package fields). Types that have a
// schema of their own are given. A type that stands in several places is one of the definitions ($defs), by its name.
func Schema[T any](kind string, own map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	of := reflect.TypeFor[T]()
	maker := schemaMaker{own: maps.Clone(own), nulls: !read[kind]}
	if maker.own == nil {
		maker.own = map[reflect.Type]*jsonschema.Schema{}
	}
	shared := maker.shared(of)
	for _, t := range shared {
		maker.own[t] = &jsonschema.Schema{Ref: "#/$defs/" + definition(t)}
	}
	root := maker.infer(of)
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.Title = fmt.Sprintf("marigram %s, version %d", kind, versions[kind])
	root.ID = address(kind)
	maker.root = root
	maker.describe(root, of, nil)
	if read[kind] {
		root.Properties[schemaKey] = &jsonschema.Schema{
			Type:        "string",
			Description: "the address of this schema, for editors: " + root.ID,
		}
	}
	root.Defs = map[string]*jsonschema.Schema{}
	for _, t := range shared {
		reference := maker.own[t]
		delete(maker.own, t)
		made := maker.infer(t)
		maker.describe(made, t, nil)
		maker.own[t] = reference
		root.Defs[definition(t)] = made
	}
	return root
}

// shared returns the structs that stand in several places of a type, and have no schema of their own.
func (m *schemaMaker) shared(t reflect.Type) (out []reflect.Type) {
	places := map[reflect.Type]int{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || m.own[t] != nil {
			return
		}
		places[t]++
		if places[t] == 2 {
			out = append(out, t)
		}
		if places[t] > 1 {
			return
		}
		for _, f := range fields.All(t) {
			walk(f.Type)
		}
	}
	walk(t)
	return out
}

// definition is the name of a type among the definitions.
func definition(t reflect.Type) string { return strings.ToLower(t.Name()) }

// lineWidth is the width of a schema's lines, descriptions aside.
const lineWidth = 160

// Indented is a schema as a file has it: indented, with what fits on a line on one, and ending in a newline.
func Indented(s *jsonschema.Schema) []byte {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // schemas are data
	}
	var lines []string
	var open []int // the lines that begin objects and lists
	for line := range strings.SplitSeq(string(text), "\n") {
		lines = append(lines, line)
		if strings.HasSuffix(line, "{") || strings.HasSuffix(line, "[") {
			open = append(open, len(lines)-1)
			continue
		}
		inner := strings.TrimSpace(line)
		if !strings.HasPrefix(inner, "}") && !strings.HasPrefix(inner, "]") {
			continue
		}
		first := open[len(open)-1]
		open = open[:len(open)-1]
		if joined := joinedLines(lines[first:]); len(joined) <= lineWidth {
			lines = append(lines[:first], joined)
		}
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// joinedLines writes an object or a list on one line.
func joinedLines(lines []string) string {
	var elements []string
	for _, line := range lines[1 : len(lines)-1] {
		elements = append(elements, strings.TrimSpace(line))
	}
	return lines[0] + strings.Join(elements, " ") + strings.TrimSpace(lines[len(lines)-1])
}

// schemaMaker adds to the schema of a type what the tags of its fields say.
type schemaMaker struct {
	root  *jsonschema.Schema
	own   map[reflect.Type]*jsonschema.Schema
	nulls bool // lists and pointers can be null: the schema is of what is written, not of what is read
}

// infer returns the schema of a type alone.
func (m *schemaMaker) infer(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: m.own})
	if err != nil {
		panic(err) // the structs are known
	}
	return s
}

// describe adds to the schema of a type; keys lead to it from the root, nil if it is in a list.
func (m *schemaMaker) describe(s *jsonschema.Schema, t reflect.Type, keys []string) {
	m.refuseNull(s)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		switch t.Kind() {
		case reflect.Slice:
			s = s.Items
			keys = nil
		case reflect.Map:
			s = s.AdditionalProperties
			keys = nil
		}
		m.refuseNull(s)
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || m.own[t] != nil || s == nil {
		return
	}
	rules, all := fields.Rules(t)
	for i := range rules {
		rule := &rules[i]
		field := all[i]
		if s.Properties[rule.Key] == nil && len(field.Index) > 1 {
			m.addRegistered(s, field)
		}
		own := s.Properties[rule.Key]
		if own == nil {
			continue
		}
		bound(own, rule)
		below := append(slices.Clip(keys), rule.Key)
		if keys == nil && s != m.root {
			below = nil
		}
		m.relate(s, rule, field.Type, below)
		m.describe(own, field.Type, below)
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

// refuseNull takes null out of what the schema of a value accepts: the reader refuses it.
func (m *schemaMaker) refuseNull(s *jsonschema.Schema) {
	if m.nulls || s == nil || !slices.Contains(s.Types, "null") {
		return
	}
	s.Types = slices.DeleteFunc(s.Types, func(name string) bool { return name == "null" })
	if len(s.Types) == 1 {
		s.Type = s.Types[0]
	}
	if len(s.Types) < 2 {
		s.Types = nil
	}
}

// addRegistered adds the property of a field that a package has registered, of which the schema's library does not
// know.
func (m *schemaMaker) addRegistered(s *jsonschema.Schema, f reflect.StructField) {
	alone := reflect.StructOf([]reflect.StructField{{Name: f.Name, Type: f.Type, Tag: f.Tag}})
	of := m.infer(alone)
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
	if r.Numbers {
		s.Type = ""
		s.Types = []string{"string", "number"}
	}
	if r.Bounded() && r.Above {
		s.ExclusiveMinimum = stats.FiniteOrNil(r.Min)
	} else if r.Bounded() {
		s.Minimum = stats.FiniteOrNil(r.Min)
	}
	if r.Bounded() && r.Below {
		s.ExclusiveMaximum = stats.FiniteOrNil(r.Max)
	} else if r.Bounded() {
		s.Maximum = stats.FiniteOrNil(r.Max)
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
			alone := &jsonschema.Schema{MaxProperties: new(1)}
			s.AllOf = append(s.AllOf, &jsonschema.Schema{If: required(r.Key), Then: alone})
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
