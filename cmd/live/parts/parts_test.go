package parts

import (
	"reflect"
	"testing"

	"github.com/marigram/marigram/experiments/results"
)

// TestBytes carries a part with a value in every field, and refuses one that was cut anywhere.
func TestBytes(t *testing.T) {
	row := results.Summary{}
	v := reflect.ValueOf(&row).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		if i%3 != 0 && f.Kind() == reflect.Pointer {
			f.Set(reflect.New(f.Type().Elem()))
			f = f.Elem()
		}
		switch f.Kind() {
		case reflect.String:
			f.SetString(v.Type().Field(i).Name)
		case reflect.Int64:
			f.SetInt(int64(-i))
		case reflect.Float64:
			f.SetFloat(float64(i) / 3)
		case reflect.Bool:
			f.SetBool(true)
		}
	}
	p := &Part{Rows: []results.Summary{row, {}}, Warnings: []string{"a", ""}}
	b := p.Bytes()
	if got, err := Read(b); err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("%v: %+v, expected %+v", err, got, p)
	}
	for n := range b {
		if _, err := Read(b[:n]); err == nil {
			t.Fatalf("%d of %d bytes are read without an error", n, len(b))
		}
	}
}
