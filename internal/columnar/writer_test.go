package columnar

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/marigram/marigram/internal/atomicfile"
)

type one struct {
	N int64  `col:"n"`
	S string `col:"s"`
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	w, err := Create[one](filepath.Join(dir, "t.parquet"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append([]one{{N: 1}}); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, 1) // the temporary one
	w.Abort()
	wantFiles(t, dir, 0)
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.parquet")
	err := Write(path, nil, []one{{S: "\xff"}})
	wantError(t, err, path, "column s", "UTF-8")
	wantFiles(t, dir, 0)
}

// The disk fails in mid-file: the first error is kept, and what was there
// under the name before stays.
func TestFailingDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.parquet")
	if err := Write(path, nil, []one{{N: 1}}); err != nil {
		t.Fatal(err)
	}
	w, err := Create[one](path, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.temp.(*atomicfile.File).File.Close() // every write to it fails now
	dice := rand.New(rand.NewPCG(1, 2))
	rows := make([]one, 2*GroupRows)
	for i := range rows {
		rows[i].N = int64(dice.Uint64())
	}
	first := w.Append(rows)
	wantError(t, first, path, "closed")
	if err := w.Close(); err == nil || err.Error() != first.Error() {
		t.Errorf("Close says %v, want %v", err, first)
	}
	if rows, _, err := Read[one](path); err != nil || len(rows) != 1 {
		t.Errorf("the file that was there is not: %v", err)
	}
	wantFiles(t, dir, 1)
}

func TestUnwritableFolder(t *testing.T) {
	dir := t.TempDir()
	_, err := Create[one](filepath.Join(dir, "absent", "t.parquet"), nil)
	wantError(t, err, "absent", "no such file")
	if os.Getuid() == 0 {
		t.Log("the superuser may write everywhere: a folder without write permission is not tried")
		return
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	wantError(t, Write(filepath.Join(dir, "t.parquet"), nil, []one{{}}), dir, "permission denied")
}

// The name is taken by a folder: nothing can be renamed to it.
func TestNameTaken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.parquet")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	wantError(t, Write(path, nil, []one{{N: 1}}), path)
	wantFiles(t, dir, 1)
}

func TestFinishThenClose(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.parquet")
	w, err := Create[one](path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("Finish gave the file its name")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Abort() // does nothing now
	wantFiles(t, dir, 1)
	if _, _, err := Read[one](path); err != nil {
		t.Error(err)
	}
}

func TestReservedKey(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the checksum's key was accepted")
		}
	}()
	Write(filepath.Join(t.TempDir(), "t"), map[string]string{sumKey: "x"}, []one{})
}

func wantFiles(t *testing.T, dir string, n int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != n {
		t.Errorf("%d files in the folder, want %d: %v", len(entries), n, entries)
	}
}

// Metadata that are known only behind the last row are those of the file.
func TestSetMeta(t *testing.T) {
	type one struct {
		N int64 `col:"n" doc:"a number"`
	}
	early, late := filepath.Join(t.TempDir(), "a.parquet"), filepath.Join(t.TempDir(), "b.parquet")
	if err := Write(early, map[string]string{"k": "v"}, []one{{1}}); err != nil {
		t.Fatal(err)
	}
	w, err := Create[one](late, map[string]string{"gone": "x"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append([]one{{1}}); err != nil {
		t.Fatal(err)
	}
	w.SetMeta(map[string]string{"k": "v"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, errA := os.ReadFile(early)
	b, errB := os.ReadFile(late)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("the files differ: %v, %v", errA, errB)
	}
}
