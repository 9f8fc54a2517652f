//go:build unix

package store

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestOpenInput(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		pipe: "is a pipe, expected a regular file or standard input", dir: "is a folder", "/dev/zero": "is a device",
		filepath.Join(dir, "none"): "no such file",
	} {
		if _, err := OpenInput(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, expected %s", path, err, says)
		}
	}
	f, err := OpenInput(file)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	feed.Close()
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin = in
	if f, err = OpenInput("/dev/fd/" + strconv.Itoa(int(in.Fd()))); err != nil {
		t.Errorf("standard input: %v", err)
	} else {
		f.Close()
	}
}
