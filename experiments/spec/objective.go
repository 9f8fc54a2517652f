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
	Loss   float64  `json:"loss,omitempty" jsonschema:"training loss to reach; left out for a pipelined job, which trains all its samples"`
	TimeS  float64  `json:"time_s,omitempty" jsonschema:"time limit in seconds, from the start"`
	Within string   `json:"within,omitempty" jsonschema:"time limit as text instead: 90s, 66h40m, 3d or 2d12h"`
	Share  *float64 `json:"share,omitempty" jsonschema:"share of the runs that has to meet the objective, above 0 and at most 1: results then have a verdict; none if absent"`
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
