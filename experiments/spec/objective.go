package spec

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Objective is a loss, or a whole pipelined job, within a time, in a share of
// the runs.
type Objective struct {
	Name   string   `json:"name,omitempty" jsonschema:"label in results; made from the numbers if absent"`
	Loss   float64  `json:"loss,omitempty" above:"0" jsonschema:"training loss to reach; left out for a pipelined job, which trains all its samples"`
	TimeS  float64  `json:"time_s,omitempty" min:"1" max:"632448000" either:"limit" jsonschema:"time limit in seconds, from the start"`
	Within string   `json:"within,omitempty" either:"limit" jsonschema:"time limit as text instead: 90s, 66h40m, 3d or 2d12h"`
	Share  *float64 `json:"share,omitempty" above:"0" max:"1" jsonschema:"share of the runs that has to meet the objective, above 0 and at most 1: results then have a verdict; none if absent"`
}

// ParseDuration reads a duration such as 90s, 66h40m, 3d or 2d12h: what
// time.ParseDuration reads without a sign, after a whole number of days of 24 h.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, has := strings.Cut(text, "d")
	if !has {
		days, rest = "0", text
	}
	n, err := strconv.ParseUint(days, 10, 16)
	d := time.Duration(0)
	if err == nil && (rest != "" || !has) {
		d, err = time.ParseDuration(rest)
	}
	if err != nil || strings.ContainsAny(rest, "+-") {
		return 0, fmt.Errorf("%q, expected a duration such as 90s, 66h40m or 3d", text)
	}
	return time.Duration(n)*24*time.Hour + d, nil
}

// readTimes reads the times that objectives state as text.
func (s *Spec) readTimes() error {
	for i := range s.Objectives {
		o, at := &s.Objectives[i], fmt.Sprintf("$.objectives[%d]", i)
		if o.Within == "" {
			continue
		}
		d, err := ParseDuration(o.Within)
		if err != nil {
			return s.ErrorAt(at+".within", "%v", err)
		}
		if d < time.Second || d > maxHorizonS*time.Second {
			return s.ErrorAt(at+".within", "%v, expected 1 second to 20 years", o.Within)
		}
		o.TimeS = d.Seconds()
	}
	return nil
}

// nameObjectives gives those without a name one of their numbers.
func (s *Spec) nameObjectives() {
	for i := range s.Objectives {
		o := &s.Objectives[i]
		within := o.Within
		if within == "" {
			within = short(o.TimeS) + "s"
		}
		if o.Name == "" && s.WholeJob() {
			o.Name = "all-in-" + within
		}
		if o.Name == "" {
			o.Name = fmt.Sprintf("loss-%s-in-%s", short(o.Loss), within)
		}
	}
}

func (s *Spec) checkObjectives() error {
	if len(s.Objectives) == 0 {
		return s.ErrorAt("$", "objectives is missing, expected at least one")
	}
	seen := map[string]bool{}
	for i, o := range s.Objectives {
		at := fmt.Sprintf("$.objectives[%d]", i)
		switch {
		case s.WholeJob() && o.Loss != 0:
			return s.ErrorAt(at+".loss", "%v, expected none: the job trains all its samples", o.Loss)
		case !s.WholeJob() && o.Loss == 0:
			return s.ErrorAt(at, "loss is missing")
		case seen[o.Name]:
			return s.ErrorAt(at, "name %q is used twice", o.Name)
		}
		if err := checkName(o.Name); err != nil {
			return s.ErrorAt(at+".name", "%v", err)
		}
		seen[o.Name] = true
	}
	return nil
}
