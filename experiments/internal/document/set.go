package document

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/internal/gone"
	"github.com/marigram/marigram/internal/registry"
)

// Set gives the field of a struct that a path leads to, keys and numbers of elements
// joined by dots, another value, strictly. Errors name the path, and where in the value they are.
func (d *Document) Set(of any, path string, value any) error {
	err := d.setAt(of, path, value)
	if wrong, is := errors.AsType[*misfit](err); is {
		return fmt.Errorf("%s%s: %w", path, wrong.below, wrong)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// misfit is what is wrong with a value that Set was given.
type misfit struct {
	below   string // where in the value, such as "[0].quota"; empty: all of it
	message string
}

// Error implements error.
func (m *misfit) Error() string { return m.message }

// pathAbove returns the path without its last key.
func pathAbove(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// setAt is Set, with errors that do not name the path.
func (d *Document) setAt(of any, path string, value any) error {
	v := reflect.ValueOf(of).Elem()
	keys := strings.Split(path, ".")
	for i, key := range keys {
		v = pointed(v)
		if v.Kind() == reflect.Map && i == len(keys)-1 {
			return d.setElement(v, key, path, value)
		}
		var err error
		if v, err = d.descend(v, key); err != nil {
			return err
		}
	}
	return d.setField(v, path, value)
}

// setField gives a field another value.
func (d *Document) setField(v reflect.Value, path string, value any) error {
	if v.Kind() == reflect.String && value != nil { // a command line has no quotes
		value = fmt.Sprint(value)
	}
	types := typeChecker{isQuoted: func(string) bool { return false }, fail: failBelow}
	if err := types.check(v.Type(), value, "$"); err != nil {
		return err
	}
	d.set = leaves(slices.Clip(d.set), path, value)
	return d.replace(v, value)
}

// setElement gives an element of a map another value.
func (d *Document) setElement(m reflect.Value, key, path string, value any) error {
	element := reflect.New(m.Type().Elem()).Elem()
	if err := d.setField(element, path, value); err != nil {
		return err
	}
	if m.IsNil() {
		m.Set(reflect.MakeMap(m.Type()))
	}
	m.SetMapIndex(reflect.ValueOf(key), element)
	return nil
}

// pointed returns what pointers lead to, which is made where they are nil.
func pointed(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	return v
}

// failBelow makes the error of a value that Set was given, or of one within it.
func failBelow(path, format string, args ...any) error {
	return &misfit{below: strings.TrimPrefix(path, "$"), message: fmt.Sprintf(format, args...)}
}

// leaves adds a path and, of a section, those of all that is in it.
func leaves(to []string, path string, value any) []string {
	to = append(to, path)
	switch x := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			to = leaves(to, path+"."+key, x[key])
		}
	case []any:
		for i, v := range x {
			to = leaves(to, fmt.Sprintf("%s.%d", path, i), v)
		}
	}
	return to
}

// descend returns the field of a struct, or the element of a list, that has the
// key.
func (d *Document) descend(v reflect.Value, key string) (reflect.Value, error) {
	switch v.Kind() {
	case reflect.Struct:
		return d.fieldNamed(v, key)
	case reflect.Slice:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= v.Len() {
			return v, fmt.Errorf("no element %q, expected 0 to %d", key, v.Len()-1)
		}
		return v.Index(i), nil
	}
	return v, fmt.Errorf("there is no key %q: the path goes beyond a value of type %v", key, v.Type())
}

// fieldNamed returns the field of a struct that has the key.
func (d *Document) fieldNamed(v reflect.Value, name string) (reflect.Value, error) {
	if f, found := fieldOf(v.Type(), name); found {
		return fields.In(v, f.Index), nil
	}
	if sentence := gone.Instead("key", name); sentence != "" {
		return v, errors.New(sentence)
	}
	near := registry.DidYouMean("; ", name, ownKeys(v.Type()))
	if sentence := helpKey(v.Type(), name, "..."); near == "" && sentence != "" {
		near = "; " + sentence
	}
	return v, fmt.Errorf("no key %q%s", name, near)
}

// fieldOf returns the field of a struct that has a key.
func fieldOf(t reflect.Type, key string) (f reflect.StructField, found bool) {
	for _, f := range fields.All(t) {
		if fields.Key(f) == key {
			return f, true
		}
	}
	return f, false
}
