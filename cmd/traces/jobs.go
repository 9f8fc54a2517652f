package traces

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/traces/describe"
)

func optional(x *float64, format string) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf(format, *x)
}

// mostSizes is how many numbers of GPUs are listed.
const mostSizes = 16

// printJobs prints what is said of jobs, if there are any.
func printJobs(w io.Writer, j *describe.JobStatistics) error {
	if j == nil {
		return nil
	}
	fmt.Fprintf(w, "jobs: %d, %s an hour; %d with a duration, %.1f GPU-hours", j.Jobs, optional(j.PerHour, "%.2f"), j.Known, j.GPUHours)
	if j.MeanLoad != nil {
		fmt.Fprintf(w, "; run at once they would use %.1f GPUs on average and %.1f at most", *j.MeanLoad, *j.PeakLoad)
	}
	fmt.Fprintln(w)
	if j.GapCV != nil {
		fmt.Fprintf(w, "time between submissions: coefficient of variation %.2f (1: Poisson)\n", *j.GapCV)
	}
	t := term.NewTable("hours", "p10", "p50", "p90", "p99", "mean", "max")
	for _, q := range []struct {
		name string
		q    *describe.JobQuantiles
	}{{"duration", j.Duration}, {"queue", j.Queue}} {
		if q.q != nil {
			t.Row(q.name, hours(q.q.P10), hours(q.q.P50), hours(q.q.P90), hours(q.q.P99), hours(q.q.Mean), hours(q.q.Max))
		}
	}
	if err := t.Print(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return printJobShares(w, j)
}

func hours(h float64) string { return fmt.Sprintf("%.3f", h) }

// printJobShares prints jobs by size, end, hour and day.
func printJobShares(w io.Writer, j *describe.JobStatistics) error {
	t := term.NewTable("GPUs", "jobs", "of jobs", "of GPU-hours")
	for i, z := range j.Sizes {
		if i == mostSizes {
			t.Row(fmt.Sprintf("%d further", len(j.Sizes)-i), "", "", "")
			break
		}
		t.Row(fmt.Sprint(z.GPUs), fmt.Sprint(z.Jobs), fmt.Sprintf("%.3f", z.OfJobs), optional(z.OfHours, "%.3f"))
	}
	if err := t.Print(w); err != nil {
		return err
	}
	var ends []string
	for _, status := range slices.Sorted(maps.Keys(j.Status)) {
		ends = append(ends, fmt.Sprintf("%s %d", status, j.Status[status]))
	}
	if len(ends) > 0 {
		fmt.Fprintf(w, "\nended: %s\n", strings.Join(ends, ", "))
	}
	if j.Hours == nil {
		return nil
	}
	fmt.Fprintf(w, "\nsubmissions by hour of the day, from 0: %s\n", strings.Trim(fmt.Sprint(j.Hours), "[]"))
	var days []string
	for d, n := range j.Days {
		days = append(days, fmt.Sprintf("%s %d", time.Weekday(d), n))
	}
	_, err := fmt.Fprintf(w, "submissions by day of the week: %s\n", strings.Join(days, ", "))
	return err
}
