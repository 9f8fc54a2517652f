package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteNew writes a file where there is none: of several callers at one time one succeeds,
// of the others errors.Is(err, fs.ErrExist). The folder must exist. Where the disk has no
// links, of two at the very same time the later one may succeed as well.
func WriteNew(path string, b []byte) error {
	path = resolve(path) // a link to nothing yet goes on pointing there
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := f.Write(b); err != nil {
		return err
	}
	if err := f.Finish(); err != nil {
		return err
	}
	err = os.Link(f.temp, path)
	switch {
	case err == nil:
		return syncFolder(filepath.Dir(path))
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return err
	}
	return f.Commit()
}

// SetAside gives a file another name, one that is free: its own with why and a number
// behind it. It returns the name.
func SetAside(path, why string) (string, error) {
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.%s-%d", path, why, n)
		if _, err := os.Lstat(to); errors.Is(err, os.ErrNotExist) {
			return to, os.Rename(path, to)
		}
	}
}
