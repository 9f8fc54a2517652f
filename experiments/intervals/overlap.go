package intervals

import (
	"fmt"
	"math"
	"slices"
)

// Apart returns the most of the starts from which runs of that length share no part of the trace, and how many
// different starts there are: where these are more, runs overlap and are not independent. Both are in seconds.
func Apart(startsS []float64, lastingS float64) (disjoint, starts int) {
	free := math.Inf(-1) // from when on
	all := slices.Compact(slices.Sorted(slices.Values(startsS)))
	for _, start := range all {
		if start >= free {
			disjoint, free = disjoint+1, start+lastingS
		}
	}
	return disjoint, len(all)
}

// Overlap says that intervals over these starts are too narrow, since runs of that length overlap; empty if none do.
func Overlap(startsS []float64, lastingS float64) string {
	disjoint, starts := Apart(startsS, lastingS)
	if disjoint == starts {
		return ""
	}
	return fmt.Sprintf("runs of neighbouring starts overlap in the trace: only %d of %d starts do not overlap, so intervals are too narrow", disjoint, starts)
}
