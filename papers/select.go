package papers

import (
	"fmt"
	"path"
	"strings"

	"github.com/marigram/marigram/internal/registry"
)

// Select returns the claims with one of the names, in the order of the table: a
// claim, or a figure or system for all of its claims; without names, all. An
// unknown name is an error that gives the nearest.
func Select(names ...string) ([]Claim, error) {
	all := Published()
	if len(names) == 0 {
		return all, nil
	}
	used := make([]bool, len(names))
	var list []Claim
	for _, c := range all {
		wanted := false
		for i, name := range names {
			if name = strings.TrimSuffix(name, "/"); c.Name == name || strings.HasPrefix(c.Name, name+"/") {
				used[i], wanted = true, true
			}
		}
		if wanted {
			list = append(list, c)
		}
	}
	for i, name := range names {
		if !used[i] {
			return nil, unknown(name, all)
		}
	}
	return list, nil
}

// Quick returns the claims of figures that a run without names computes, and the names of the others with the minutes
// of processor time that they take.
func Quick(list []Claim) (quick []Claim, slow map[string]float64) {
	slow = map[string]float64{}
	for _, c := range list {
		if f, err := OpenSpec(c.Figure()); err == nil && f.Minutes > 0 {
			slow[f.Name] = f.Minutes
			continue
		}
		quick = append(quick, c)
	}
	return quick, slow
}

func unknown(name string, all []Claim) error {
	var known []string
	for _, c := range all {
		known = append(known, c.Name, c.Figure(), path.Dir(c.Figure()))
	}
	return fmt.Errorf("no claim %q; marigram reproduce --list names them%s", name, registry.DidYouMean("\n", name, known))
}
