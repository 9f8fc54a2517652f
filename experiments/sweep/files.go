package sweep

import (
	"os"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/store"
)

// base returns the spec that is swept: its name for spec.Open.
func (s *Spec) base() string {
	path := store.Resolve(s.file, s.Base)
	if store.InputAbsent(path) && slices.Contains(spec.Builtin(), s.Base) {
		return s.Base
	}
	return path
}

// Files returns the names of the files that the sweep reads: its own, the base and what
// that names, also in place of what it names where a parameter is varied.
func (s *Spec) Files() []string {
	base := s.base()
	paths := slices.DeleteFunc([]string{s.file, base}, store.InputAbsent) // one that comes with marigram is no file
	cells, err := s.cells()
	if err != nil || len(cells) == 0 {
		return paths // whoever makes the plan says what is wrong
	}
	if first, err := spec.Open(base, cells[0]...); err == nil {
		paths = append(paths, first.Files()...)
	}
	seen := map[string]bool{}
	for _, settings := range cells {
		for _, x := range settings {
			if name, is := x.Value.(string); is && name != "" && !seen[name] {
				seen[name] = true
				paths = append(paths, fileNamed(base, x.Path, name)...)
			}
		}
	}
	return paths
}

// fileNamed returns the file that a parameter names, none if its value is no file. Only a
// trace may be a folder: a policy, say, may have the name of one.
func fileNamed(base, path, name string) []string {
	name = store.Resolve(base, name)
	info, err := os.Stat(name)
	if err != nil || info.IsDir() && !strings.HasSuffix(path, ".path") {
		return nil
	}
	return []string{name}
}
