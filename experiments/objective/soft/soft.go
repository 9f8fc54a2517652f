// Package soft is the kind of objectives whose deadline is soft: a job may be late, and each hour after the deadline
// costs dollars.
package soft

import (
	"fmt"
	"strconv"

	"github.com/marigram/marigram/experiments/objective"
)

func init() {
	objective.Register(objective.Kind{
		Name:         "usd_per_h_late",
		Goal:         func() objective.Goal { return &Late{} },
		Meets:        func(_ float64, r objective.Run) bool { return r.Finished },
		Text:         text,
		LateUSD:      lateUSD,
		Says:         []objective.Said{objective.LateShare, {Name: "for being late", Of: lateUSD}},
		Unknown:      "what being late costs: those that plan hold the deadline for a hard one",
		WithDeadline: true,
		NoBound:      "a soft deadline: the least of dollars and lateness together is not known",
	})
}

// Late is what being late costs.
type Late struct {
	USDPerH float64 `json:"usd_per_h_late,omitempty" above:"0" max:"1e9" excludes:"share,most_work,ettr,samples_per_s,budget_usd" jsonschema:"the deadline is soft: a run that is done later meets the objective, too, and each hour after the deadline costs this, USD, as a part of its cost"`
}

// Given implements objective.Goal.
func (l *Late) Given() bool { return l.USDPerH > 0 }

// Value implements objective.Goal.
func (l *Late) Value() float64 { return l.USDPerH }

// Label implements objective.Goal.
func (l *Late) Label() string {
	return "late-" + strconv.FormatFloat(l.USDPerH, 'g', -1, 64) + "-usd-per-h"
}

// TimeS implements objective.Goal: the objective has a time of its own.
func (l *Late) TimeS(objective.Study) (float64, error) { return 0, nil }

func lateUSD(usdPerH float64, r objective.Run) float64 { return usdPerH * r.LateH }

func text(what string, usdPerH float64, within string) string {
	return fmt.Sprintf("%s, each hour later than %s for %.10g USD", what, within, usdPerH)
}
