package fields

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Open is a field of a struct in whose place a document has the keys that packages have registered (Extension). A
// pointer to the field implements it; the field itself has no key.
type Open interface {
	// Registered returns an addressable struct with the registered fields, the same at every call.
	Registered() reflect.Value
}

var openType = reflect.TypeFor[Open]()

// Extension is the fields that packages register for one Open. The zero value has none.
type Extension struct {
	fields []reflect.StructField
	once   sync.Once
	made   reflect.Type // once a document was read
}

// Add registers a field: with a key of its own, or a struct without one (json:",inline"), whose fields are taken one by
// one. It is for init functions, and panics once a document was read: that one would not have known the field.
func (e *Extension) Add(f reflect.StructField) {
	if e.made != nil {
		panic("fields: " + f.Name + " is registered after documents were read, expected it in an init function")
	}
	e.fields = append(e.fields, f)
}

// New returns an addressable struct of the registered fields, in the order of their names, whatever the order of their
// packages.
func (e *Extension) New() reflect.Value {
	e.once.Do(func() {
		slices.SortFunc(e.fields, func(a, b reflect.StructField) int { return strings.Compare(a.Name, b.Name) })
		e.made = reflect.StructOf(e.fields)
	})
	return reflect.New(e.made).Elem()
}

// All returns the fields of a struct that a document has keys of: its own, those of structs without a key
// (json:",inline"), and those that are registered for its Open fields. Index leads to a field by In.
func All(t reflect.Type) (all []reflect.StructField) {
	for i := range t.NumField() {
		f := t.Field(i)
		below := t.Field(i).Type
		_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case reflect.PointerTo(below).Implements(openType):
			below = reflect.New(below).Interface().(Open).Registered().Type()
		case options == "inline":
		case Key(f) != "":
			all = append(all, f)
			continue
		default:
			continue
		}
		for _, inner := range All(below) {
			inner.Index = append([]int{i}, inner.Index...)
			inner.Name = f.Name + "_" + inner.Name // no other package's field has this name
			all = append(all, inner)
		}
	}
	return all
}

// In returns the field of a struct that All has with an index. The struct is addressable.
func In(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if open, is := v.Addr().Interface().(Open); is {
			v = open.Registered()
		}
		v = v.Field(i)
	}
	return v
}

// plain returns a struct with all fields of a struct that has Open ones, for libraries that know of no such fields.
func plain(v reflect.Value) (all []reflect.StructField, copied reflect.Value) {
	all = All(v.Type())
	flat := make([]reflect.StructField, len(all))
	taken := map[string]bool{}
	for i, f := range all {
		if key := Key(f); taken[key] {
			panic(fmt.Sprintf("fields: key %q is registered twice", key))
		}
		taken[Key(f)] = true
		flat[i] = reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag}
	}
	copied = reflect.New(reflect.StructOf(flat))
	for i, f := range all {
		copied.Elem().Field(i).Set(In(v, f.Index))
	}
	return all, copied
}

// Decode decodes a struct with Open fields: decode is given a pointer to a struct with all of them.
func Decode(into any, decode func(any) error) error {
	v := reflect.ValueOf(into).Elem()
	all, decoded := plain(v)
	err := decode(decoded.Interface())
	for i, f := range all {
		In(v, f.Index).Set(decoded.Elem().Field(i))
	}
	return err
}

// Plain returns a pointer to a copy of a struct with Open fields, in which these are fields as others: for libraries
// that write it.
func Plain(of any) any {
	_, copied := plain(reflect.ValueOf(of).Elem())
	return copied.Interface()
}
