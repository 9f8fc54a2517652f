package report

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/experiments/results"
)

// JobThere is one of many jobs that were there at a decision: what it had before and after.
type JobThere struct {
	Job    string  `json:"job"`
	GPUs   int32   `json:"gpus"`
	Range  string  `json:"-"`      // its GPUs, with their range if their number may change
	Before string  `json:"before"` // what it had; empty: it waited, or came
	SinceS float64 `json:"since_s"`
	After  string  `json:"after"` // what it has from the decision on; empty: it waits
	UntilS float64 `json:"until_s"`
	Ended  string  `json:"ended"`          // by what that ended
	Said   string  `json:"said,omitempty"` // what the scheduler said of it last
}

// changed reports whether the job has other GPUs after the decision.
func (j *JobThere) changed() bool { return j.Before != j.After }

// there lists the jobs that were there at a decision: those first of which something became, then those that wait,
// then the others.
func (r *run) there(d *results.Decision) (out []JobThere) {
	said := r.said(d)
	had := r.hadByJob()
	for i := range r.Jobs {
		job := &r.Jobs[i]
		if job.SubmitS > d.AtS || job.FinishS != nil && *job.FinishS <= d.AtS {
			continue
		}
		story := r.begin(job, had)
		one := JobThere{Job: job.ID, GPUs: job.GPUs, Range: job.GPUsText(), SinceS: job.SubmitS, UntilS: r.end()}
		for k := range story.Phases {
			phase := &story.Phases[k]
			if phase.FromS < d.AtS && d.AtS <= phase.UntilS {
				one.Before = phase.Where
				one.SinceS = phase.FromS
			}
			if phase.FromS <= d.AtS && d.AtS < phase.UntilS {
				one.After = phase.Where
				one.UntilS = phase.UntilS
				one.Ended = phase.Ended
			}
		}
		last := said[job.ID]
		// else it is of a wait that is over
		if last != nil && (one.After == "" || last.Chosen || last.Decision == d.Number) {
			one.Said = sayingOf(last)
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b JobThere) int { return cmp.Compare(a.rank(), b.rank()) })
	return out
}

func (j *JobThere) rank() int {
	switch {
	case j.changed():
		return 0
	case j.After == "":
		return 1
	}
	return 2
}

// said is what the scheduler said last of each job by a decision.
func (r *run) said(d *results.Decision) map[string]*results.Candidate {
	said := map[string]*results.Candidate{}
	for i := range r.Candidates {
		candidate := &r.Candidates[i]
		if candidate.Decision <= d.Number {
			said[candidate.Name] = candidate
		}
	}
	return said
}
