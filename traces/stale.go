package traces

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// temporary is the pattern of the folders that pulls work in; see os.MkdirTemp.
func temporary(name string) string { return "." + name + "-*.tmp" }

// temporaries matches their names, for any data set.
var temporaries = regexp.MustCompile(`^\.[a-z0-9][a-z0-9.-]*-[0-9]+\.tmp$`)

// idle is for how long nothing is written by a pull that is no more. One that is
// under way writes as it downloads, and gives up on a file after ten minutes;
// converting takes minutes.
const idle = 24 * time.Hour

// sweep removes what pulls that were killed have left in the cache. That is a
// courtesy: what cannot be removed stays.
func sweep(cache string, now time.Time) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(cache, e.Name())
		if !e.IsDir() || !temporaries.MatchString(e.Name()) {
			continue
		}
		if last, err := lastWritten(dir); err == nil && now.Sub(last) > idle {
			_ = os.RemoveAll(dir)
		}
	}
}

// lastWritten returns when something in a folder last changed.
func lastWritten(dir string) (last time.Time, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return err
	})
	return last, err
}
