package columnar

import (
	"bytes"
	"context"
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

// Files that are written in the memory of others are those of memory of their own, also after one that failed.
func TestSharedMemory(t *testing.T) {
	type wide struct {
		A float64  `col:"a"`
		B *float64 `col:"b"`
		one
	}
	type other struct {
		X string  `col:"x"`
		Y float64 `col:"y"`
	}
	dir := t.TempDir()
	first, second := make([]wide, 300), make([]other, 70)
	for i := range first {
		x := float64(i)
		first[i] = wide{A: x / 3, B: &x, one: one{N: int64(i * i), S: string(rune('a' + i%7))}}
	}
	for i := range second {
		second[i] = other{X: "the same", Y: float64(-i)}
	}
	var m Memory
	sharedMemory(t, &m, dir, first)
	sharedMemory(t, &m, dir, second)
	if err := WriteIn(t.Context(), &m, filepath.Join(dir, "wrong"), nil, []one{{S: "\xff"}}); err == nil {
		t.Error("a text that is not UTF-8 was written")
	}
	sharedMemory(t, &m, dir, first[:20])
	sharedMemory(t, &m, dir, second[:9])
}

func sharedMemory[T any](t *testing.T, m *Memory, dir string, rows []T) {
	t.Helper()
	alone, shared := filepath.Join(dir, "alone"), filepath.Join(dir, "shared")
	if err := Write(alone, nil, rows); err != nil {
		t.Fatal(err)
	}
	if err := WriteIn(context.Background(), m, shared, nil, rows); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(alone)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(shared); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d and %d bytes differ (%v)", len(got), len(want), err)
	}
}
