package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

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
	staged, err := os.MkdirTemp(dir, ".new-*")
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

// removeOthers removes the files of dir that match a pattern and are not named.
func removeOthers(dir string, patterns, names []string) error {
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			if !slices.Contains(names, filepath.Base(file)) {
				if err := os.Remove(file); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// replaceFile has write fill a new file, which takes the place of path when it is
// complete.
func replaceFile(path string, write func(w io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
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
	if err := errors.Join(file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
