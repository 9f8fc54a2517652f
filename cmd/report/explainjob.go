package report

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/report"
)

// story says what became of one of many jobs.
func (p *printer) story(e *report.JobStory, endS float64) {
	j := &e.Job
	kind := ""
	if j.Kind != "" {
		kind = j.Kind + ", "
	}
	p.line("job %s (%s%s): submitted at %s, %s", j.ID, kind, cli.Count(int(j.GPUs), "GPU", "GPUs"), clock(j.SubmitS),
		ending(j, endS))
	p.line("without ready GPUs %s; stopped by the scheduler %d times, by the cloud %d times; %s GPU-hours, %s USD\n", clock(known(j.QueueS)),
		j.Suspensions, j.Preemptions, units.USD(known(j.GPUH)), units.USD(j.CostUSD))
	for k := range e.Phases {
		x := &e.Phases[k]
		if x.Where != "" {
			p.line("%s to %s: had %s, until %s", clock(x.FromS), clock(x.UntilS), x.Where, x.Ended)
			if len(x.NextTo) > 0 {
				p.line("    next to %s", strings.Join(x.NextTo, ", "))
			}
			continue
		}
		if e.Tasks > 0 {
			p.line("%s to %s: waited %s for free slots for %s, until %s", clock(x.FromS), clock(x.UntilS), clock(x.UntilS-x.FromS),
				cli.Count(int(e.Tasks), "task", "tasks"), x.Ended)
		} else {
			p.wait(x, j.GPUs)
		}
		p.others(x)
	}
}

// maxThere bounds the jobs of a decision that are printed.
const maxThere = 40

// there prints the jobs that were there at a decision.
func (p *printer) there(jobs []report.JobThere) {
	if len(jobs) == 0 {
		return
	}
	p.line("")
	t := table.New("job", "GPUs", "before", "since", "after", "until", "what ended it", "what the scheduler said")
	for i := range jobs[:min(len(jobs), maxThere)] {
		j := &jobs[i]
		t.Row(j.Job, j.GPUs, orWaited(j.Before), clock(j.SinceS), orWaited(j.After), clock(j.UntilS), j.Ended, j.Said)
	}
	term.Print(p.w, t)
	if more := len(jobs) - maxThere; more > 0 {
		p.line("and %d more jobs (--json has all)", more)
	}
}

func orWaited(where string) string {
	if where == "" {
		return "waits"
	}
	return where
}

func ending(j *results.Job, endS float64) string {
	if j.JCTS == nil {
		return fmt.Sprintf("not done at the end of the run, %s (%.1f %% of its work)", clock(endS), 100*j.Done)
	}
	text := fmt.Sprintf("done at %s, %s after its submission", clock(*j.FinishS), clock(*j.JCTS))
	if j.DeadlineS != nil {
		when := map[bool]string{true: "within", false: "later than"}[*j.DeadlineMet]
		text += fmt.Sprintf(", %s the %s that it had", when, clock(*j.DeadlineS))
	}
	return text
}

// wait says how long a job waited, and what was free.
func (p *printer) wait(x *report.JobPhase, gpus int32) {
	p.line("%s to %s: waited %s for %s, until %s", clock(x.FromS), clock(x.UntilS), clock(x.UntilS-x.FromS), cli.Count(int(gpus), "GPU", "GPUs"), x.Ended)
	switch {
	case x.MaxFree < gpus:
		p.line("    never more than %d free at once in the cluster", x.MaxFree)
	default:
		p.line("    enough GPUs were free for %s of it (at most %d), but not for it: by the scheduler's order, or spread over servers",
			clock(x.EnoughS), x.MaxFree)
	}
}

// others says of a wait who was ahead and who had what meanwhile, and what the scheduler did.
func (p *printer) others(x *report.JobPhase) {
	if x.SaidReason != "" {
		p.line("    the scheduler said: %s", x.SaidReason)
	}
	if n := len(x.Ahead); n > 0 {
		shown := strings.Join(x.Ahead[:min(n, 5)], ", ")
		if n > 5 {
			shown += fmt.Sprintf(" and %d more", n-5)
		}
		p.line("    submitted before it and waiting as well: %s", shown)
	}
	if len(x.Holders) > 0 {
		var who []string
		for _, h := range x.Holders {
			when := "later"
			if h.Earlier {
				when = "earlier"
			}
			who = append(who, fmt.Sprintf("%s %.2f (submitted %s)", h.JobID, h.GPUH, when))
		}
		p.line("    GPU-hours of others meanwhile: %s", strings.Join(who, ", "))
	}
	if x.Decision != "" {
		reason := ""
		if x.Reason != "" {
			reason = "; " + x.Reason
		}
		p.line("    the scheduler at %s: %s%s", clock(x.DecidedS), x.Decision, reason)
	}
}

// known is 0 for a number that is not known.
func known(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}
