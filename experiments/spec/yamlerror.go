package spec

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/marigram/marigram/internal/spelling"
)

var unknownField = regexp.MustCompile(`unknown field "([^"]*)"`)

// yamlError puts file, line and column before an error of the YAML library and
// adds what the user may have meant.
func yamlError(file string, source []byte, err error) error {
	where, msg := file, err.Error()
	var y yaml.Error
	if errors.As(err, &y) {
		if tok := y.GetToken(); tok != nil && tok.Position != nil {
			where = fmt.Sprintf("%s:%d:%d", file, tok.Position.Line, tok.Position.Column)
			msg = y.GetMessage() + "\n" + excerpt(source, tok.Position.Line, tok.Position.Column) + hint(y.GetMessage(), tok.Value)
		}
	}
	if m := unknownField.FindStringSubmatch(err.Error()); m != nil {
		if near := spelling.Nearest(m[1], specKeys()); near != "" {
			msg += fmt.Sprintf("\ndid you mean %q?", near)
		}
	}
	return fmt.Errorf("%s: %s", where, strings.TrimRight(msg, "\n"))
}

// hint helps whoever wrote a span with its unit where the key has the unit.
func hint(msg, value string) string {
	d, err := ParseDuration(value)
	if err != nil || !strings.Contains(msg, "float64") {
		return ""
	}
	out := fmt.Sprintf("\nquantities are plain numbers in the unit that ends the key: %s is %v seconds", value, d.Seconds())
	if strings.Contains(msg, "Spec.Objectives") {
		out += fmt.Sprintf("; an objective may use within: %s instead", value)
	}
	return out
}

// specKeys returns every key of a spec.
func specKeys() []string {
	var keys []string
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
				keys = append(keys, name)
				walk(t.Field(i).Type)
			}
		}
	}
	walk(reflect.TypeFor[Spec]())
	return keys
}
