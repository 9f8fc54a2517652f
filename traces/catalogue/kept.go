package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
)

// keep moves the folder with the files of a set to its place in the cache.
func keep(files, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(files, dir)
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

// same reports whether a path holds the file.
func (f *File) same(path string) bool {
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
