package cluster

import (
	"time"

	"github.com/marigram/marigram/sim"
)

// Deadlines is a rule that gives deadlines to jobs that have none: a factor times the duration, with a slack between two
// limits. Each job draws its factor, by the seed of the run and its name.
type Deadlines struct {
	Factors     []float64 `json:"factors" above:"1" max:"1e6" items:"1000" jsonschema:"deadline after the submission by the job's duration, above 1; each job draws one of these, as likely as the others (Gavel, OSDI 2020, has 1.2, 2 and 10)"`
	LeastSlackS float64   `json:"least_slack_s,omitempty" min:"0" max:"3162240000" jsonschema:"least time between the duration and the deadline, in seconds; 0 if absent"`
	MostSlackS  float64   `json:"most_slack_s,omitempty" above:"0" max:"3162240000" jsonschema:"most time between them, in seconds; no limit if absent"`
}

func (d *Deadlines) check(at At) error {
	if d != nil && d.MostSlackS > 0 && d.MostSlackS < d.LeastSlackS {
		return at("$.jobs.deadlines.most_slack_s", "%v, expected at least least_slack_s (%v)", d.MostSlackS, d.LeastSlackS)
	}
	return nil
}

// Of returns the deadline of a job of a duration, by a number drawn in [0, 1).
func (d *Deadlines) Of(duration time.Duration, drawn float64) time.Duration {
	s := duration.Seconds()
	slack := max(s*(d.Factors[int(drawn*float64(len(d.Factors)))]-1), d.LeastSlackS)
	if d.MostSlackS > 0 {
		slack = min(slack, d.MostSlackS)
	}
	return sim.At(s + slack).Sub(0)
}
