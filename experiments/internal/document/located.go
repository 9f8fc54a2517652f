package document

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// node returns what the document has at a place, nil if nothing.
func (d *Document) node(path string) ast.Node {
	place, err := yaml.PathString(path)
	if err != nil || d.tree == nil {
		return nil
	}
	node, err := place.FilterFile(d.tree)
	if err != nil {
		return nil
	}
	return node
}

func (d *Document) place(path string) (line, column int, found bool) {
	node := d.node(path)
	if node == nil {
		return 0, 0, false
	}
	at := node.GetToken().Position
	return at.Line, at.Column, true
}

var unknownField = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`unknown field "([^"]*)"`) })

// located puts file, line and column before an error of the YAML library and adds
// what the user may have meant, of a document that is decoded into type t, nil where
// none is known.
func (d *Document) located(err error, t reflect.Type) error {
	where := d.File
	msg := err.Error()
	var y yaml.Error
	if errors.As(err, &y) {
		if tok := y.GetToken(); tok != nil && tok.Position != nil {
			where = fmt.Sprintf("%s:%d:%d", d.File, tok.Position.Line, tok.Position.Column)
			msg = worded(y) + "\n" + excerpt(d.Source, tok.Position.Line, tok.Position.Column) +
				d.hint(y.GetMessage(), tok.Value)
		}
	}
	if unknown := unknownField().FindStringSubmatch(err.Error()); unknown != nil && t != nil {
		section := t
		value := ""
		if y != nil && y.GetToken() != nil {
			section, value = sectionAt(d.tree.Docs[0].Body, t, y.GetToken().Position)
		}
		msg += meant(unknown[1], value, t, cmp.Or(section, t))
	}
	return fmt.Errorf("%s: %s", where, strings.TrimRight(msg, "\n"))
}

// worded says what is wrong with a value in words of the document, not of the types that it is decoded into.
func worded(y yaml.Error) string {
	if wrong, is := y.(*yaml.TypeError); is && !isScalar(wrong.SrcType) {
		return "expected " + expected(wrong.DstType)
	}
	return wordedOf(y.GetToken().Value, y)
}

// wordedOf is worded of a value whose text is known.
func wordedOf(value string, y yaml.Error) string {
	switch wrong := y.(type) {
	case *yaml.TypeError:
		return fmt.Sprintf("%s, expected %s", value, expected(wrong.DstType))
	case *yaml.OverflowError:
		return fmt.Sprintf("%s, expected %s in 64 bits", wrong.SrcNum, expected(wrong.DstType))
	case *yaml.UnexpectedNodeTypeError:
		return "expected " + nodeWord(wrong.Expected)
	}
	return y.GetMessage()
}

// isScalar reports whether a type is that of one value.
func isScalar(t reflect.Type) bool {
	return t != nil && t.Kind() != reflect.Map && t.Kind() != reflect.Slice && t.Kind() != reflect.Struct
}

// expected says what a field of a type takes.
func expected(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return "another value"
	}
	kind := t.Kind()
	if kind >= reflect.Int && kind <= reflect.Uint64 {
		return "a whole number"
	}
	switch kind {
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "keys with values"
	}
	return "text"
}

func nodeWord(n ast.NodeType) string {
	switch n {
	case ast.MappingType, ast.MappingValueType:
		return "keys with values"
	case ast.SequenceType:
		return "a list"
	}
	return strings.ToLower(n.String())
}

// finder finds the first node that begins at a place.
type finder struct {
	at    *token.Position
	found ast.Node
}

// Visit implements ast.Visitor.
func (f *finder) Visit(n ast.Node) ast.Visitor {
	if f.found != nil {
		return nil
	}
	if p := n.GetToken().Position; p.Line == f.at.Line && p.Column == f.at.Column {
		f.found = n
	}
	return f
}

// pathAt returns the path of what begins at a place, such as "[0].quota"; empty: it is the whole, or nothing does.
func pathAt(n ast.Node, at *token.Position) string {
	f := finder{at: at}
	ast.Walk(&f, n)
	if f.found == nil {
		return ""
	}
	return strings.TrimPrefix(f.found.GetPath(), "$")
}

// sectionAt returns the type of the section that has a key at a place, nil if none has, and the value of the key as it
// is written.
func sectionAt(n ast.Node, t reflect.Type, at *token.Position) (section reflect.Type, value string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch x := n.(type) {
	case *ast.MappingNode:
		for _, v := range x.Values {
			if found, value := sectionAt(v, t, at); found != nil {
				return found, value
			}
		}
	case *ast.MappingValueNode:
		if t.Kind() != reflect.Struct {
			return nil, ""
		}
		if p := x.Key.GetToken().Position; p.Line == at.Line && p.Column == at.Column {
			return t, x.Value.String()
		}
		if f, known := fieldOf(t, x.Key.GetToken().Value); known {
			return sectionAt(x.Value, f.Type, at)
		}
	case *ast.SequenceNode:
		if t.Kind() != reflect.Slice {
			return nil, ""
		}
		for _, v := range x.Values {
			if found, value := sectionAt(v, t.Elem(), at); found != nil {
				return found, value
			}
		}
	}
	return nil, ""
}
