package document

import (
	"fmt"
	"math"
	"reflect"
	"sort"
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
	return walkNumbers(reflect.ValueOf(of).Elem(), "$", func(path string, x float64) error {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return d.ErrorAt(path, "%v, expected a finite number", x)
		}
		return nil
	})
}

func walkNumbers(v reflect.Value, path string, visit func(string, float64) error) error {
	switch v.Kind() {
	case reflect.Float64:
		return visit(path, v.Float())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return walkNumbers(v.Elem(), path, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := walkNumbers(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			if err := walkNumbers(v.MapIndex(k), path+"."+k.String(), visit); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := KeyOf(v.Type().Field(i))
			if name == "" {
				continue
			}
			if err := walkNumbers(v.Field(i), path+"."+name, visit); err != nil {
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
