package reference

import (
	"slices"

	"github.com/marigram/marigram/policies/schedulers/share"
)

// Job is a job of the simulation. Jobs are in order of arrival.
type Job struct {
	Arrival  float64 // s
	Kind     int     // see share.Job
	GPUs     int
	Steps    float64
	Weight   float64
	Deadline float64   // s after the scheduler has seen it; 0: none
	Speed    []float64 // alone, by model
}

// Config is a simulation.
type Config struct {
	Jobs  []Job
	GPUs  []int     // by model
	Order []int     // the models in the order in which they are given out
	Price []float64 // USD per GPU-hour by model; nil: free
	Rule  share.Rule
	// Pairs is the rule where two jobs may share GPUs; Rule is nil then.
	Pairs PairRule
	// Together returns the speeds of two jobs on the same GPUs; nil: jobs do not share them.
	Together func(a, b, model int) (of, other float64)
	// OnlyShares runs units that have a share only, else others fill what is left.
	OnlyShares bool
	// Shuffle draws the order of the models in every round, with the seed.
	Shuffle bool
	Seed    int64
	// Watch is told who runs where: for each round the time at which it begins, and the jobs and the model of what
	// runs; nil: nobody is.
	Watch func(start float64, a, b, model int)
	// Until ends the simulation when all jobs before this one are done; 0: all.
	Until int
}

// Result is what became of a job.
type Result struct {
	Done bool    // else it was dropped, or the simulation ended
	Seen float64 // when the scheduler saw it, s: at the end of a round
	JCT  float64
	USD  float64
}

// none is no model of GPU, and no column.
const none = -1

// tiny is less than what counts.
const tiny = 1e-10

// filled returns a slice of n values, in the memory of s where that is enough.
func filled[T any](s []T, n int, value T) []T {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = value
	}
	return s
}
