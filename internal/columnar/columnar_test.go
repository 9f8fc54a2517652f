package columnar

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// every is a row with a column of every type, required and optional.
type every struct {
	Bool   bool    `col:"bool" doc:"a truth value"`
	Int32  int32   `col:"int32" unit:"h" doc:"a small number"`
	Int64  int64   `col:"int64" doc:"a number"`
	Float  float64 `col:"float" unit:"USD" doc:"a fraction"`
	String string  `col:"string" doc:"a text"`
	At     int64   `col:"at" type:"timestamp" doc:"an instant"`
	Few    int64   `col:"few" dict:"true" doc:"few distinct values"`

	MaybeBool   *bool    `col:"maybe_bool"`
	MaybeInt32  *int32   `col:"maybe_int32"`
	MaybeInt64  *int64   `col:"maybe_int64"`
	MaybeFloat  *float64 `col:"maybe_float"`
	MaybeString *string  `col:"maybe_string"`
	MaybeAt     *int64   `col:"maybe_at" type:"timestamp"`
	MaybeFew    *float64 `col:"maybe_few" dict:"true"`
}

// everyRows makes n rows; null says which optional values are missing.
func everyRows(n int, null func(row, column int) bool) []every {
	dice := rand.New(rand.NewPCG(1, 2))
	rows := make([]every, n)
	for i := range rows {
		r := &rows[i]
		*r = every{
			Bool: dice.IntN(2) == 0, Int32: int32(dice.Uint32()), Int64: int64(dice.Uint64()),
			Float: dice.NormFloat64(), String: fmt.Sprintf("größe %d", dice.IntN(2*n)),
			At: int64(i) * 1e6, Few: int64(dice.IntN(3)),
		}
		optional := reflect.ValueOf(r).Elem()
		for k, from := range map[int]int{7: 0, 8: 1, 9: 2, 10: 3, 11: 4, 12: 5, 13: 3} {
			if !null(i, k) {
				v := reflect.New(optional.Field(from).Type())
				v.Elem().Set(optional.Field(from))
				optional.Field(k).Set(v)
			}
		}
	}
	return rows
}

func sometimes(row, column int) bool { return (row*7+column*5)%3 == 0 }
func always(int, int) bool           { return true }
func never(int, int) bool            { return false }

func TestColumns(t *testing.T) {
	columns := Columns[every]()
	want := Column{Name: "float", Unit: "USD", Type: "float64", Doc: "a fraction"}
	if columns[3] != want {
		t.Errorf("column 3 is %+v, want %+v", columns[3], want)
	}
	want = Column{Name: "maybe_at", Type: "timestamp", Optional: true}
	if columns[12] != want {
		t.Errorf("column 12 is %+v, want %+v", columns[12], want)
	}
}

func TestNotATable(t *testing.T) {
	mustPanic := func(name string, columns func() []Column) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s did not panic", name)
			}
		}()
		columns()
	}
	mustPanic("a number", Columns[int])
	mustPanic("an empty struct", Columns[struct{}])
	mustPanic("a field without a tag", Columns[struct{ A int64 }])
	mustPanic("a hidden field", Columns[struct {
		a int64 `col:"a"`
	}])
	mustPanic("an unknown kind", Columns[struct {
		A uint8 `col:"a"`
	}])
	mustPanic("a timestamp of strings", Columns[struct {
		A string `col:"a" type:"timestamp"`
	}])
	mustPanic("an unknown type", Columns[struct {
		A int64 `col:"a" type:"date"`
	}])
	mustPanic("a name twice", Columns[struct {
		A int64 `col:"a"`
		B int64 `col:"a"`
	}])
}

func TestRoundTrip(t *testing.T) {
	tests := []struct {
		name string
		rows int
		null func(int, int) bool
	}{
		{"empty", 0, never}, {"one", 1, never}, {"one null", 1, always}, {"eight", 8, sometimes},
		{"nulls", 1000, sometimes}, {"all null", 1000, always}, {"no null", 1000, never},
		{"two groups", GroupRows + 3, sometimes},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.parquet")
			rows := everyRows(test.rows, test.null)
			meta := map[string]string{"seed": "1", "a": "", "spec": "größe\n"}
			if err := Write(path, meta, rows); err != nil {
				t.Fatal(err)
			}
			got, gotMeta, err := Read[every](path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(meta, gotMeta) {
				t.Errorf("metadata %v, want %v", gotMeta, meta)
			}
			for i := range rows {
				if !reflect.DeepEqual(rows[i], got[i]) {
					t.Fatalf("row %d is %+v, want %+v", i, got[i], rows[i])
				}
			}
			if len(got) != len(rows) {
				t.Errorf("%d rows, want %d", len(got), len(rows))
			}
		})
	}
}

func TestOddNumbers(t *testing.T) {
	type row struct {
		F float64 `col:"f"`
		S string  `col:"s"`
		N int64   `col:"n"`
	}
	rows := []row{{math.NaN(), "", math.MinInt64}, {math.Inf(1), strings.Repeat("x", 1<<20), math.MaxInt64}, {math.Copysign(0, -1), "\x00", 0}}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := Write(path, nil, rows); err != nil {
		t.Fatal(err)
	}
	got, _, err := Read[row](path)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if math.Float64bits(got[i].F) != math.Float64bits(r.F) || got[i].S != r.S || got[i].N != r.N {
			t.Errorf("row %d is not what was written", i)
		}
	}
}

// Long text that does not repeat overflows the dictionary, and the rest of the
// column is written without one.
func TestDictionaryOverflow(t *testing.T) {
	type row struct {
		S string `col:"s"`
	}
	rows := make([]row, 40_000)
	for i := range rows {
		rows[i].S = fmt.Sprintf("%d %s", i, strings.Repeat("y", i%90))
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := Write(path, nil, rows); err != nil {
		t.Fatal(err)
	}
	got, _, err := Read[row](path)
	if err != nil || !reflect.DeepEqual(got, rows) {
		t.Fatalf("read %d rows, %v", len(got), err)
	}
}

func TestSameBytes(t *testing.T) {
	dir := t.TempDir()
	rows := everyRows(5000, sometimes)
	var files [3][]byte
	for i := range files {
		path := filepath.Join(dir, fmt.Sprint(i))
		w, err := Create[every](path, map[string]string{"b": "2", "a": "1", "c": "3", "d": "4"})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Append(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		files[i], _ = os.ReadFile(path)
	}
	if len(files[0]) == 0 || !bytes.Equal(files[0], files[1]) || !bytes.Equal(files[0], files[2]) {
		t.Error("the same rows gave different bytes")
	}
}

func TestAppendInBatches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	rows := everyRows(300, sometimes)
	w, err := Create[every](path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][]every{rows[:1], nil, rows[1:200], rows[200:]} {
		if err := w.Append(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, _, err := Read[every](path)
	if err != nil || !reflect.DeepEqual(got, rows) {
		t.Fatalf("read %d rows, %v", len(got), err)
	}
}
