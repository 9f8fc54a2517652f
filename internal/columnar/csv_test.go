package columnar

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/marigram/marigram/internal/atomicfile"
)

// What a CSV file says is what the rows are.
func TestCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	rows := everyRows(300, sometimes)
	rows[0].String, rows[1].String = "a \"quoted\", text\nof two lines", ""
	rows[2].Float, rows[3].Float = math.NaN(), math.Inf(1)
	out, err := CreateCSV[every](path)
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(rows, 100) {
		if err := out.Append(part); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there before it is complete")
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil || len(lines) != 301 {
		t.Fatalf("%d lines, %v, want 301", len(lines), err)
	}
	for i, c := range Columns[every]() {
		if lines[0][i] != c.Name {
			t.Errorf("column %d is %q, want %q", i, lines[0][i], c.Name)
		}
	}
	for i, line := range lines[1:] {
		r := &rows[i]
		whole, _ := strconv.ParseInt(line[2], 10, 64)
		float, _ := strconv.ParseFloat(line[3], 64)
		if line[0] != strconv.FormatBool(r.Bool) || whole != r.Int64 || math.Float64bits(float) != math.Float64bits(r.Float) || line[4] != r.String {
			t.Errorf("row %d: %v, want %+v", i, line, r)
		}
		if (line[10] == "") != (r.MaybeFloat == nil) {
			t.Errorf("row %d: %q, want nothing for null only: %v", i, line[10], r.MaybeFloat)
		}
	}
}

// A table that is given up, or cannot be written, leaves nothing.
func TestCSVLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	out, err := CreateCSV[every](filepath.Join(dir, "rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	out.temp.(*atomicfile.File).File.Close() // as a disk that fails
	rows := everyRows(300, always)
	if err := out.Append(rows); err == nil {
		err = out.Close()
		if err == nil {
			t.Error("no error of a file that cannot be written")
		}
	}
	if given, err := CreateCSV[every](filepath.Join(dir, "given.csv")); err != nil {
		t.Error(err)
	} else {
		given.Abort()
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v, want an empty folder", left, err)
	}
}
