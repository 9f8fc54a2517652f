package racing

import (
	"fmt"
)

// Options say what a race is about.
type Options struct {
	Settings int     // how many, at least 1
	Share    float64 // of the runs that has to meet the objective: above 0, below 1
	Within   float64 // margin of the cost, a share of the best's, at least 0
	Alpha    float64 // probability of an error of each of the two kinds, above 0, below 1
	Blocks   int     // most blocks of the race, at least 1
	Fresh    int     // most blocks of an attempt to prove a share, at least 1
	// SameFresh says that all attempts run the same fresh blocks, as on a recorded
	// trace, of which there is only one.
	SameFresh bool
	Max       int64 // most runs in all; 0: no bound
}

func (o *Options) check() {
	inside := func(x float64) bool { return x > 0 && x < 1 }
	if o.Settings < 1 || !inside(o.Share) || !(o.Within >= 0) || !inside(o.Alpha) || o.Blocks < 1 || o.Fresh < 1 || o.Max < 0 {
		panic(fmt.Sprintf("racing: %+v", *o))
	}
}

// Levels: the error probabilities of single tests.

// costLevel is that of a comparison of costs on n blocks.
func (o *Options) costLevel(analyses []int, n int) float64 {
	return o.Alpha / 2 * part(number(analyses, n, fewest), from(analyses, fewest)) / float64(max(o.Settings-1, 1))
}

// shareLevel is that of a share in the race on n blocks.
func (o *Options) shareLevel(analyses []int, n int) float64 {
	return o.Alpha / 4 * part(number(analyses, n, 0), len(analyses))
}

// attemptLevel is that of the proofs of the j-th attempt, from 1, all looks together. Attempts
// after the first were chosen by those before; on the same blocks any setting may be.
func (o *Options) attemptLevel(j int) float64 {
	level := o.Alpha / float64(j*(j+1))
	if o.SameFresh && j > 1 {
		level /= float64(o.Settings)
	}
	return level
}
