// Package rate is the kind of objectives that ask for a mean rate of samples: a deadline of the samples at that rate.
package rate

import (
	"fmt"
	"strconv"

	"github.com/marigram/marigram/experiments/objective"
)

func init() {
	objective.Register(objective.Kind{
		Name: "samples_per_s",
		Goal: func() objective.Goal { return &Rate{} },
		Text: text,
	})
}

// Rate is the mean rate that is asked for.
type Rate struct {
	Cheapest    bool    `json:"cheapest,omitempty" needs:"samples_per_s" jsonschema:"the cheapest run is asked for, which is always so; optional, with samples_per_s"`
	SamplesPerS float64 `json:"samples_per_s,omitempty" above:"0" max:"1e12" either:"limit" jsonschema:"instead of a time: mean rate of the job from its submission to its end, at least; samples over this rate is the time limit"`
}

// Given implements objective.Goal.
func (r *Rate) Given() bool { return r.SamplesPerS > 0 }

// Value implements objective.Goal.
func (r *Rate) Value() float64 { return r.SamplesPerS }

// Label implements objective.Goal.
func (r *Rate) Label() string {
	return "at-least-" + strconv.FormatFloat(r.SamplesPerS, 'g', -1, 64) + "-samples-per-s"
}

// TimeS implements objective.Goal.
func (r *Rate) TimeS(s objective.Study) (float64, error) {
	if s.Samples == 0 {
		return 0, fmt.Errorf("%v, but the size of the job is not one in samples: "+
			"expected a model of samples, such as model.data_parallel or model.pipelined", r.SamplesPerS)
	}
	seconds := s.Samples / r.SamplesPerS
	if seconds < 1 || seconds > s.MaxS {
		return 0, fmt.Errorf("%v, which takes %v s for %v samples, expected 1 second to 20 years",
			r.SamplesPerS, seconds, s.Samples)
	}
	return seconds, nil
}

func text(what string, samplesPerS float64, within string) string {
	return fmt.Sprintf("%s at %.10g samples/s or more, within %s", what, samplesPerS, within)
}
