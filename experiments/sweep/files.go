package sweep

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/marigram/marigram/experiments/spec"
)

// base returns the spec that is swept: its name for spec.Open.
func (s *Spec) base() string {
	path := s.Base
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(s.file), path)
	}
	if _, err := os.Stat(path); err != nil && slices.Contains(spec.Builtin(), s.Base) {
		return s.Base
	}
	return path
}

// Files returns the names of the files that the sweep reads: its own, the base and what
// that names, also in place of what it names where a parameter is varied. What does not
// exist is among them.
func (s *Spec) Files() []string {
	base := s.base()
	paths := []string{s.file, base}
	cells, err := s.cells()
	if err != nil || len(cells) == 0 {
		return paths // whoever makes the plan says what is wrong
	}
	if first, err := spec.Open(base, cells[0]...); err == nil {
		paths = append(paths, first.Files()...)
	}
	for _, settings := range cells {
		for _, x := range settings {
			if name, is := x.Value.(string); is && name != "" && !filepath.IsAbs(name) {
				paths = append(paths, filepath.Join(filepath.Dir(base), name))
			} else if is && name != "" {
				paths = append(paths, name)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
