package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var errHalf = errors.New("half way")

// text is what fills a file.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func put(t *testing.T, path, s string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(s), 0o644); err != nil {
		t.Fatal(err)
	}
}

func wantText(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: %q, %v, expected %q", path, got, err, want)
	}
}

// wantNames checks what is in a folder, leftovers included.
func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %q, expected %q", dir, got, want)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "a.txt")
	if err := Write(path, text("one")); err != nil {
		t.Fatal(err)
	}
	wantText(t, path, "one")
	half := func(w io.Writer) error { return errors.Join(text("ha")(w), errHalf) }
	if err := Write(path, half); !errors.Is(err, errHalf) {
		t.Error(err)
	}
	wantText(t, path, "one")
	wantNames(t, filepath.Dir(path), "a.txt")
	if err := Write(dir, text("x")); err == nil || !strings.Contains(err.Error(), "is a folder, expected a file") {
		t.Error(err)
	}
}

// Also a link to a link, and to a file that is not there yet.
func TestWriteKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "at", "a.txt")
	put(t, filepath.Join(dir, "at", "b.txt"), "")
	link(t, "at", filepath.Join(dir, "folder"))
	link(t, filepath.Join("folder", "a.txt"), filepath.Join(dir, "one"))
	link(t, "one", filepath.Join(dir, "two"))
	for _, words := range []string{"new", "old"} {
		if err := Write(filepath.Join(dir, "two"), text(words)); err != nil {
			t.Fatal(err)
		}
		wantText(t, path, words)
		wantNames(t, dir, "at", "folder", "one", "two")
	}
	link(t, "circle", filepath.Join(dir, "circle"))
	if err := Write(filepath.Join(dir, "circle"), text("x")); err == nil {
		t.Error("a link to itself was written")
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip("no symbolic links:", err)
	}
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other permissions")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	for _, mode := range []os.FileMode{permissions, 0o600, 0o755} {
		if mode != permissions { // of a new file
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		if err := Write(path, text("x")); err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(path); info.Mode().Perm() != mode {
			t.Errorf("%v, expected %v", info.Mode(), mode)
		}
		if _, err := Files(dir, nil, stage("a.txt", "y")); err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(path); info.Mode().Perm() != mode {
			t.Errorf("in a folder: %v, expected %v", info.Mode(), mode)
		}
	}
}

func TestWriteIntoDevice(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no /dev/null")
	}
	if err := WriteBytes(os.DevNull, []byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := Create(os.DevNull); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Error(err)
	}
}

// stage returns a function that writes files: names and what is in them.
func stage(files ...string) func(string) ([]string, error) {
	return func(dir string) (names []string, err error) {
		for i := 0; i < len(files); i += 2 {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o666))
			names = append(names, files[i])
		}
		return names, err
	}
}

// Older files of one's own go, those of others stay.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b[1]")
	put(t, filepath.Join(dir, "old.csv"), "own")
	put(t, filepath.Join(dir, "mine.txt"), "not own")
	put(t, filepath.Join(dir, "a.csv"), "old")
	paths, err := Files(dir, []string{"*.csv"}, stage("b.csv", "b", "a.csv", "a"))
	if err != nil || !slices.Equal(paths, []string{filepath.Join(dir, "b.csv"), filepath.Join(dir, "a.csv")}) {
		t.Errorf("%q, %v", paths, err)
	}
	wantNames(t, dir, "a.csv", "b.csv", "mine.txt")
	wantText(t, filepath.Join(dir, "a.csv"), "a")
}

// When one of the files cannot be written, none is.
func TestFilesAllOrNone(t *testing.T) {
	dir := t.TempDir()
	fresh := filepath.Join(dir, "fresh")
	if _, err := Files(fresh, nil, func(string) ([]string, error) { return nil, errHalf }); !errors.Is(err, errHalf) {
		t.Error(err)
	}
	wantNames(t, dir)
	put(t, filepath.Join(dir, "a"), "old")
	put(t, filepath.Join(dir, "b", "file"), "in a folder")
	if _, err := Files(dir, []string{"*"}, stage("a", "new", "b", "new")); err == nil ||
		!strings.Contains(err.Error(), "is a folder") {
		t.Error(err)
	}
	wantText(t, filepath.Join(dir, "a"), "old")
	wantNames(t, dir, "a", "b")
}

func TestFilesKeepLinks(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "elsewhere", "a.txt"), "old")
	out := filepath.Join(dir, "out")
	put(t, filepath.Join(out, "b.txt"), "old")
	link(t, filepath.Join("..", "elsewhere", "a.txt"), filepath.Join(out, "a.txt"))
	if _, err := Files(out, []string{"*"}, stage("a.txt", "new", "b.txt", "new")); err != nil {
		t.Fatal(err)
	}
	wantText(t, filepath.Join(dir, "elsewhere", "a.txt"), "new")
	wantText(t, filepath.Join(out, "b.txt"), "new")
	wantNames(t, filepath.Join(dir, "elsewhere"), "a.txt")
	wantNames(t, out, "a.txt", "b.txt")
}

// What was written of late may be under way, and what others named is theirs.
func TestSweep(t *testing.T) {
	dir, old := t.TempDir(), time.Now().Add(-25*time.Hour)
	for _, c := range []struct {
		path string
		when time.Time
	}{
		{".new.1.tmp/a", old},
		{".new.2.tmp/under-way", time.Now()},
		{".new.3.tmp", old},
		{".new.x.tmp", old},
		{".other.4.tmp", old},
		{"new.5.tmp", old},
	} {
		path := filepath.Join(dir, c.path)
		put(t, path, "")
		for p := path; p != dir; p = filepath.Dir(p) {
			if err := os.Chtimes(p, c.when, c.when); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Chtimes(filepath.Join(dir, ".new.2.tmp"), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := Files(dir, nil, stage()); err != nil {
		t.Fatal(err)
	}
	wantNames(t, dir, ".new.2.tmp", ".new.x.tmp", ".other.4.tmp", "new.5.tmp")
	if err := Sweep(dir, 0, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	wantNames(t, dir, ".new.x.tmp", "new.5.tmp")
}
