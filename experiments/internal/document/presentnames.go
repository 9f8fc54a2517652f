package document

import (
	"reflect"

	"github.com/goccy/go-yaml/ast"

	"github.com/marigram/marigram/internal/fields"
)

// usePresentNames gives keys that have a former name (internal/fields) their
// present one, in a node that is decoded into type t, and warns of each once.
func (d *Document) usePresentNames(node ast.Node, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch n := node.(type) {
	case *ast.AnchorNode:
		d.usePresentNames(n.Value, t)
	case *ast.TagNode:
		d.usePresentNames(n.Value, t)
	case *ast.SequenceNode:
		if t.Kind() == reflect.Slice {
			for _, v := range n.Values {
				d.usePresentNames(v, t.Elem())
			}
		}
	case *ast.MappingValueNode:
		d.usePresentName(n, t)
	case *ast.MappingNode:
		for _, v := range n.Values {
			d.usePresentName(v, t)
		}
	}
}

func (d *Document) usePresentName(n *ast.MappingValueNode, t reflect.Type) {
	key, isText := n.Key.(*ast.StringNode)
	if n.Key.IsMergeKey() {
		d.usePresentNames(n.Value, t)
		return
	}
	if !isText || t.Kind() != reflect.Struct {
		return
	}
	field, found := fieldOf(t, key.Value)
	if !found {
		return // the decoder says so
	}
	if present := fields.Key(field); present != key.Value {
		d.warnRenamed(key.Value, present)
		key.Value, key.Token.Value = present, present
	}
	d.usePresentNames(n.Value, field.Type)
}
