package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// pulledState returns a sum of what lies in the folder of pulled sets: names, sizes and times. go test remembers
// results by the files of the module and by what tests ask of the environment, so that a set which comes or goes has to
// change that.
func pulledState() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "none", nil // no folder, no sets
	}
	sum := sha256.New()
	err = filepath.WalkDir(filepath.Join(cache, "marigram"), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(sum, path, info.Size(), info.ModTime().UnixNano())
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}
