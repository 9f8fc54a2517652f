// Package ettr is the kind of objectives that ask for an effective training time ratio: the share of the instance time
// held in which training was done that was kept.
package ettr

import (
	"fmt"
	"strconv"

	"github.com/marigram/marigram/experiments/objective"
)

func init() {
	objective.Register(objective.Kind{
		Name:       "ettr",
		Goal:       func() objective.Goal { return &Ratio{} },
		Meets:      meets,
		Text:       text,
		NeedNotEnd: true,
		NoBound:    "a share of effective time: the least cost of one is not known",
	})
}

// Ratio is the ratio that is asked for, until the job is done or the horizon.
type Ratio struct {
	ETTR float64 `json:"ettr,omitempty" above:"0" max:"1" either:"limit" jsonschema:"instead of a time: effective training time ratio, the share of the instance time held in which training was done that was kept, at least, until the job is done or the horizon"`
}

// Given implements objective.Goal.
func (r *Ratio) Given() bool { return r.ETTR > 0 }

// Value implements objective.Goal.
func (r *Ratio) Value() float64 { return r.ETTR }

// Label implements objective.Goal.
func (r *Ratio) Label() string { return "ettr-" + strconv.FormatFloat(r.ETTR, 'g', -1, 64) }

// TimeS implements objective.Goal.
func (r *Ratio) TimeS(s objective.Study) (float64, error) { return s.HorizonS, nil }

// meets is false of a run that held nothing.
func meets(ratio float64, r objective.Run) bool {
	return r.InstanceH > 0 && r.UsefulH/r.InstanceH >= ratio
}

func text(what string, ratio float64, _ string) string {
	return fmt.Sprintf("%s with an effective training time ratio of at least %.6g", what, ratio)
}
