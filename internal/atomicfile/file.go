// Package atomicfile writes files that appear whole or not at all: File and Write
// one of them, Files all files of a folder together. Until it is complete, a file
// stands under a temporary name in the same folder, so that giving it its own is
// one rename; Sweep removes what programs that were killed left behind.
//
// A file that is replaced keeps its permissions, a symbolic link goes on pointing
// where it did, and the file that it points to is replaced.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// permissions are those of a new file: temporary files are their owner's alone.
const permissions os.FileMode = 0o644

// File is a file to be that has no name yet. End it with Commit or Abort.
type File struct {
	*os.File
	temp  string // its temporary name
	path  string // the name that it is to have
	ended bool   // whether the temporary name is gone
}

// Create begins a file that will appear at path when Commit succeeds. The folder
// must exist. What is at path and is no regular file is an error.
func Create(path string) (*File, error) {
	path = resolve(path)
	mode, err := replaceable(path)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), temporary(filepath.Base(path)))
	if err != nil {
		return nil, err
	}
	temporaryNames.Store(file.Name(), nil)
	begun := &File{File: file, temp: file.Name(), path: path}
	if err := file.Chmod(mode); err != nil {
		begun.Abort()
		return nil, err
	}
	return begun, nil
}

// Finish brings the file to disk and closes it; Commit then only renames it. It is
// for callers with several files that must appear together.
func (f *File) Finish() error { return errors.Join(f.Sync(), f.Close()) }

// Commit gives the file its name. It must be finished. When that fails nothing is
// left behind, and a file that had the name before stays as it was.
func (f *File) Commit() error {
	if err := os.Rename(f.temp, f.path); err != nil {
		f.Abort()
		return err
	}
	temporaryNames.Delete(f.temp)
	f.ended = true
	return syncFolder(filepath.Dir(f.path))
}

// Abort gives the file up and removes it. After a Commit it does nothing.
func (f *File) Abort() {
	if !f.ended {
		f.Close() // a second time, if it was finished: that error says nothing
		os.Remove(f.temp)
		temporaryNames.Delete(f.temp)
		f.ended = true
	}
}

// Write has fill write a file that appears at path when it is complete, in a
// folder that is made if it is missing. A device or a pipe is written to.
func Write(path string, fill func(w io.Writer) error) error {
	path = resolve(path)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeInto(path, fill)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	begun, err := Create(path)
	if err != nil {
		return err
	}
	defer begun.Abort()
	if err := fill(begun); err != nil {
		return err
	}
	if err := begun.Finish(); err != nil {
		return err
	}
	return begun.Commit()
}

// WriteBytes is Write of what is known already.
func WriteBytes(path string, b []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

func writeInto(path string, fill func(w io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(fill(file), file.Close())
}

// replaceable returns the permissions of a new file at path: those of the file
// that it replaces.
func replaceable(path string) (os.FileMode, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return permissions, nil
	case err != nil:
		return 0, err
	case info.IsDir():
		return 0, fmt.Errorf("%s is a folder, expected a file to replace, or nothing", path)
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s is no regular file, expected one to replace, or nothing", path)
	}
	return info.Mode().Perm(), nil
}

// resolve follows symbolic links, also to files that do not exist yet.
func resolve(path string) string {
	for range 255 { // more than that is a circle, which Create reports
		if to, err := filepath.EvalSymlinks(path); err == nil {
			return to
		}
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// syncFolder makes a rename in a folder outlive a power failure. Windows syncs no
// folders.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// WriteNew writes a file where there is none: of several callers at one time one succeeds,
// of the others errors.Is(err, fs.ErrExist). The folder must exist. Where the disk has no
// links, of two at the very same time the later one may succeed as well.
func WriteNew(path string, b []byte) error {
	path = resolve(path) // a link to nothing yet goes on pointing there
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	begun, err := Create(path)
	if err != nil {
		return err
	}
	defer begun.Abort()
	if _, err := begun.Write(b); err != nil {
		return err
	}
	if err := begun.Finish(); err != nil {
		return err
	}
	err = os.Link(begun.temp, path)
	switch {
	case err == nil:
		return syncFolder(filepath.Dir(path))
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return err
	}
	return begun.Commit()
}

// SetAside gives a file another name, one that is free: its own with why and a number
// behind it. It returns the name.
func SetAside(path, why string) (string, error) {
	for number := 1; ; number++ {
		to := fmt.Sprintf("%s.%s-%d", path, why, number)
		if _, err := os.Lstat(to); errors.Is(err, os.ErrNotExist) {
			return to, os.Rename(path, to)
		}
	}
}
