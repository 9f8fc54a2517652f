package catalogue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

// keep moves the folder with the files of a set to its place in the cache.
func keep(files, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(files, dir)
}

// publishedIn reports whether a folder has all files, laid out as a copy; "" needs none.
func (e *Entry) publishedIn(dir string) bool {
	for i := range e.Files {
		if dir != "" && !e.Files[i].same(e.published(&e.Files[i], dir)) {
			return false
		}
	}
	return true
}

// publish copies the files, in the order of the set, into a folder, laid out as a copy; "" is none.
func (e *Entry) publish(paths []string, dir string) error {
	for i, path := range paths {
		if dir == "" {
			break
		}
		to := e.published(&e.Files[i], dir)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := copyOf(path, to); err != nil {
			return err
		}
	}
	return nil
}

func copyOf(path, to string) error {
	r, err := openRegular(path)
	if err != nil {
		return err
	}
	defer r.Close()
	return atomicfile.Write(to, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// keptIn reports whether all files of a set lie in a folder, unchanged.
func (e *Entry) keptIn(dir string) bool {
	for _, f := range e.Files {
		if !f.same(filepath.Join(dir, filepath.FromSlash(f.place()))) {
			return false
		}
	}
	return isFolder(dir)
}

// same reports whether a path holds the file, or what copies hold instead.
func (f *File) same(path string) bool {
	if f.Repacked != nil && f.Repacked.same(path) {
		return true
	}
	r, err := openRegular(path)
	if err != nil {
		return false
	}
	defer r.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, r)
	return err == nil && n == f.Bytes && hex.EncodeToString(sum.Sum(nil)) == f.SHA256
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// matches reports whether a set was made of the entry's files, by the importer and
// the options of this program.
func (e *Entry) matches(s *traces.Set) bool {
	m := &s.Manifest
	format, err := formats.Named(m.Importer.Name)
	if err != nil || format.Version != m.Importer.Version || e.format != "" && e.format != m.Importer.Name {
		return false
	}
	var want, have []string
	for _, f := range e.Files {
		want = append(want, f.SHA256)
	}
	for _, f := range m.Source.Files {
		have = append(have, f.SHA256)
	}
	slices.Sort(want)
	slices.Sort(have)
	a, errA := json.Marshal(e.importOptions())
	b, errB := json.Marshal(m.Importer.Options)
	return slices.Equal(want, have) && errA == nil && errB == nil && bytes.Equal(a, b)
}
