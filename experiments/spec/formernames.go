package spec

import (
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/marigram/marigram/internal/renamed"
)

// usePresentNames gives keys that have a former name (internal/renamed) their
// present one, in a node that is decoded into type t, and warns of each once.
func (s *Spec) usePresentNames(node ast.Node, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch n := node.(type) {
	case *ast.AnchorNode:
		s.usePresentNames(n.Value, t)
	case *ast.TagNode:
		s.usePresentNames(n.Value, t)
	case *ast.SequenceNode:
		if t.Kind() == reflect.Slice {
			for _, v := range n.Values {
				s.usePresentNames(v, t.Elem())
			}
		}
	case *ast.MappingValueNode:
		s.usePresentName(n, t)
	case *ast.MappingNode:
		for _, v := range n.Values {
			s.usePresentName(v, t)
		}
	}
}

func (s *Spec) usePresentName(n *ast.MappingValueNode, t reflect.Type) {
	key, isText := n.Key.(*ast.StringNode)
	if n.Key.IsMergeKey() {
		s.usePresentNames(n.Value, t)
		return
	}
	if !isText || t.Kind() != reflect.Struct {
		return
	}
	field, found := fieldOf(t, key.Value)
	if !found {
		return // the decoder says so
	}
	if present := keyOf(field); present != key.Value {
		s.warnRenamed(key.Value, present)
		key.Value, key.Token.Value = present, present
	}
	s.usePresentNames(n.Value, field.Type)
}

func (s *Spec) warnRenamed(former, present string) { s.warn(renamed.Warning(former, present)) }

// warn adds warnings about the spec itself, each once.
func (s *Spec) warn(texts ...string) {
	for _, text := range texts {
		if !slices.Contains(s.warnings, text) {
			s.warnings = append(s.warnings, text)
		}
	}
}

// fieldOf returns the field of a struct that has a key, or once had it.
func fieldOf(t reflect.Type, key string) (f reflect.StructField, found bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		if name := keyOf(f); name != "" && (name == key || slices.Contains(renamed.Former(f), key)) {
			return f, true
		}
	}
	return f, false
}

// keyOf returns the key of a struct's field in YAML; empty: it has none.
func keyOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// PresentPath returns the path of a Setting with the present names of its keys.
func PresentPath(path string) string {
	t, keys := reflect.TypeFor[Spec](), strings.Split(path, ".")
	for i, key := range keys {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Slice:
			t = t.Elem()
		case reflect.Struct:
			f, found := fieldOf(t, key)
			if !found {
				return path
			}
			keys[i], t = keyOf(f), f.Type
		}
	}
	return strings.Join(keys, ".")
}
