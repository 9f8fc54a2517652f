package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// OpenInput opens a regular file, or standard input by one of its names (/dev/stdin). What
// else there is, a folder, a pipe (opening one waits for a writer that may never come) or a device, is an error that
// names it. An object of an object store (s3://BUCKET/NAME) is copied into a file without a name.
func OpenInput(path string) (*os.File, error) {
	if IsRemote(path) {
		return Fetch(context.Background(), path)
	}
	if err := checkSpelling(path); err != nil {
		return nil, err
	}
	if isNamedInput(path) {
		return os.Stdin, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() || isStandardInput(info) {
		return os.Open(path)
	}
	return nil, fmt.Errorf("%s is %s, expected a regular file or standard input (/dev/stdin)", path,
		inputKind(info.Mode()))
}

// ReadInput returns what is in an input (OpenInput), which is an error if it is larger than most bytes.
func ReadInput(path string, largest int64) ([]byte, error) {
	input, err := OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	text, err := io.ReadAll(io.LimitReader(input, largest+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case int64(len(text)) > largest:
		return nil, fmt.Errorf("%s: larger than %d bytes", path, largest)
	}
	return text, nil
}

// InputAbsent reports whether there is no file of that name: nothing, or a folder. A name may
// then stand for something else.
func InputAbsent(path string) bool {
	if IsRemote(path) {
		there, err := Exists(context.Background(), path)
		return !there && err == nil
	}
	if isNamedInput(path) {
		return false
	}
	info, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist) || err == nil && info.IsDir()
}

// isNamedInput reports whether a path is the name of the standard input where there is no file of that name.
func isNamedInput(path string) bool {
	return path == Stdin && runtime.GOOS == "windows"
}

func isStandardInput(info os.FileInfo) bool {
	stdin, err := os.Stdin.Stat()
	return err == nil && os.SameFile(stdin, info)
}

func inputKind(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&os.ModeNamedPipe != 0:
		return "a pipe"
	case mode&os.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
