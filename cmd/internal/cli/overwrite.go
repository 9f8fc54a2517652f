package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
)

// CheckOutputs refuses an output that is a file which the call reads, whatever the
// names of the two, and one that has the name of a table of marigram's own. Inputs are
// files and folders; what does not exist is left to those who read it.
func CheckOutputs(inputs []string, outputs ...string) error {
	for _, out := range outputs {
		if out == "" {
			continue
		}
		if to := target(out); isTable(filepath.Base(to)) {
			return fmt.Errorf("%s would replace a table of marigram (%s), expected another name", out, filepath.Base(to))
		}
	}
	return CheckReplaced(inputs, outputs...)
}

// CheckReplaced refuses an output that is a file which the call reads.
func CheckReplaced(inputs []string, outputs ...string) error {
	for _, out := range outputs {
		if old, err := os.Stat(out); err == nil && old.Mode().IsRegular() {
			if err := checkReplaced(inputs, out, old); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkReplaced(inputs []string, out string, old os.FileInfo) error {
	for _, in := range inputs {
		info, err := os.Stat(in)
		switch {
		case err != nil:
		case info.IsDir():
			if file := sameIn(in, old); file != "" {
				return fmt.Errorf("%s would replace %s, which this call reads, expected another name", out, file)
			}
		case os.SameFile(info, old):
			return fmt.Errorf("%s would replace the input %s, expected another name", out, in)
		}
	}
	return nil
}

// sameIn returns the file of a folder of inputs that is the same as another; empty if
// none is. In a folder of results or of a history in marigram's form these are the
// tables alone: a page or a figure beside them is no input.
func sameIn(dir string, file os.FileInfo) (path string) {
	own := slices.ContainsFunc(append(results.Files(), sweep.PlanFile, "manifest.json"), func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || own && !isTable(d.Name()) && filepath.Ext(p) != ".parquet" && d.Name() != "manifest.json" {
			return nil // what cannot be read is reported by who reads it
		}
		if info, err := os.Stat(p); err == nil && os.SameFile(info, file) {
			path = p
			return fs.SkipAll
		}
		return nil
	})
	return path
}

// isTable reports whether a name is that of a result table, or of a part of a sweep.
func isTable(name string) bool {
	part, _ := filepath.Match("part-*.parquet", name) // the pattern is one
	return part || name == sweep.PlanFile || slices.Contains(results.Files(), name)
}

// target follows links.
func target(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}
