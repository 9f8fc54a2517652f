package columnar

import (
	"context"
	"encoding/csv"
	"fmt"
	"reflect"
	"strconv"

	"github.com/marigram/marigram/internal/store"
)

// CSV writes a table as comma-separated values, for programs that do not read
// Parquet: a line of column names, then a line a row. Numbers are the shortest
// that read back as they were, a null is an empty field, a timestamp a number.
type CSV[T any] struct {
	fields []field
	path   string // to be
	temp   store.Pending
	out    *csv.Writer
	line   []string
}

// CreateCSV begins a table that will appear at path when Close succeeds. End it
// with Close or Abort. The folder must exist.
func CreateCSV[T any](path string) (*CSV[T], error) {
	fields := fieldsOf[T]()
	temp, err := store.Create(context.Background(), path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c := &CSV[T]{fields: fields, path: path, temp: temp, out: csv.NewWriter(temp), line: make([]string, len(fields))}
	for i, f := range fields {
		c.line[i] = f.Name
	}
	return c, c.check(c.out.Write(c.line))
}

// Append adds rows. After an error only Abort is left to do.
func (c *CSV[T]) Append(rows []T) error {
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for k, f := range c.fields {
			c.line[k] = text(row.FieldByIndex(f.index))
		}
		if err := c.out.Write(c.line); err != nil {
			return c.check(err)
		}
	}
	return nil
}

func text(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return text(v.Elem())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.String:
		return v.String()
	}
	return strconv.FormatInt(v.Int(), 10)
}

// Close completes the file and gives it its name. When it fails nothing is left
// behind; a file that had the name before stays as it was.
func (c *CSV[T]) Close() error {
	c.out.Flush()
	err := c.out.Error()
	if err == nil {
		err = c.temp.Finish()
	}
	if err == nil {
		err = c.temp.Commit()
	}
	return c.check(err)
}

// Abort gives the table up and removes the temporary file. After a Close that
// succeeded it does nothing.
func (c *CSV[T]) Abort() { c.temp.Abort() }

func (c *CSV[T]) check(err error) error {
	if err == nil {
		return nil
	}
	c.temp.Abort()
	return fmt.Errorf("%s: %w", c.path, err)
}
