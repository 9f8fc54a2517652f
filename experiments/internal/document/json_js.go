//go:build !yaml

package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// In a browser documents are JSON, which Document.JSON has made of a file that was checked: the YAML library is a tenth of a program.

// tree is a document as decoded without a type.
type tree = any

// Parse reads a document.
func Parse(file, what string, data []byte) (*Document, error) {
	d := &Document{File: file, Source: data}
	if err := decode(data, &d.tree); err != nil {
		return nil, fmt.Errorf("%s: expected %s as JSON: %w", file, what, err)
	}
	return d, nil
}

// Decode decodes the document into a struct.
func (d *Document) Decode(into any) error {
	if err := decode(d.Source, into); err != nil {
		return fmt.Errorf("%s: %w", d.File, err)
	}
	return nil
}

// decode decodes one value, strictly.
func decode(data []byte, into any) error {
	r := json.NewDecoder(bytes.NewReader(data))
	r.DisallowUnknownFields()
	if err := r.Decode(into); err != nil {
		return err
	}
	if _, err := r.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

// replace gives a field another value, strictly.
func (d *Document) replace(v reflect.Value, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	v.SetZero()
	if err := decode(text, v.Addr().Interface()); err != nil {
		return fmt.Errorf("%v: %w%s", value, err, d.hint(err.Error(), fmt.Sprint(value)))
	}
	return nil
}

// Values reads the values of a path: JSON, with commas between them.
func Values(text string) (path string, values []any, err error) {
	path, list, ok := strings.Cut(text, "=")
	if !ok || path == "" || list == "" {
		return "", nil, fmt.Errorf("%q, expected path=value", text)
	}
	if err := decode([]byte("["+list+"]"), &values); err != nil {
		return "", nil, fmt.Errorf("%q: the values are not JSON", text)
	}
	for i, x := range values {
		if number, is := x.(float64); is && number == math.Trunc(number) && math.Abs(number) < 1<<53 {
			values[i] = int64(number) // as YAML has it
		}
	}
	return path, values, nil
}

// place reports whether the document has a place; JSON has no lines.
func (d *Document) place(path string) (line, column int, found bool) {
	at := d.tree
	for key := range strings.SplitSeq(strings.NewReplacer("[", ".", "]", "").Replace(strings.TrimPrefix(path, "$.")), ".") {
		switch x := at.(type) {
		case map[string]any:
			at = x[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(x) {
				return 0, 0, false
			}
			at = x[i]
		default:
			return 0, 0, false
		}
	}
	return 0, 0, at != nil
}
