package document

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
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
	docs := d.tree.Docs
	if len(docs) > 1 {
		return nil, fmt.Errorf("%s: has more than one YAML document", file)
	}
	if len(docs) == 0 || docs[0].Body == nil {
		return nil, fmt.Errorf("%s: has only comments, expected %s", file, what)
	}
	return d, d.takeSchema(what)
}

// ParseAll reads a file of any number of documents, as kubectl writes them: those that --- separates, and the elements
// of lists, by themselves or as the items of a List.
func ParseAll(file, what string, data []byte) (all []*Document, err error) {
	if data, err = readable(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	whole := &Document{File: file, Source: data}
	if whole.tree, err = parser.ParseBytes(data, 0); err != nil {
		return nil, whole.located(err, nil)
	}
	for _, doc := range whole.tree.Docs {
		for _, body := range elements(doc.Body) {
			part := *doc
			part.Body = body
			tree := &ast.File{Name: file, Docs: []*ast.DocumentNode{&part}}
			all = append(all, &Document{File: file, Source: data, tree: tree})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: is empty, expected %s", file, what)
	}
	return all, nil
}

// elements are what a document lists, or the document.
func elements(body ast.Node) []ast.Node {
	switch x := body.(type) {
	case *ast.SequenceNode:
		return x.Values
	case *ast.MappingNode:
		for _, v := range x.Values {
			if list, is := v.Value.(*ast.SequenceNode); is && v.Key.String() == "items" {
				return list.Values
			}
		}
	case nil, *ast.NullNode, *ast.CommentGroupNode:
		return nil
	}
	return []ast.Node{body}
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
	var plain any
	err := yaml.NodeToValue(body, into, yaml.Strict())
	if err == nil {
		err = yaml.NodeToValue(body, &plain)
	}
	if err != nil {
		return d.located(err, t)
	}
	types := typeChecker{isQuoted: d.isQuoted, fail: d.ErrorAt}
	return types.check(t, plain, "$")
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
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return err
	}
	body := tree.Docs[0].Body
	err = yaml.NodeToValue(body, v.Addr().Interface(), yaml.Strict())
	if y, is := errors.AsType[yaml.Error](err); is {
		return d.misfitOf(y, body, v.Type(), value)
	}
	return err
}

// misfitOf says what is wrong with a value that Set was given for a type, and where in it.
func (d *Document) misfitOf(y yaml.Error, body ast.Node, t reflect.Type, value any) error {
	text := fmt.Sprint(value)
	wrong := &misfit{}
	at := y.GetToken()
	if at != nil {
		wrong.below = pathAt(body, at.Position)
	}
	if wrong.below != "" {
		text = at.Value
	}
	if unknown := unknownField().FindStringSubmatch(y.GetMessage()); unknown != nil && at != nil {
		wrong.below = pathAbove(wrong.below)
		wrong.message = y.GetMessage()
		if section, value := sectionAt(body, t, at.Position); section != nil {
			wrong.message += meant(unknown[1], value, t, section)
		}
		return wrong
	}
	wrong.message = wordedOf(text, y) + d.hint(y.GetMessage(), text)
	return wrong
}
