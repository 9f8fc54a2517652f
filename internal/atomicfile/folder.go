package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// staging is what the folder that Files works in is called; see TempDir.
const staging = "new"

// Files has fill write files into a new folder and return their names. When all
// are complete it moves them, in this order, to dir, which it makes if it is
// missing, and then removes from dir the files that match a pattern of own (see
// filepath.Match) and are not among them. It returns the paths. If fill fails, or the
// place of a file is taken by a folder, dir is as it was.
func Files(dir string, own []string, fill func(staged string) (names []string, err error)) (paths []string, err error) {
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && missing != nil {
			_ = os.Remove(dir) // made above, and empty unless a move failed
		}
	}()
	// What cannot be removed disturbs nobody: it stays.
	_ = Sweep(dir, Abandoned, func(name string) bool { return name == staging })
	staged, err := TempDir(dir, staging)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(staged)
	if missing != nil {
		temporaryNames.Store(staged, dir)
	}
	names, err := fill(staged)
	if err != nil {
		return nil, err
	}
	if err := moveAll(staged, dir, names); err != nil {
		return nil, err
	}
	temporaryNames.Delete(staged)
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths, removeOthers(dir, own, names)
}

// moveAll moves files from one folder to another. What is wrong with any of them
// shows before the first is moved.
func moveAll(from, to string, names []string) error {
	files := make([]*File, 0, len(names))
	defer func() {
		for _, file := range files {
			file.Abort()
		}
	}()
	for _, name := range names {
		file, err := prepare(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	for _, file := range files {
		if err := file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes a complete file ready to replace the one at path. If that is a link,
// perhaps to another disk, the file is copied to where it points first.
func prepare(complete, path string) (*File, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return copyTo(path, complete)
	}
	mode, err := replaceable(path)
	if err != nil {
		return nil, err
	}
	return &File{temp: complete, path: path}, os.Chmod(complete, mode)
}

func copyTo(path, complete string) (f *File, err error) {
	from, err := os.Open(complete)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	if f, err = Create(path); err != nil {
		return nil, err
	}
	_, err = io.Copy(f, from)
	if err = errors.Join(err, f.Finish()); err != nil {
		f.Abort()
	}
	return f, err
}

// removeOthers removes the files of dir whose names match a pattern and are not
// among names. The name of dir is no pattern.
func removeOthers(dir string, patterns, names []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() || !matches(patterns, entry.Name()) || slices.Contains(names, entry.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// matches panics over what is no pattern.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := filepath.Match(pattern, name)
		if err != nil {
			panic("atomicfile: " + pattern + ": " + err.Error())
		}
		return ok
	})
}
