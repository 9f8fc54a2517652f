package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// temporary is the pattern of what a file or folder is called until it is complete;
// see os.CreateTemp.
func temporary(name string) string { return "." + name + ".*.tmp" }

// named returns the name that a temporary file or folder is to have: "mine" of ".mine.123.tmp".
func named(temporary string) (name string, is bool) {
	rest, hidden := strings.CutPrefix(temporary, ".")
	rest, is = strings.CutSuffix(rest, ".tmp")
	dot := strings.LastIndexByte(rest, '.')
	if !hidden || !is || dot < 1 || dot == len(rest)-1 || strings.Trim(rest[dot+1:], "0123456789") != "" {
		return "", false
	}
	return rest[:dot], true
}

// Abandoned is for how long nothing is written of a file whose program is no more:
// none takes a day over one.
const Abandoned = 24 * time.Hour

// TempDir makes a folder in dir to work in for the sake of name, which Sweep finds
// if the program is killed. The caller removes it.
func TempDir(dir, name string) (string, error) {
	path, err := os.MkdirTemp(dir, temporary(name))
	if err == nil {
		temporaryNames.Store(path, nil)
	}
	return path, err
}

// temporaryNames are those of the files and folders that this process works in, each with
// the folder that was made for it, nil if it was there before.
var temporaryNames sync.Map

// RemoveTemporaries removes what this process has not completed: for a program that
// is about to end in the middle of its work.
func RemoveTemporaries() {
	temporaryNames.Range(func(path, made any) bool {
		os.RemoveAll(path.(string))
		if made != nil {
			os.Remove(made.(string)) // if it is empty
		}
		return true
	})
}

// Sweep removes the temporary files and folders of dir whose names to be are ours
// and in which nothing was written for idle (0: no matter when). It returns what
// kept it from removing one.
func Sweep(dir string, idle time.Duration, ours func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		name, is := named(entry.Name())
		if !is || !ours(name) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if idle == 0 || abandoned(path, idle) {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// abandoned reports whether a file, or all in a folder, was last changed more than
// idle ago.
func abandoned(path string, idle time.Duration) bool {
	var last time.Time
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	return err == nil && time.Since(last) > idle
}
