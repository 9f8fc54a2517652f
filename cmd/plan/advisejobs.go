package plan

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/advise"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

// maxJobs bounds the jobs that are printed.
const maxJobs = 50

// printJobs prints what is to become of many jobs.
func printJobs(w io.Writer, a *advise.Advice) {
	runs := 0
	did := map[string]int{}
	for _, j := range a.Jobs {
		did[j.Do]++
		if len(j.From) > 0 {
			runs++
		}
	}
	fmt.Fprintf(w, "now %s: %s after the start, %d of %s run, %d wait, %s USD are spent\n\n", a.Now, advise.Elapsed(a.ElapsedS),
		runs, cli.Count(len(a.Jobs), "job", "jobs"), len(a.Jobs)-runs, units.USD(a.SpentUSD))
	var does []string
	for _, do := range []string{"start", "stop", "move"} {
		if n := did[do]; n > 0 {
			does = append(does, do+" "+cli.Count(n, "job", "jobs"))
		}
	}
	if does == nil {
		does = []string{"change nothing"}
	}
	next := "when a job comes or ends, or GPUs come or go"
	if at := a.Plan.NextS; at != nil {
		next = fmt.Sprintf("in %s, or sooner %s", advise.Elapsed(*at-a.ElapsedS), next)
	}
	fmt.Fprintf(w, "%s would now %s; it decides again %s\n", a.Plan.Policy, strings.Join(does, ", "), next)
	printWhy(w, &a.Plan)
	t := table.New("job", "GPUs", "do", "where", "done|percent", "end", "90 % of them", "deadline", "met|percent", "note")
	jobs := slices.Clone(a.Jobs)
	slices.SortStableFunc(jobs, func(x, y advise.JobChange) int { return cmp.Compare(urgency(&x), urgency(&y)) })
	for i := range jobs[:min(len(jobs), maxJobs)] {
		j := &jobs[i]
		deadline, met := "", any(nil)
		if j.DeadlineS != nil {
			deadline, met = advise.Elapsed(*j.DeadlineS), j.Met
		}
		t.Row(j.Job, j.GPUs, j.Do, whereOf(j), j.Done, ends(j.FinishS.P50), between(j.FinishS.P05, j.FinishS.P95, advise.Elapsed), deadline, met, j.Note)
	}
	term.Print(w, t)
	if more := len(jobs) - maxJobs; more > 0 {
		fmt.Fprintf(w, "and %d more jobs (--json has all)\n", more)
	}
	rented := a.Plan
	rented.Changes = slices.DeleteFunc(slices.Clone(rented.Changes), func(c advise.Change) bool { return c.Market == "own" })
	printPools(w, &rented)
}

// urgency orders jobs: those of which something is done, then those at risk, then the others.
func urgency(j *advise.JobChange) int {
	switch {
	case j.Do == "stop":
		return 0
	case j.Do == "move":
		return 1
	case j.Do == "start":
		return 2
	case j.AtRisk:
		return 3
	}
	return 4
}

// whereOf says where a job is and is to be.
func whereOf(j *advise.JobChange) string {
	from, to := places(j.From), places(j.To)
	text := to
	switch j.Do {
	case "stop":
		text = from + " -> nowhere"
	case "move":
		text = from + " -> " + to
	}
	if len(j.NextTo) > 0 {
		text += " next to " + strings.Join(j.NextTo, ", ")
	}
	return text
}

func places(all []advise.Where) string {
	var out []string
	for _, x := range all {
		out = append(out, fmt.Sprintf("%d %s", x.N, x.Pool))
	}
	return strings.Join(out, " + ")
}

// risky lists the jobs whose deadline is at risk.
func risky(jobs []advise.JobChange) string {
	var out []string
	for i := range jobs {
		if j := &jobs[i]; j.AtRisk {
			out = append(out, fmt.Sprintf("%s (%s)", j.Job, percent(j.Met)))
		}
	}
	const shown = 10
	if more := len(out) - shown; more > 0 {
		out = append(out[:shown], fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

func hoursOf(seconds *float64) any {
	if seconds == nil {
		return "never"
	}
	return fmt.Sprintf("%.2f", *seconds/3600)
}
