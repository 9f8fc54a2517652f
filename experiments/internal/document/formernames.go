package document

import (
	"reflect"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/fields"
)

func (d *Document) warnRenamed(former, present string) {
	d.Warn(fields.RenamedWarning(former, present))
}

// fieldOf returns the field of a struct that has a key, or once had it.
func fieldOf(t reflect.Type, key string) (f reflect.StructField, found bool) {
	for _, f := range fields.All(t) {
		if fields.Key(f) == key || slices.Contains(fields.Former(f), key) {
			return f, true
		}
	}
	return f, false
}

// PresentPath returns a path in a value of type t, keys and numbers of elements
// joined by dots, with the present names of its keys.
func PresentPath(t reflect.Type, path string) string {
	keys := strings.Split(path, ".")
	for i, key := range keys {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Slice:
			t = t.Elem()
		case reflect.Struct:
			f, found := fieldOf(t, key)
			if !found {
				return path
			}
			keys[i], t = fields.Key(f), f.Type
		}
	}
	return strings.Join(keys, ".")
}
