package runs

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// Bounds on one object of a list.
const (
	maxCells = 4096
	maxText  = 64 << 10 // bytes of one value
)

// objects reads a list of objects: one after the other (as lines, or not), an array, or what
// stands under one of the keys of an object, each value of it by its path. Values under keys
// for which skip says so are passed over.
func (in *input) objects(lists []string, skip func(path string) bool, each func(*record) error) error {
	f := flattener{in: in, c: read.NewCursor(in.Source), lists: lists, skip: skip, each: each}
	for !f.c.Done() {
		if err := f.value(); err != nil {
			return err
		}
	}
	return nil
}

// flattener makes records of objects.
type flattener struct {
	in    *input
	c     *read.Cursor
	lists []string
	skip  func(path string) bool
	each  func(*record) error
}

// value reads an object, or an array of them.
func (f *flattener) value() error {
	if f.c.Ahead() == '[' {
		return f.c.Array("the list", f.value)
	}
	r := record{in: f.in, cells: map[string]cell{}}
	held := false // the object is one that holds a list, not a record
	first := true
	err := f.c.Members("the record", maxCells, func(key string) error {
		if first {
			r.line, r.column = f.c.Place()
			first = false
		}
		if slices.Contains(f.lists, key) && f.c.Ahead() == '[' {
			held = true
			return f.c.Array(key, f.value)
		}
		return f.leaf(&r, key)
	})
	if err != nil || held || len(r.cells) == 0 {
		return err
	}
	return f.each(&r)
}

// leaf reads a value of a record, and the values within it.
func (f *flattener) leaf(r *record, path string) error {
	if f.skip != nil && f.skip(path) {
		return f.c.Skip(path)
	}
	switch f.c.Ahead() {
	case '{':
		return f.c.Members(path, maxCells, func(key string) error { return f.leaf(r, path+"."+key) })
	case '[':
		i := 0
		return f.c.Array(path, func() error {
			i++
			return f.leaf(r, path+"."+strconv.Itoa(i-1))
		})
	}
	tok, err := f.c.Next()
	if err != nil {
		return err
	}
	text := ""
	switch x := tok.(type) {
	case string:
		text = x
	case json.Number:
		text = x.String()
	case bool:
		text = strconv.FormatBool(x)
	case json.Delim:
		return f.c.Errorf("not JSON: %s, expected a value", read.Quote(x.String()))
	}
	if len(r.cells) >= maxCells || len(text) > maxText {
		return f.c.Errorf("a record has more than %d values, or one of more than %d bytes; expected less", maxCells, maxText)
	}
	line, column := f.c.Place()
	r.cells[path] = cell{text, line, column}
	return nil
}

// isJSON reports whether a text begins as JSON.
func isJSON(s *read.Source) bool {
	for _, b := range s.Head {
		switch b {
		case ' ', '\t', '\r', '\n':
			continue
		case '{', '[':
			return true
		}
		return false
	}
	return false
}

// firstObject returns the first record of a JSON file, as far as its beginning goes; nil
// where it has none.
func firstObject(s *read.Source, lists ...string) (found *record) {
	if !isJSON(s) {
		return nil
	}
	in := &input{&formats.RunFile{Source: s}}
	_ = in.objects(lists, nil, func(r *record) error {
		found = r
		return errFound
	})
	return found
}

var errFound = errStop{}

// errStop ends a reading that found what it looked for.
type errStop struct{}

func (errStop) Error() string { return "found" }
