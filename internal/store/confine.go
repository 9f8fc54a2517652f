package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

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
