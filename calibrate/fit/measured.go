package fit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/csvtext"
	"github.com/marigram/marigram/internal/store"
)

// Measured is a profile of measured runs.
type Measured struct {
	Name   string // of the file, without its folder
	SHA256 string // of the file, hexadecimal
	Rows   []Measurement
}

// OpenMeasured reads a profile of runs from a file; see ReadMeasured.
func OpenMeasured(path string) (*Measured, error) {
	data, err := store.ReadInput(path, csvtext.MaxBytes)
	if err != nil {
		return nil, err
	}
	return ReadMeasured(path, bytes.NewReader(data))
}

// ReadMeasured reads a CSV table with the columns of MeasuredColumns. name is
// for its errors, which give line, column, value and what was expected.
func ReadMeasured(name string, r io.Reader) (*Measured, error) {
	sum := sha256.New()
	var required []string
	for _, one := range MeasuredColumns() {
		if one.Empty == "" {
			required = append(required, one.Name)
		}
	}
	table, err := csvtext.Read(name, io.TeeReader(r, sum), required...)
	if err != nil {
		return nil, err
	}
	columns, err := readHeader(table)
	if err != nil {
		return nil, err
	}
	out := &Measured{Name: name[strings.LastIndexAny(name, `/\`)+1:], SHA256: hex.EncodeToString(sum.Sum(nil))}
	for i := range table.Rows {
		row := Measurement{Line: table.Line(i)}
		for _, one := range columns {
			if err := readCell(table, i, one, reflect.ValueOf(&row).Elem().Field(one.at)); err != nil {
				return nil, err
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// readHeader returns the layout, and errors for a header that does not fit.
func readHeader(t *csvtext.Table) ([]Column, error) {
	columns := MeasuredColumns()
	for i, name := range t.Header {
		if _, known := column(name); !known {
			return nil, t.HeaderErrorf(i, "column %q is unknown; the columns are %s", name, columnNames(columns))
		}
		if slices.Contains(t.Header[:i], name) {
			return nil, t.HeaderErrorf(i, "column %q is given twice", name)
		}
	}
	return columns, nil
}

func readCell(t *csvtext.Table, row int, c Column, v reflect.Value) (err error) {
	text := ""
	if slices.Contains(t.Header, c.Name) {
		text = t.Text(row, c.Name)
	}
	if text == "" && c.Empty == "" {
		return t.Errorf(row, c.Name, "empty, expected %s", c.Doc)
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		if _, bad := time.Parse(time.DateOnly, text); c.Name == "date" && text != "" && bad != nil {
			return t.Errorf(row, c.Name, "%q, expected a day such as 2024-03-31", text)
		}
	case reflect.Int:
		count := 0
		if text != "" {
			count, err = t.Count(row, c.Name, 1, 1<<24)
		}
		v.SetInt(int64(count))
	default:
		number := math.NaN()
		if text != "" {
			number, err = t.Number(row, c.Name, 0, 1e9)
		}
		if c.positive && number == 0 && err == nil {
			return t.Errorf(row, c.Name, "%q, expected more than 0", text)
		}
		v.SetFloat(number)
	}
	return err
}
