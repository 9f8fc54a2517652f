//go:build !js || yaml

package document

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

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
