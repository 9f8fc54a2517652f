package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
)

// CheckOutputs refuses an output that is a file which the call reads, whatever the
// names of the two, and one that has the name of a table of marigram's own. Inputs are
// files and folders; what does not exist is left to those who read it.
func CheckOutputs(inputs []string, outputs ...string) error {
	for _, out := range outputs {
		if out == "" {
			continue
		}
		if to := target(out); isTable(to) {
			return fmt.Errorf("%s would replace a table of marigram (%s), expected another name", out,
				filepath.Base(to))
		}
	}
	return checkReplaced(inputs, outputs)
}

// CheckInto refuses a folder of outputs if one of them is a file there that the call
// reads, or is a link to a table of marigram's own. The outputs are what has the name
// of a pattern (path/filepath.Match): a call replaces such files, or takes them away.
func CheckInto(inputs []string, dir string, patterns ...string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it is new, or whoever writes there reports what is wrong
	}
	var outputs []string
	for _, entry := range entries {
		if !Matches(entry.Name(), patterns...) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if to := target(path); filepath.Base(to) != entry.Name() && isTable(to) {
			return fmt.Errorf("%s is a link to a table of marigram (%s), expected another folder", path, to)
		}
		outputs = append(outputs, path)
	}
	return checkReplaced(inputs, outputs)
}

// Matches reports whether a name is that of a pattern (path/filepath.Match).
func Matches(name string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		is, _ := filepath.Match(pattern, name) // each is a pattern
		return is
	})
}

// SamePath reports whether two paths lead to one place, which need not exist yet.
func SamePath(a, b string) bool {
	one, err := os.Stat(a)
	other, wrong := os.Stat(b)
	if err == nil && wrong == nil {
		return os.SameFile(one, other)
	}
	return filepath.Clean(a) == filepath.Clean(b)
}

func checkReplaced(inputs, outputs []string) error {
	for _, out := range outputs {
		old, err := os.Stat(out)
		if err != nil || !old.Mode().IsRegular() {
			continue
		}
		for _, in := range inputs {
			if err := checkInput(in, out, old); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkInput(in, out string, old os.FileInfo) error {
	if name, is := strings.CutPrefix(filepath.Base(in), catalogue.PulledPrefix); is {
		if dir, err := catalogue.PulledDir(name); err == nil {
			in = dir
		}
	}
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
	return nil
}

// sameIn returns the file of a folder of inputs that is the same as another; empty if
// none is. In a folder of results or of a trace in marigram's form these are the
// tables alone: a page or a figure beside them is no input. In any other folder they are
// all files but such tables, which are no format to import.
func sameIn(dir string, file os.FileInfo) (path string) {
	own := traces.Stored(dir) || slices.ContainsFunc(append(results.Files(), sweep.PlanFile), func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || own != (isTable(p) || filepath.Ext(p) == ".parquet") {
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

// isTable reports whether a file has the name of a result table or of a part of a sweep,
// or is a table of a trace in marigram's form.
func isTable(path string) bool {
	name := filepath.Base(path)
	part, _ := filepath.Match("part-*.parquet", name) // the pattern is one
	return part || name == sweep.PlanFile || slices.Contains(results.Files(), name) ||
		slices.Contains(traces.Files(), name) && traces.Stored(filepath.Dir(path))
}

// target follows links.
func target(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}
