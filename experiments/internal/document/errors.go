package document

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/internal/pattern"
	"github.com/marigram/marigram/internal/spelling"
)

// ErrorAt returns an error at a place in the document, such as
// "$.market.pools[0].quota": its line, column and surroundings where the document has
// it, else its path alone.
func (d *Document) ErrorAt(path, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if key := strings.TrimPrefix(path, "$."); key != "$" {
		msg = key + ": " + msg
	}
	line, column, found := d.place(path)
	if !found {
		return fmt.Errorf("%s: %s", d.File, msg)
	}
	return fmt.Errorf("%s:%d:%d: %s\n%s", d.File, line, column, msg, excerpt(d.Source, line, column))
}

// Has reports whether the document has a place.
func (d *Document) Has(path string) bool {
	_, _, found := d.place(path)
	return found
}

// Line returns the line of a place, from 1; 0 where the document has it not.
func (d *Document) Line(path string) int {
	line, _, _ := d.place(path)
	return line
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

var unknownField = pattern.Of(`unknown field "([^"]*)"`)

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

func (d *Document) hint(message, value string) string {
	if d.Hint == nil {
		return ""
	}
	return d.Hint(message, value)
}

// meant says what an unknown key may stand for: a key of this name in another place, or the nearest
// name.
func meant(key string, t reflect.Type) string {
	keys, places := keysOf(t)
	if at := places[key]; at != nil {
		return fmt.Sprintf("\nit is a key of %s", strings.Join(at, ", "))
	}
	if near := spelling.Nearest(key, keys); near != "" {
		return fmt.Sprintf("\ndid you mean %q?", near)
	}
	return ""
}

// keysOf returns every key of a type and the types below it, and where each is: the first path
// to every type.
func keysOf(t reflect.Type) (keys []string, places map[string][]string) {
	places = map[string][]string{}
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type, at string)
	walk = func(t reflect.Type, at string) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			name := KeyOf(t.Field(i))
			if name == "" {
				continue
			}
			keys = append(keys, name)
			places[name] = append(places[name], at)
			walk(t.Field(i).Type, strings.TrimPrefix(at+"."+name, "the document."))
		}
	}
	walk(t, "the document")
	return keys, places
}
