package tune

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/spec"
)

// idle names the paths that made no difference: settings that differ in one of them alone
// cost the same on every block. same compares two of the settings that raced, by number.
func (t *tuning) idle(of []int, same func(a, b int) bool) (texts []string) {
	var paths []string
	for _, k := range of {
		for _, x := range t.field.candidates[k].candidate {
			if !slices.Contains(paths, x.Path) {
				paths = append(paths, x.Path)
			}
		}
	}
	for _, path := range paths {
		if t.idlePath(path, of, same) {
			texts = append(texts, fmt.Sprintf("%s made no difference: all runs cost the same for every value that raced", path))
		}
	}
	return texts
}

func (t *tuning) idlePath(path string, of []int, same func(a, b int) bool) bool {
	firsts, pairs := map[string]int{}, 0 // by all other values
	for i, k := range of {
		c := t.field.candidates[k].candidate
		others := slices.DeleteFunc(slices.Clone(c), func(x spec.Setting) bool { return x.Path == path })
		if len(others) == len(c) {
			continue // the spec's own settings
		}
		first, has := firsts[others.parameters()]
		if !has {
			firsts[others.parameters()] = i
			continue
		}
		if pairs++; !same(first, i) {
			return false
		}
	}
	return pairs > 0
}
