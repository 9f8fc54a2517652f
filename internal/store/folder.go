package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/atomicfile"
)

// folder keeps local files.
type folder struct{}

// local is a local file that is read.
type local struct {
	*os.File
	size int64
}

func (f local) Size() int64 { return f.size }

func (folder) open(_ context.Context, path string) (File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("is not a regular file (%v)", info.Mode())}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return local{file, info.Size()}, nil
}

func (folder) create(_ context.Context, path string) (Pending, error) { return atomicfile.Create(path) }

// MakeFolderOf makes the local folder of a file that a user names for an output, if it is missing; a bucket has none.
func MakeFolderOf(path string) error {
	if kept, err := of(path); err != nil || kept != (folder{}) {
		return err
	}
	return os.MkdirAll(filepath.Dir(path), 0o777)
}

func (folder) writeNew(_ context.Context, path string, b []byte) error {
	return atomicfile.WriteNew(path, b)
}

func (folder) setAside(_ context.Context, path, why string) (string, error) {
	return atomicfile.SetAside(path, why)
}

func (folder) remove(_ context.Context, path string) error { return os.Remove(path) }

func (folder) list(_ context.Context, dir string) (names []string, err error) {
	opened, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	entries, err := opened.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}

func (folder) makeFolder(dir string) error { return os.MkdirAll(dir, 0o777) }

func (folder) sweep(dir string, abandoned func(string) bool) error {
	return atomicfile.Sweep(dir, 0, abandoned)
}
