package columnar

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Scan hands on what Read returns, a row group at a time.
func TestScan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	rows := make([]one, 2*GroupRows+5)
	for i := range rows {
		rows[i].N = int64(i * i)
	}
	if err := Write(path, map[string]string{"k": "v"}, rows); err != nil {
		t.Fatal(err)
	}
	var got []one
	var sizes []int
	meta, err := Scan(path, func(group []one) error {
		got, sizes = append(got, group...), append(sizes, len(group))
		return nil
	})
	if err != nil || meta["k"] != "v" || !slices.Equal(got, rows) || !slices.Equal(sizes, []int{GroupRows, GroupRows, 5}) {
		t.Errorf("groups of %v, %v, %v", sizes, meta, err)
	}
	if read, _, err := Read[one](path); err != nil || !slices.Equal(read, rows) {
		t.Errorf("Read: %d rows, %v", len(read), err)
	}
	enough, calls := errors.New("enough"), 0
	_, err = Scan(path, func([]one) error { calls++; return enough })
	if wantError(t, err, path, "enough"); !errors.Is(err, enough) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// Rows of a file whose checksum is wrong are not shown to anybody.
func TestScanOfDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	b := written(t, 100)
	b[len(b)/4] ^= 1
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Scan(path, func(rows []every) error { t.Errorf("%d rows", len(rows)); return nil })
	wantError(t, err, path, "checksum")
}

// A panic of who looks at the rows is no damage of the file.
func TestScanPanics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := Write(path, nil, []one{{N: 1}}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() != "misuse" {
			t.Error("the panic was swallowed")
		}
	}()
	Scan(path, func([]one) error { panic("misuse") })
}
