package columnar

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// The columns of an embedded struct stand in its place, and come back.
func TestEmbedded(t *testing.T) {
	type inner struct {
		N int64    `col:"n" doc:"a number"`
		X *float64 `col:"x" doc:"a fraction, if any"`
	}
	type Inner = inner
	type outer struct {
		Before string `col:"before" doc:"a text"`
		Inner
		After int32 `col:"after" doc:"a number"`
	}
	var names []string
	for _, c := range Columns[outer]() {
		names = append(names, c.Name)
	}
	if want := []string{"before", "n", "x", "after"}; !reflect.DeepEqual(names, want) {
		t.Fatalf("columns %v, want %v", names, want)
	}
	x := 0.5
	rows := []outer{{"a", Inner{1, &x}, 2}, {"b", Inner{3, nil}, 4}}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := Write(path, nil, rows); err != nil {
		t.Fatal(err)
	}
	if got, _, err := Read[outer](path); err != nil || !reflect.DeepEqual(got, rows) {
		t.Errorf("read %+v, %v, want %+v", got, err, rows)
	}
	if got, _, err := Read[Inner](path); err != nil || !reflect.DeepEqual(got, []Inner{{1, &x}, {3, nil}}) {
		t.Errorf("read without the outer columns: %+v, %v", got, err)
	}
}

func TestInspect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := Write(path, map[string]string{"k": "v"}, []one{{N: 1}, {N: 2}}); err != nil {
		t.Fatal(err)
	}
	meta, rows, err := Inspect(path)
	if err != nil || rows != 2 || len(meta) != 1 || meta["k"] != "v" {
		t.Errorf("%v, %d rows, %v, want k: v and 2 rows", meta, rows, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range whole {
		b := append([]byte(nil), whole...)
		b[at] ^= 4
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		// Bytes that hide the list of metadata hide the checksum, and what else
		// a caller looks for, too.
		if meta, _, err := Inspect(path); err == nil && meta["k"] != "" {
			t.Errorf("byte %d is changed, and Inspect finds nothing", at)
		}
	}
}

// A column that was added later is zero, or null, in the rows of files that lack it;
// without the tag that says so it is missed.
func TestAddedColumns(t *testing.T) {
	type before struct {
		N int64 `col:"n" doc:"a number"`
	}
	type after struct {
		N    int64    `col:"n" doc:"a number"`
		Max  int64    `col:"most" added:"5" doc:"a number"`
		Mean *float64 `col:"mean" added:"5" doc:"a fraction"`
	}
	type strict struct {
		N   int64 `col:"n" doc:"a number"`
		Max int64 `col:"most" doc:"a number"`
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := Write(path, nil, []before{{1}, {2}}); err != nil {
		t.Fatal(err)
	}
	if got, _, err := Read[after](path); err != nil || !reflect.DeepEqual(got, []after{{N: 1}, {N: 2}}) {
		t.Errorf("read %+v, %v", got, err)
	}
	if _, _, err := Read[strict](path); err == nil {
		t.Error("a column is missing, and nobody says so")
	}
}
