package columnar

import (
	"errors"
	"os"
	"path/filepath"
)

// tempFile is a file that gets its name only when it is complete.
type tempFile struct {
	*os.File
	path string // the name that it is to have
	gone bool   // whether the temporary name is no longer there
}

func createTemp(path string) (*tempFile, error) {
	if resolved, err := filepath.EvalSymlinks(path); err == nil { // a link goes on pointing
		path = resolved
	}
	mode := os.FileMode(0o644) // CreateTemp's files are the owner's alone
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() { // a table is no stream
			return nil, &os.PathError{Op: "write", Path: path, Err: errors.New("is no regular file, expected one to replace, or nothing")}
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, err
	}
	t := &tempFile{File: f, path: path}
	if err := f.Chmod(mode); err != nil {
		t.remove()
		return nil, err
	}
	return t, nil
}

// finish brings the file to disk and closes it.
func (t *tempFile) finish() error {
	if err := t.Sync(); err != nil {
		return err
	}
	return t.File.Close()
}

func (t *tempFile) rename() error {
	if err := os.Rename(t.Name(), t.path); err != nil {
		return err
	}
	t.gone = true
	return syncDir(filepath.Dir(t.path))
}

func (t *tempFile) remove() {
	if !t.gone {
		t.File.Close() // again at times: the error of that is of no interest
		os.Remove(t.Name())
		t.gone = true
	}
}

// syncDir makes a rename in dir outlive a power failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
