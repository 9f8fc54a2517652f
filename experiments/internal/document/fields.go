package document

import (
	"fmt"
	"reflect"

	"github.com/marigram/marigram/internal/fields"
)

// whole reports the first fraction where a whole number belongs, in a value of type
// t as YAML has it: the YAML library cuts it off.
func (d *Document) whole(t reflect.Type, v any, path string) error {
	switch x := v.(type) {
	case float64:
		if k := t.Kind(); k == reflect.Int || k == reflect.Int64 ||
			k == reflect.Pointer && t.Elem().Kind() == reflect.Int {
			return d.ErrorAt(path, "%v, expected a whole number", x)
		}
	case []any:
		for i := range x {
			if t.Kind() != reflect.Slice {
				break
			}
			if err := d.whole(t.Elem(), x[i], fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			break
		}
		for _, f := range fields.All(t) {
			name := fields.Key(f)
			inner, given := x[name]
			if !given {
				continue
			}
			if err := d.whole(f.Type, inner, path+"."+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Check reports the first value of a struct, which was decoded from the document, that is not
// as the tags of its fields say (package fields), that is no finite number, or that has
// characters which a terminal or a page would obey.
func (d *Document) Check(of any) error {
	c := fields.Checker{Given: d.Given, Fail: d.ErrorAt}
	return c.Check(of)
}
