package columnar

import (
	"fmt"
	"reflect"
	"slices"
)

// Column describes one column of a table whose rows are some struct T.
type Column struct {
	Name string // of the column, unique in the table
	Unit string // "USD", "s"; "" for a count, a name or a truth value
	Type string // "bool", "int32", "int64", "float64", "string" or "timestamp" (int64 us since 1970, UTC)
	Doc  string // one sentence: what it holds, range, special values

	Optional bool // whether a value may be missing (null)
}

// GroupRows bounds a row group: what is held in memory while writing.
const GroupRows = 64 << 10

// field is a column and where to find it in the row struct.
type field struct {
	Column
	added  bool    // a file may lack it: it is of before the column was added
	index  []int   // path of fields to it, as reflect's FieldByIndex takes it
	offset uintptr // bytes into the row
	dict   bool
}

// Columns lists the columns of T in the order of its fields; those of an embedded
// struct stand in its place. It panics unless T is a struct whose every field is
// exported, carries a col tag, and is a bool, int32, int64, float64, string or a
// pointer to one of them; names are unique, and only an int64 may be a timestamp.
func Columns[T any]() []Column {
	fields := fieldsOf[T]()
	columns := make([]Column, len(fields))
	for i, f := range fields {
		columns[i] = f.Column
	}
	return columns
}

func fieldsOf[T any]() []field {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		panic(fmt.Sprintf("columnar: %v is not a struct with fields", t))
	}
	fields := appendFields(nil, t, nil, 0)
	seen := make(map[string]bool)
	for _, f := range fields {
		if seen[f.Name] {
			panic(fmt.Sprintf("columnar: %v has two columns %q", t, f.Name))
		}
		seen[f.Name] = true
	}
	return fields
}

// appendFields appends the fields of t, which is itself reached by index, that
// many bytes into the row.
func appendFields(fields []field, t reflect.Type, index []int, offset uintptr) []field {
	for i := range t.NumField() {
		at := append(slices.Clone(index), i)
		if sf := t.Field(i); sf.Anonymous && sf.Type.Kind() == reflect.Struct {
			fields = appendFields(fields, sf.Type, at, offset+sf.Offset)
			continue
		}
		f := fieldOf(t, i)
		f.index = at
		f.offset += offset
		fields = append(fields, f)
	}
	return fields
}

func fieldOf(t reflect.Type, i int) field {
	sf := t.Field(i)
	f := field{
		Column: Column{Name: sf.Tag.Get("col"), Unit: sf.Tag.Get("unit"), Doc: sf.Tag.Get("doc")},
		offset: sf.Offset,
		added:  sf.Tag.Get("added") != "",
	}
	value := sf.Type
	if value.Kind() == reflect.Pointer {
		f.Optional = true
		value = value.Elem()
	}
	f.Type = typeName(value.Kind(), sf.Tag.Get("type"))
	if f.Name == "" || !sf.IsExported() || f.Type == "" {
		panic(fmt.Sprintf("columnar: %v.%s (%v, tag %q) is not a column", t, sf.Name, sf.Type, sf.Tag))
	}
	f.dict = f.Type == "string" || sf.Tag.Get("dict") == "true" && f.Type != "bool"
	return f
}

// typeName is the column type of a Go kind, "" where there is none.
func typeName(kind reflect.Kind, tag string) string {
	switch {
	case tag == "timestamp" && kind == reflect.Int64:
		return tag
	case tag != "":
		return ""
	}
	switch kind {
	case reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64, reflect.String:
		return kind.String()
	}
	return ""
}
