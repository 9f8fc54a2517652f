//go:build !js || yaml

package document

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/marigram/marigram/internal/fields"
)

// tree is what the YAML library makes of a file.
type tree = *ast.File

// Parse reads a file of one document. What says what is expected, such as "a spec".
func Parse(file, what string, data []byte) (d *Document, err error) {
	if data, err = readable(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty, expected %s", file, what)
	}
	d = &Document{File: file, Source: data}
	if d.tree, err = parser.ParseBytes(data, 0); err != nil {
		return nil, d.located(err, nil)
	}
	switch docs := d.tree.Docs; {
	case len(docs) > 1:
		return nil, fmt.Errorf("%s: has more than one YAML document", file)
	case len(docs) == 0 || docs[0].Body == nil:
		return nil, fmt.Errorf("%s: has only comments, expected %s", file, what)
	}
	return d, d.takeSchema(what)
}

// takeSchema takes the name of its schema out of a document, and checks it.
func (d *Document) takeSchema(what string) (err error) {
	body, is := d.tree.Docs[0].Body.(*ast.MappingNode)
	if !is {
		return nil
	}
	body.Values = slices.DeleteFunc(body.Values, func(n *ast.MappingValueNode) bool {
		key, is := n.Key.(*ast.StringNode)
		if !is || key.Value != schemaKey || len(body.Values) == 1 {
			return false
		}
		at := n.Value.GetToken().Position
		value, is := n.Value.(*ast.StringNode)
		if !is {
			err = fmt.Errorf("%s:%d:%d: %s: expected the address of a schema", d.File, at.Line, at.Column, schemaKey)
		} else if wrong := checkSchema(value.Value, what); wrong != nil {
			err = fmt.Errorf("%s:%d:%d: %w", d.File, at.Line, at.Column, wrong)
		}
		return true
	})
	return err
}

// Decode decodes the document into a struct.
func (d *Document) Decode(into any) error {
	t := reflect.TypeOf(into).Elem()
	body := d.tree.Docs[0].Body
	d.usePresentNames(body, t)
	var plain any
	err := yaml.NodeToValue(body, into, yaml.Strict())
	if err == nil {
		err = yaml.NodeToValue(body, &plain)
	}
	if err != nil {
		return d.located(err, t)
	}
	return d.whole(t, plain, "$")
}

// replace gives a field another value, strictly.
func (d *Document) replace(v reflect.Value, value any) error {
	text, err := yaml.Marshal(value)
	if err != nil {
		return err
	}
	if v.Kind() == reflect.Pointer { // of which the YAML library would leave nil as it is
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	v.SetZero()
	if err := d.decodeInto(v, text); err != nil {
		var y yaml.Error
		if errors.As(err, &y) {
			return fmt.Errorf("%v: %s%s", value, y.GetMessage(), d.hint(y.GetMessage(), fmt.Sprint(value)))
		}
		return err
	}
	return nil
}

// decodeInto decodes a text into a value, strictly.
func (d *Document) decodeInto(v reflect.Value, text []byte) error {
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return err
	}
	body := tree.Docs[0].Body
	d.usePresentNames(body, v.Type())
	return yaml.NodeToValue(body, v.Addr().Interface(), yaml.Strict())
}

// Values reads the values of a path from a command line: "market.replay.notice_s=30,120".
// They are YAML, with commas between them.
func Values(text string) (path string, values []any, err error) {
	path, list, ok := strings.Cut(text, "=")
	if !ok || path == "" || list == "" {
		return "", nil, fmt.Errorf("%q, expected path=value", text)
	}
	if data, err := readable([]byte("[" + list + "]")); err != nil {
		return "", nil, fmt.Errorf("%.40q: the values: %w", text, err)
	} else if err := yaml.Unmarshal(data, &values); err != nil {
		return "", nil, fmt.Errorf("%q: the values are not YAML", text)
	}
	return path, values, nil
}

func (d *Document) place(path string) (line, column int, found bool) {
	p, err := yaml.PathString(path)
	if err != nil || d.tree == nil {
		return 0, 0, false
	}
	node, err := p.FilterFile(d.tree)
	if err != nil || node == nil {
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
	where, msg := d.File, err.Error()
	var y yaml.Error
	if errors.As(err, &y) {
		if tok := y.GetToken(); tok != nil && tok.Position != nil {
			where = fmt.Sprintf("%s:%d:%d", d.File, tok.Position.Line, tok.Position.Column)
			msg = y.GetMessage() + "\n" + excerpt(d.Source, tok.Position.Line, tok.Position.Column) +
				d.hint(y.GetMessage(), tok.Value)
		}
	}
	if m := unknownField().FindStringSubmatch(err.Error()); m != nil && t != nil {
		msg += meant(m[1], t)
	}
	return fmt.Errorf("%s: %s", where, strings.TrimRight(msg, "\n"))
}

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
