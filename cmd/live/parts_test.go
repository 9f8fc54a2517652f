package live

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
)

// TestCells runs parts under settings, those before again, and with what they remember: the table is that of a study.
func TestCells(t *testing.T) {
	cells := make([]Cells, 2)
	for _, values := range []string{"120 600 2400", "120 900 2400", "30 900 2400", "30 900 3000", "120 600 2400"} {
		var notice, patience, time float64
		if _, err := fmt.Sscan(values, &notice, &patience, &time); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Open("quickstart", spec.Setting{Path: "seeds", Value: uint64(3)}, spec.Setting{Path: "market.replay.notice_s", Value: notice},
			spec.Setting{Path: "policy.patience_s", Value: patience}, spec.Setting{Path: "objectives.0.time_s", Value: time})
		if err != nil {
			t.Fatal(err)
		}
		study, err := experiments.NewStudy(s)
		if err != nil {
			t.Fatal(err)
		}
		study.Timelines = 0
		want, err := study.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var rows []results.Summary
		for n := range cells {
			p, err := cells[n].Run(s, n, len(cells))
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, p.Rows...)
		}
		slices.SortFunc(rows, func(a, b results.Summary) int { return cmp.Compare(a.Run, b.Run) })
		if !reflect.DeepEqual(rows, want.Summaries) {
			t.Errorf("%s: the rows are not those of the study", values)
		}
	}
}

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
	if got, err := ReadPart(b); err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("%v: %+v, expected %+v", err, got, p)
	}
	for n := range b {
		if _, err := ReadPart(b[:n]); err == nil {
			t.Fatalf("%d of %d bytes are read without an error", n, len(b))
		}
	}
}
