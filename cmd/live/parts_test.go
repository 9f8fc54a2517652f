package live

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/market"
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

const recordedSpec = `name: fleet
model: {published: spotdnn-resnet110}
objectives: [{loss: 0.6, within: 6h}]
policies: [{name: reactive, settings: {instances: 2}}, {name: spotdnn}]
market:
  traces: [{name: fleet, path: events.csv}]
  pools:
    - {type: p3.2xlarge, quota: 2, prices: {trace: fleet, usd_per_h: 0.92}, capacity: {trace: fleet}, replay: {adapter: per_event}}
`

// TestCellsRecorded runs parts of recorded machines from bytes: the rows are those of a study that reads files, with
// several starts and with one.
func TestCellsRecorded(t *testing.T) {
	dir := t.TempDir()
	fleet := "0,add,a\n0,add,b\n5400000,remove,b\n9000000,add,c\n14400000,remove,a\n21600000,add,d\n86400000,remove,d\n"
	if err := os.WriteFile(filepath.Join(dir, "events.csv"), []byte(fleet), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, starts := range []string{"", "starts: {every_s: 3600, count: 5}\n"} {
		path := filepath.Join(dir, "spec.yaml")
		if err := os.WriteFile(path, []byte(starts+recordedSpec), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Open(path)
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
		sets, err := market.Sets(s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Packed(sets)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadTraces(b[:len(b)-1]); err == nil {
			t.Error("bytes that were cut are read without an error")
		}
		cells := Cells{}
		if cells.Sets, err = ReadTraces(b); err != nil {
			t.Fatal(err)
		}
		var rows []results.Summary
		for n := range 2 {
			p, err := cells.Run(s, n, 2)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, p.Rows...)
		}
		slices.SortFunc(rows, func(a, b results.Summary) int { return cmp.Compare(a.Run, b.Run) })
		if len(rows) == 0 || !reflect.DeepEqual(rows, want.Summaries) {
			t.Errorf("%q: the rows are not those of the study", starts)
		}
	}
}

// TestSlidersHaveJSON: a page takes them as JSON, in which a number is finite.
func TestSlidersHaveJSON(t *testing.T) {
	for _, name := range spec.Builtin() {
		s, err := spec.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(Sliders(s)); err != nil {
			t.Errorf("%s: %v", name, err)
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
