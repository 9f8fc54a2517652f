package traces

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/traces/describe"
)

// mostSizes is how many numbers of GPUs are listed.
const mostSizes = 16

// printJobs prints what is said of jobs, if there are any.
func printJobs(w io.Writer, j *describe.JobStatistics) {
	if j == nil {
		return
	}
	fmt.Fprintf(w, "jobs: %d, %s an hour; %d with a duration, %.1f GPU-hours", j.Jobs, table.Format("%.2f", j.PerHour), j.Known, j.GPUHours)
	if j.MeanLoad != nil {
		fmt.Fprintf(w, "; run at once they would use %.1f GPUs on average and %.1f at most", *j.MeanLoad, *j.PeakLoad)
	}
	fmt.Fprintln(w)
	if j.GapCV != nil {
		fmt.Fprintf(w, "time between submissions: coefficient of variation %.2f (1: Poisson)\n", *j.GapCV)
	}
	t := table.New("hours", "p10|%.3f", "p50|%.3f", "p90|%.3f", "p99|%.3f", "mean|%.3f", "max|%.3f")
	for _, q := range []struct {
		name string
		q    *describe.JobQuantiles
	}{{"duration", j.Duration}, {"queue", j.Queue}} {
		if q.q != nil {
			t.Row(q.name, q.q.P10, q.q.P50, q.q.P90, q.q.P99, q.q.Mean, q.q.Max)
		}
	}
	term.Print(w, t)
	fmt.Fprintln(w)
	printJobShares(w, j)
}

// printJobShares prints jobs by size, end, hour and day.
func printJobShares(w io.Writer, j *describe.JobStatistics) {
	t := table.New("GPUs", "jobs", "of jobs|%.3f", "of GPU-hours|%.3f")
	for i, z := range j.Sizes {
		if i == mostSizes {
			t.Row(fmt.Sprintf("%d further", len(j.Sizes)-i))
			break
		}
		t.Row(z.GPUs, z.Jobs, z.OfJobs, z.OfHours)
	}
	term.Print(w, t)
	var ends []string
	for _, status := range slices.Sorted(maps.Keys(j.Status)) {
		ends = append(ends, fmt.Sprintf("%s %d", status, j.Status[status]))
	}
	if len(ends) > 0 {
		fmt.Fprintf(w, "\nended: %s\n", strings.Join(ends, ", "))
	}
	if j.Hours == nil {
		return
	}
	fmt.Fprintf(w, "\nsubmissions by hour of the day, from 0: %s\n", strings.Trim(fmt.Sprint(j.Hours), "[]"))
	var days []string
	for d, n := range j.Days {
		days = append(days, fmt.Sprintf("%s %d", time.Weekday(d), n))
	}
	fmt.Fprintf(w, "submissions by day of the week: %s\n", strings.Join(days, ", "))
}
