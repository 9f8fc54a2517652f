package document

import (
	"fmt"
	"math"
	"reflect"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
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
		for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
			name := KeyOf(t.Field(i))
			if inner, ok := x[name]; ok && name != "" {
				if err := d.whole(t.Field(i).Type, inner, path+"."+name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Finite reports the first number of a struct that is not finite.
func (d *Document) Finite(of any) error {
	return walk(reflect.ValueOf(of).Elem(), "$", func(path string, v reflect.Value) error {
		if v.Kind() != reflect.Float64 {
			return nil
		}
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return d.ErrorAt(path, "%v, expected a finite number", x)
		}
		return nil
	})
}

// Printable reports the first text of a struct that a terminal or a page would obey,
// not show. Only a description (about) may have lines.
func (d *Document) Printable(of any) error {
	return walk(reflect.ValueOf(of).Elem(), "$", func(path string, v reflect.Value) error {
		if v.Kind() != reflect.String {
			return nil
		}
		text := v.String()
		if strings.HasSuffix(path, ".about") {
			text = strings.NewReplacer("\n", "", "\t", "").Replace(text)
		}
		if !IsPrintable(text) {
			return d.ErrorAt(path, "%q, expected characters that can be printed", v.String())
		}
		return nil
	})
}

// IsPrintable reports whether a text is UTF-8 of characters that can be printed.
func IsPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// walk visits the numbers and texts of a value.
func walk(v reflect.Value, path string, visit func(string, reflect.Value) error) error {
	switch v.Kind() {
	case reflect.Float64, reflect.String:
		return visit(path, v)
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return walk(v.Elem(), path, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			if err := walk(v.MapIndex(k), path+"."+k.String(), visit); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := KeyOf(v.Type().Field(i))
			if name == "" {
				continue
			}
			if err := walk(v.Field(i), path+"."+name, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
	return keys
}
