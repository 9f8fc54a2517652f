package intervals

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
)

// Apart returns the most of the starts from which runs of that length share no part of the trace, and how many
// different starts there are: where these are more, runs overlap and are not independent. Both are in seconds.
func Apart(startsS []float64, lastingS float64) (disjoint, starts int) {
	free := math.Inf(-1) // from when on
	all := slices.Compact(slices.Sorted(slices.Values(startsS)))
	for _, start := range all {
		if start >= free {
			disjoint++
			free = start + lastingS
		}
	}
	return disjoint, len(all)
}

// Overlap says how many of these starts share no part of the trace, with runs of that length; empty if all do.
func Overlap(startsS []float64, lastingS float64) string {
	disjoint, starts := Apart(startsS, lastingS)
	if disjoint == starts {
		return ""
	}
	return fmt.Sprintf("runs of neighbouring starts overlap in the trace: "+
		"intervals and verdicts count %d of %d starts, which share no part of it", disjoint, starts)
}

// Unit is the statistical unit that a run belongs to (the cluster of survey
// statistics): what is drawn anew and independently. Runs of one unit share it, so
// that more of them make a unit's mean surer, and not that of all. On a recorded
// market the unit is the start: all seeds of one start replay the same trace, and
// differ in boot times, victims and missing notices. Where every seed draws a market
// of its own it is the seed.
type Unit struct {
	StartS float64 // of results.ByStart; 0 for the others
	Seed   int64   // of results.BySeed; 0 for the others
	Cell   int     // of a sweep whose cells are taken together; else 0
}

// Of returns the unit of a run.
func Of(s *results.Summary) Unit {
	if s.Unit == results.BySeed {
		return Unit{Seed: s.Seed}
	}
	return Unit{StartS: s.StartS}
}

// Few is the number of independent units below which intervals are doubtful: a law with a long tail may not have shown
// it (of 30 runs none is late in 40 of 100 tries where 3 % are late), and percentiles of a bootstrap are too narrow
// (Hesterberg, The American Statistician 69, 2015).
const Few = 30

// Count puts a number of units into words, such as "19 starts"; by is results.ByStart
// or results.BySeed.
func Count(n int, by string) string { return units.Count(n, by, by+"s") }

// CountIndependent puts a number of independent units into words, such as "19 starts that share no part of the trace".
func CountIndependent(n int, by string) string {
	if by != results.ByStart || n == 1 {
		return Count(n, by)
	}
	return Count(n, by) + " that share no part of the trace"
}

// NoBest says why no policy may be called the best by runs over n independent units; empty if one may. There is no
// record of when instances were preempted (replay, of jobs that are not many, results.Summary.Replay), or there are too
// few units: all of one start in recorded traces, or fewer than Few.
func NoBest(replay, by string, n int) string {
	switch {
	case strings.Contains(replay, results.NeverRevoked):
		return "capacity was not recorded, so nothing is ever preempted: capacity: {typical: band} in the pools " +
			"assumes how often it is"
	case n == 1 && by == results.ByStart:
		return "all runs are of one part of the recorded traces: starts: {every: 6h} in the spec adds others"
	case n < Few && by == results.BySeed:
		return fmt.Sprintf("%s: --seeds %d", Doubt(n, by), Few)
	}
	return Doubt(n, by)
}

// Doubt says why intervals over n independent units may mislead; empty if there is no
// reason.
func Doubt(n int, by string) string {
	switch {
	case n >= Few:
		return ""
	case n == 1 && by == results.ByStart:
		return fmt.Sprintf("only one part of the trace: results say nothing about other periods; "+
			"at least %d starts needed (key starts)", Few)
	}
	return fmt.Sprintf("%s: too few for confidence intervals, at least %d needed", CountIndependent(n, by), Few)
}
