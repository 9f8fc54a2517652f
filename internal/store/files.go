package store

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/marigram/marigram/internal/atomicfile"
)

// Files has fill write files into an empty local folder, and returns where they went: into
// dir, all of them or none, in place of earlier ones with the name of a pattern of own
// (path/filepath.Match). Into a bucket they go one after the other, the first last: whoever
// finds it finds the others.
func Files(ctx context.Context, dir string, own []string, fill func(dir string) ([]string, error)) ([]string, error) {
	target, err := of(dir)
	if err != nil {
		return nil, err
	}
	if target == (folder{}) {
		return atomicfile.Files(dir, own, fill)
	}
	stage, err := os.MkdirTemp("", "marigram-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(stage)
	names, err := fill(stage)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range slices.Backward(names) {
		if err := upload(ctx, filepath.Join(stage, name), Join(dir, name)); err != nil {
			return nil, err
		}
		paths = append(paths, Join(dir, name))
	}
	slices.Reverse(paths)
	return paths, removeOld(ctx, dir, own, names)
}

func upload(ctx context.Context, from, to string) error {
	return Write(ctx, to, func(w io.Writer) error {
		file, err := os.Open(from)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(w, file)
		return err
	})
}

// removeOld removes what an earlier call wrote and this one did not.
func removeOld(ctx context.Context, dir string, own, names []string) error {
	there, err := List(ctx, dir)
	for _, name := range there {
		mine := slices.ContainsFunc(own, func(pattern string) bool {
			is, _ := filepath.Match(pattern, name) // each is a pattern
			return is
		})
		if mine && !slices.Contains(names, name) {
			err = errors.Join(err, Remove(ctx, Join(dir, name)))
		}
	}
	return err
}

// Fetch copies an object into a local file without a name, which is gone when it is closed.
func Fetch(ctx context.Context, path string) (*os.File, error) {
	from, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	copied, err := unnamed()
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(copied, io.NewSectionReader(from, 0, from.Size()))
	if err == nil {
		_, err = copied.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, copied.Close())
	}
	return copied, nil
}

// unnamed returns a file without a name, where the system has such files.
func unnamed() (*os.File, error) {
	file, err := os.CreateTemp("", "marigram-*")
	if err == nil {
		_ = os.Remove(file.Name()) // where an open file cannot be removed it stays in the folder for such files
	}
	return file, err
}
