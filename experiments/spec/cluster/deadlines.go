package cluster

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// Deadlines is a rule that gives deadlines to jobs that have none: a factor times the duration, with a slack between two
// limits. Each job draws its factor, by the seed of the run and its name.
type Deadlines struct {
	Factors   []float64 `json:"factors" above:"1" max:"1e6" items:"1000" jsonschema:"deadline after the submission by the job's duration, above 1; each job draws one of these, as likely as the others (Gavel, OSDI 2020, has 1.2, 2 and 10)"`
	MinSlackS float64   `json:"min_slack_s,omitempty" was:"least_slack_s" min:"0" max:"3162240000" jsonschema:"minimum time between the duration and the deadline, in seconds; 0 if absent"`
	MaxSlackS float64   `json:"max_slack_s,omitempty" was:"most_slack_s" above:"0" max:"3162240000" jsonschema:"maximum time between them, in seconds; no limit if absent"`
}

func (d *Deadlines) check(at At) error {
	if d != nil && d.MaxSlackS > 0 && d.MaxSlackS < d.MinSlackS {
		return at("$.jobs.deadlines.max_slack_s", "%v, expected at least min_slack_s (%v)", d.MaxSlackS, d.MinSlackS)
	}
	return nil
}

// Of returns the deadline of a job of a duration, by a number drawn in [0, 1).
func (d *Deadlines) Of(duration time.Duration, drawn float64) time.Duration {
	s := duration.Seconds()
	slack := max(s*(d.Factors[int(drawn*float64(len(d.Factors)))]-1), d.MinSlackS)
	if d.MaxSlackS > 0 {
		slack = min(slack, d.MaxSlackS)
	}
	return sim.At(s + slack).Sub(0)
}
