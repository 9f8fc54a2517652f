package document

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/marigram/marigram/internal/fields"
)

// typeChecker looks for a value, as YAML has it, that is not of the type of its field. The YAML library reports most of
// them. But it cuts fractions off, takes numbers for texts and texts for numbers, and leaves a field as it is where the
// value is null: a section whose keys are all commented out would silently get its defaults.
type typeChecker struct {
	isQuoted func(path string) bool // a text
	fail     func(path, format string, args ...any) error
}

// check reports the first value that is not of type t.
func (c *typeChecker) check(t reflect.Type, value any, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	kind := t.Kind()
	switch x := value.(type) {
	case nil:
		if kind != reflect.Interface {
			return c.fail(path, "no value, expected %s", expected(t))
		}
	case bool, int64, uint64, float64:
		if kind == reflect.String {
			return c.fail(path, "%v, expected text (in quotes, if it is meant: %q)", x, fmt.Sprint(x))
		}
		if fraction, is := x.(float64); is && isWhole(kind) && fraction != math.Trunc(fraction) {
			return c.fail(path, "%v, expected a whole number", x)
		}
	case string:
		if (isWhole(kind) || kind == reflect.Float64) && c.isQuoted(path) {
			return c.fail(path, "%q, expected %s without quotes", x, expected(t))
		}
	case []any:
		for i := range x {
			if kind != reflect.Slice {
				break
			}
			if err := c.check(t.Elem(), x[i], fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		return c.keys(t, x, path)
	}
	return nil
}

// keys is check of the values of a section or a map.
func (c *typeChecker) keys(t reflect.Type, values map[string]any, path string) error {
	switch t.Kind() {
	case reflect.Map:
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if err := c.check(t.Elem(), values[key], path+"."+fields.Quoted(key)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for _, f := range fields.All(t) {
			rule := fields.Of(f)
			value, given := values[rule.Key]
			if !given || rule.Numbers && isNumber(value) {
				continue
			}
			if err := c.check(f.Type, value, path+"."+rule.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

func isWhole(kind reflect.Kind) bool { return kind >= reflect.Int && kind <= reflect.Uint64 }

func isNumber(value any) bool {
	switch value.(type) {
	case int64, uint64, float64:
		return true
	}
	return false
}

// isQuoted reports whether the document has a text in quotes at a place. Without quotes 1e6 is a number, which the YAML
// library gives as a text.
func (d *Document) isQuoted(path string) bool {
	text, is := d.node(path).(*ast.StringNode)
	return is && (text.Token.Type == token.SingleQuoteType || text.Token.Type == token.DoubleQuoteType)
}

// Check reports the first value of a struct, which was decoded from the document, that is not
// as the tags of its fields say (package fields), that is no finite number, or that has
// characters which a terminal or a page would obey.
func (d *Document) Check(of any) error {
	c := fields.Checker{Given: d.Given, Fail: d.ErrorAt}
	return c.Check(of)
}
