package registry

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the candidate nearest to name in spelling, "" if none is near.
func Nearest(name string, candidates []string) string {
	best, smallest := "", max(2, len(name)/3)+1
	for _, c := range candidates {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(c)); d < smallest {
			best, smallest = c, d
		}
	}
	return best
}
