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
	"sync/atomic"

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
	info, err := Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("is not a regular file (%v)", info.Mode())}
	}
	f, err := openLocal(path)
	if err != nil {
		return nil, err
	}
	return local{f, info.Size()}, nil
}

func (folder) create(_ context.Context, path string) (Pending, error) { return atomicfile.Create(path) }

func (folder) writeNew(_ context.Context, path string, b []byte) error {
	return atomicfile.WriteNew(path, b)
}

func (folder) setAside(_ context.Context, path, why string) (string, error) {
	return atomicfile.SetAside(path, why)
}

func (folder) remove(_ context.Context, path string) error { return os.Remove(path) }

func (folder) list(_ context.Context, dir string) (names []string, err error) {
	d, err := openLocal(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

func (folder) makeFolder(dir string) error { return os.MkdirAll(dir, 0o777) }

func (folder) sweep(dir string, abandoned func(string) bool) error {
	return atomicfile.Sweep(dir, 0, abandoned)
}

// Confinement is what a process may read of the local files. Object stores it may not reach.
type Confinement struct {
	Folders []string          // all that is in them; a link that leads out of its folder is refused, also by the kernel
	Files   map[string]string // names that stand for files: what is opened by the name is the file
}

// ErrOutside is the error of a path that a confined process may not read.
var ErrOutside = errors.New("not to be read here")

type confinement struct {
	Confinement
	roots []*os.Root
}

var confined atomic.Pointer[confinement]

// Confine confines the process, for good: from now on this package opens nothing but what c allows. It does not limit
// what is written.
func Confine(c Confinement) error {
	all := &confinement{Confinement: c}
	for i, dir := range c.Folders {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			return err
		}
		root, err := os.OpenRoot(real)
		if err != nil {
			return err
		}
		c.Folders[i], all.roots = real, append(all.roots, root)
	}
	if !confined.CompareAndSwap(nil, all) {
		return errors.New("the process is confined already")
	}
	return nil
}

// Stat is os.Stat of what the process may read.
func Stat(path string) (info os.FileInfo, err error) {
	err = within(path, func(path string) error { info, err = os.Stat(path); return err },
		func(root *os.Root, path string) error { info, err = root.Stat(path); return err })
	return info, err
}

// openLocal is os.Open of what the process may read.
func openLocal(path string) (f *os.File, err error) {
	err = within(path, func(path string) error { f, err = os.Open(path); return err },
		func(root *os.Root, path string) error { f, err = root.Open(path); return err })
	return f, err
}

// within does one of two: what is done by path where the process is free, and what is done by a path below a folder
// where it is confined.
func within(path string, free func(string) error, inside func(*os.Root, string) error) error {
	c := confined.Load()
	if c == nil {
		return free(path)
	}
	if file, is := c.Files[path]; is {
		path = file
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for i, root := range c.roots {
		if below, err := filepath.Rel(c.Folders[i], whole); err == nil && filepath.IsLocal(below) {
			if err := inside(root, below); err != nil {
				return named(err, path)
			}
			return nil
		}
	}
	return fmt.Errorf("%s: %w: outside of %s", path, ErrOutside, c.Folders[0])
}

// named gives an error of a path below a folder the path that was asked for.
func named(err error, path string) error {
	var of *os.PathError
	if errors.As(err, &of) {
		return &os.PathError{Op: of.Op, Path: path, Err: of.Err}
	}
	return err
}
