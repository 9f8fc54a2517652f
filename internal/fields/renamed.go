// Fields keep the former names of what users write and read: keys of
// specs, settings of policies, columns of tables. A field's former names stand in
// a tag beside its present one, separated by commas:
//
//	Sigma *float64 `json:"sigma" was:"spread"`
//	LostH float64  `col:"lost_h" was:"redone_h"`
//
// A former name still works in the release that renames, with a warning; the next
// release drops the tag. docs/renamed.md lists all of them.

package fields

import (
	"fmt"
	"reflect"
	"strings"
)

const tag = "was"

// Former returns the former names of a field; nil if it never had another.
func Former(f reflect.StructField) []string {
	text, has := f.Tag.Lookup(tag)
	if !has {
		return nil
	}
	return strings.Split(text, ",")
}

// RenamedWarning tells whoever used a former name what to write instead.
func RenamedWarning(former, present string) string {
	return fmt.Sprintf("%s is now called %s; the old name still works in this release, but not in the next", former,
		present)
}

// FormerName is a name that has changed.
type FormerName struct {
	Where   string // what it belongs to: keys joined by dots; empty at the top
	Former  string
	Present string
}

// FormerNames lists the former names in a type: a struct and the structs below it,
// each once, whose fields are named by a tag such as json.
func FormerNames(t reflect.Type, key string) []FormerName {
	l := lister{key: key, seen: map[reflect.Type]bool{}}
	l.walk(t, "")
	return l.names
}

type lister struct {
	key   string
	seen  map[reflect.Type]bool
	names []FormerName
}

func (l *lister) walk(t reflect.Type, where string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || l.seen[t] {
		return
	}
	l.seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get(l.key), ",")
		for _, former := range Former(f) {
			l.names = append(l.names, FormerName{where, former, name})
		}
		if name != "" || f.Anonymous {
			l.walk(f.Type, strings.Trim(where+"."+name, "."))
		}
	}
}
