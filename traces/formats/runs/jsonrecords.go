package runs

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"

	"github.com/marigram/marigram/traces/formats/read"
)

// Bounds on one object of a list.
const (
	maxFields = 4096
	maxText   = 64 << 10 // bytes of one value
)

// objects yields the objects of a list: one after the other (as lines, or not), an array, or what stands under one of
// the keys of an object, each value of it by its path: detail.instance-id, resources.0. Values under keys for which
// skip says so are passed over.
func objects(s *read.Source, lists []string, skip func(path string) bool) iter.Seq[*read.Row] {
	return func(yield func(*read.Row) bool) {
		f := flattener{c: read.NewCursor(s), lists: lists, skip: skip, yield: yield}
		for !f.c.Done() {
			switch err := f.value(); err {
			case nil:
			case errStop:
				return
			default:
				yield(&read.Row{Source: s, Err: err})
				return
			}
		}
	}
}

// flattener makes rows of objects.
type flattener struct {
	c     *read.Cursor
	lists []string
	skip  func(path string) bool
	yield func(*read.Row) bool
}

// errStop ends a reading of which nothing more is wanted.
var errStop = errors.New("stop")

// value reads an object, or an array of them.
func (f *flattener) value() error {
	if f.c.Ahead() == '[' {
		return f.c.Array("the list", f.value)
	}
	r := &read.Row{Source: f.c.Source}
	held := false // the object is one that holds a list, not a record
	err := f.c.Members("the record", maxFields, func(key string) error {
		if r.Line == 0 {
			r.Line, r.Column = f.c.Place()
		}
		if slices.Contains(f.lists, key) && f.c.Ahead() == '[' {
			held = true
			return f.c.Array(key, f.value)
		}
		return f.leaf(r, key)
	})
	if err != nil || held || len(r.Fields) == 0 {
		return err
	}
	if !f.yield(r) {
		return errStop
	}
	return nil
}

// leaf reads a value of a record, and the values within it.
func (f *flattener) leaf(r *read.Row, path string) error {
	if f.skip != nil && f.skip(path) {
		return f.c.Skip(path)
	}
	switch f.c.Ahead() {
	case '{':
		return f.c.Members(path, maxFields, func(key string) error { return f.leaf(r, path+"."+key) })
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
	if len(r.Fields) >= maxFields || len(text) > maxText {
		return f.c.Errorf("a record has more than %d values, or one of more than %d bytes; expected less",
			maxFields, maxText)
	}
	line, column := f.c.Place()
	r.Add(path, text, line, column)
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
func firstObject(s *read.Source, lists ...string) *read.Row {
	if !isJSON(s) {
		return nil
	}
	for r := range objects(s, lists, nil) {
		if r.Err == nil {
			return r
		}
	}
	return nil
}
