package columnar

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/marigram/marigram/internal/testutil"
)

// written gives the bytes of a file of n rows.
func written(t testing.TB, n int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := Write(path, map[string]string{"seed": "7"}, everyRows(n, sometimes)); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sourceOf is a file of these bytes.
func sourceOf(b []byte) source { return source{bytes.NewReader(b), int64(len(b))} }

// A flipped bit anywhere is an error that names the file, and never a crash.
func TestFlippedBits(t *testing.T) {
	good := written(t, 500)
	path := filepath.Join(t.TempDir(), "bad.parquet")
	dice := rand.New(rand.NewPCG(3, 4))
	for range 600 {
		bad := append([]byte(nil), good...)
		at, bit := dice.IntN(len(bad)), dice.IntN(8)
		bad[at] ^= 1 << bit
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read[every](path); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("byte %d bit %d was flipped: %v", at, bit, err)
		}
	}
}

// Without the checksum the decoders are on their own: any outcome is right but
// a crash, a hang, or another number of rows.
func TestFlippedBitsUnchecked(t *testing.T) {
	fields := fieldsOf[every]()
	good := written(t, 300)
	dice := rand.New(rand.NewPCG(5, 6))
	files, failed := testutil.Size(1000, 5000), 0
	for range files {
		bad := append([]byte(nil), good...)
		for range 1 + dice.IntN(3) {
			bad[dice.IntN(len(bad))] ^= 1 << dice.IntN(8)
		}
		rows, _, err := parse[every](fields, sourceOf(bad), false)
		if err != nil {
			failed++
		} else if len(rows) != 300 {
			t.Fatalf("%d rows of 300", len(rows))
		}
	}
	if failed < files/5 {
		t.Errorf("only %d of %d damaged files were refused", failed, files)
	}
}

func TestTruncated(t *testing.T) {
	fields := fieldsOf[every]()
	good := written(t, 100)
	for n := range good {
		if _, _, err := parse[every](fields, sourceOf(good[:n]), true); err == nil {
			t.Fatalf("the first %d of %d bytes were read without an error", n, len(good))
		}
	}
}

func TestOtherTables(t *testing.T) {
	type narrow struct {
		Int64 int64 `col:"int64"`
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "every.parquet")
	rows := everyRows(10, sometimes)
	if err := Write(path, nil, rows); err != nil {
		t.Fatal(err)
	}
	got, _, err := Read[narrow](path)
	if err != nil || len(got) != 10 || got[9].Int64 != rows[9].Int64 {
		t.Errorf("the columns that are not asked for were not ignored: %v", err)
	}
	_, _, err = Read[struct {
		N int64 `col:"absent"`
	}](path)
	wantError(t, err, path, `no column "absent" (int64)`)
	_, _, err = Read[struct {
		N int32 `col:"int64"`
	}](path)
	wantError(t, err, path, `column "int64" is int64`, "want int32")
	_, _, err = Read[struct {
		N int64 `col:"at"`
	}](path)
	wantError(t, err, path, `column "at" is timestamp`, "want int64")
	_, _, err = Read[struct {
		N float64 `col:"maybe_float"`
	}](path)
	wantError(t, err, path, `column "maybe_float"`, "null")
	optional, _, err := Read[struct {
		N *int64 `col:"int64"`
	}](path)
	if err != nil || *optional[3].N != rows[3].Int64 {
		t.Errorf("a required column into an optional field: %v", err)
	}
}

func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	_, _, err := Read[every](filepath.Join(dir, "absent"))
	wantError(t, err, "absent", "no such file")
	_, _, err = Read[every](dir)
	wantError(t, err, dir, "not a regular file")
	for _, text := range []string{"", "PAR1", "PAR1PAR1", "PAR1\xff\xff\xff\xffPAR1", "PAR1\x00\x00\x00\x00PAR1", "a,b\n1,2\n3,4\n"} {
		path := filepath.Join(dir, "t")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err = Read[every](path)
		wantError(t, err, path, "cannot be read")
	}
}

// A few bytes may not claim what fills the memory.
func TestBombs(t *testing.T) {
	unsafe := map[string]func(){
		"a list of 2^31 elements":    func() { walkThrift([]byte{0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07}, func(int, int64) {}) },
		"a text of 2^31 bytes":       func() { walkThrift([]byte{0x18, 0xff, 0xff, 0xff, 0xff, 0x07}, func(int, int64) {}) },
		"structs without end":        func() { walkThrift([]byte(strings.Repeat("\x1c", 1000)), func(int, int64) {}) },
		"a schema of 2^28 children":  func() { checkFooter([]byte{0x29, 0x2c, 0x55, 0xfe, 0xff, 0xff, 0xff, 0x01, 0, 0, 0}) },
		"a nested schema":            func() { checkFooter([]byte{0x29, 0x3c, 0x55, 0x02, 0, 0x55, 0x02, 0, 0, 0}) },
		"2^20 numbers of no bytes":   func() { hybrid(make([]uint32, 1<<20), nil, 0) },
		"a run of no numbers":        func() { hybrid(make([]uint32, 3), []byte{0, 0, 0, 0}, 1) },
		"groups without their bytes": func() { hybrid(make([]uint32, 8), []byte{0x03}, 8) },
		"a dictionary entry 2^31":    func() { pickFrom(cellsOf(make([]int64, 1)), []int64{1}, []uint32{1 << 31}) },
		"an index of 40 bits":        func() { indices(make([]uint32, 1), []byte{40, 2, 0, 0, 0, 0, 0, 0}) },
		"a string of 2^31 bytes": func() {
			b := budget(100)
			b.plainStrings(cellsOf(make([]string, 1)), []byte{0xff, 0xff, 0xff, 0x7f, 'a'})
		},
		"a string too many":          func() { b := budget(100); b.plainStrings(cellsOf(make([]string, 2)), []byte{0, 0, 0, 0}) },
		"floats without their bytes": func() { plainFloats(cellsOf(make([]float64, 2)), make([]byte, 15)) },
		"a truth value too many":     func() { plainBools(cellsOf(make([]bool, 33)), make([]byte, 4)) },
		"a definition level of 2":    func() { g := page{values: 1, levels: rle, body: []byte{2, 0, 0, 0, 2, 2}}; g.split(nil) },
		"a dictionary of 2^40": func() {
			newColumn(field{}, parquet.Types.Int64, nil).(*column[int64]).dictionary(page{values: 1 << 40, body: make([]byte, 8)})
		},
		"rows that are not there": func() { cellsOf(make([]int64, 3)).part(1, 3, 0) },
		"more than the budget":    func() { b := budget(100); b.take(101) },
	}
	for name, f := range unsafe {
		func() {
			defer func() {
				if _, ok := recover().(corrupt); !ok {
					t.Errorf("%s was not refused", name)
				}
			}()
			f()
		}()
	}
}

// A file may not hold more rows than its size allows, even where constant
// columns take next to nothing.
func TestTooManyRows(t *testing.T) {
	fields := fieldsOf[every]()
	good := written(t, 1)
	tab := table{fields: fields, budget: budget(len(good))}
	footer, _ := readFooter(sourceOf(good))
	tab.footer = footer.FileMetaData
	footer.RowGroups[0].NumRows = 1 << 40
	if _, _, err := tab.count(8); err == nil {
		t.Error("2^40 rows were not refused")
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, n := range []int{0, 1, 40} {
		f.Add(written(f, n))
	}
	fields := fieldsOf[every]()
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, _, err := parse[every](fields, sourceOf(b), false)
		if err != nil && rows != nil {
			t.Error("rows beside an error")
		}
	})
}
