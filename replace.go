package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// staging begins the names of what is not complete yet.
const staging = ".new-"

// replaceFiles has make write files into a new folder and moves them into dir
// when all are there, in place of the files there that match own. It returns
// their paths. If make fails, dir is left as it was.
func replaceFiles(dir string, own []string, make func(dir string) ([]string, error)) (paths []string, err error) {
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && missing != nil {
			_ = os.Remove(dir) // made above, and empty unless a move failed
		}
	}()
	removeAbandoned(dir, time.Now())
	staged, err := os.MkdirTemp(dir, staging+"*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(staged)
	names, err := make(staged)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder, expected a file to replace or nothing", filepath.Join(dir, name))
		}
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.Rename(filepath.Join(staged, name), path); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, removeOthers(dir, own, names)
}

// removeOthers removes the files of dir whose names match a pattern and are not
// among names. The name of dir is no pattern.
func removeOthers(dir string, patterns, names []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		ours := slices.ContainsFunc(patterns, func(pattern string) bool {
			matches, err := filepath.Match(pattern, e.Name())
			must(err)
			return matches
		})
		if !ours || slices.Contains(names, e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// removeAbandoned removes the folders that programs which were killed left in dir:
// none takes a day to write. That is a courtesy: what cannot be removed stays.
func removeAbandoned(dir string, now time.Time) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && strings.HasPrefix(e.Name(), staging) && now.Sub(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// replaceFile has write fill a new file, which takes the place of path when it is
// complete and has its permissions. A link goes on pointing where it did; a device
// or a pipe is written to.
func replaceFile(path string, write func(w io.Writer) error) (err error) {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return writeInto(path, write)
		}
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), staging+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	if err := write(file); err != nil {
		return err
	}
	if err := errors.Join(file.Chmod(mode), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// writeInto writes to what is no file.
func writeInto(path string, write func(w io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// fileNames returns the names of what is in a folder.
func fileNames(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}
