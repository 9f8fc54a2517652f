package traces

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/traces/describe"
)

func statsCommand() *cobra.Command {
	var f traceFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "stats TRACE",
		Short: "Describe a trace: prices, availability, preemptions, correlations; jobs",
		Long: `Describes a trace: a folder in the neutral form, or a file or folder in any format
that can be imported.

` + cli.NamesHelp("Formats", "formats"),
		Example: "  marigram traces stats prices --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := f.load(cmd, args[0])
			if err != nil {
				return err
			}
			stats := describe.Stats(set)
			return f.Give(cmd, stats, func(w io.Writer) { printStats(w, &stats) })
		},
	}, &f)
}

func printStats(w io.Writer, s *describe.Statistics) {
	fmt.Fprintf(w, "%s (%s): %s to %s, %.1f h\n\n", s.TraceID, s.Semantics, s.First, s.Last, s.Hours)
	t := table.New("pool", "rows", "availability|%.3f", "drops", "drops/h|%.3f", "MTBP h|%.2f", "price USD/h", "of on-demand|%.3f",
		"changes/day|%.2f", "unknown h|%.1f", "gaps")
	for i := range s.Pools {
		p := &s.Pools[i]
		cells := []any{p.Pool, p.Rows, p.Availability, nil, p.DropsPerHour, p.MTBPHours, nil, nil, nil, nil, nil}
		if p.Rows > 0 {
			cells[3] = p.DropEvents
		}
		if price := p.Price; price != nil {
			cells[1] = p.Rows + price.Rows
			cells[6] = fmt.Sprintf("%.4f-%.4f", price.Min, price.Max)
			cells[7], cells[8] = price.OverOnDemand, price.ChangesPerDay
		}
		if p.Gaps > 0 {
			cells[9], cells[10] = p.GapHours, p.Gaps
		}
		t.Row(cells...)
	}
	if len(s.Pools) > 0 {
		term.Print(w, t)
		fmt.Fprintln(w)
	}
	printJobs(w, s.Jobs)
	if p := s.Probes; p != nil {
		fmt.Fprintf(w, "launch probes: %d; %d of %d requested machines launched; at least one machine in %s, all in %s of the probes\n",
			p.Probes, p.Fulfilled, p.Requested, table.Format("%.3f", p.AnyShare), table.Format("%.3f", p.AllShare))
	}
	printFaults(w, s)
	printLifetimes(w, s)
	if s.MTBPCaveat {
		fmt.Fprintln(w, "note: drops and MTBP are of machines that could be launched, not of machines that ran")
	}
	for _, c := range []struct {
		what string
		r    *float64
	}{{"availability, zones of a region", s.AvailabilitySame}, {"availability, across regions", s.AvailabilityCross},
		{"price, zones of a region", s.PriceSame}, {"price, across regions", s.PriceCross}} {
		if c.r != nil {
			fmt.Fprintf(w, "mean correlation of %s: %.2f\n", c.what, *c.r)
		}
	}
	if s.CorrelationNote != "" {
		fmt.Fprintln(w, "note:", s.CorrelationNote)
	}
}

// printFaults prints how machines fail and come back, of each pool where they do.
func printFaults(w io.Writer, s *describe.Statistics) {
	for i := range s.Pools {
		f := s.Pools[i].Faults
		if f == nil {
			continue
		}
		fmt.Fprintf(w, "%d faults of %d of %d machines, %.2f per 1,000 machine-days; %d machines with five or more, one with %d\n",
			f.N, f.Faulty, f.Machines, f.Rate, f.Many, f.MaxFaults)
		fmt.Fprintf(w, "down: %.2f machines in the mean, %d at most; for %.2f d (median), %.2f d (mean), %.1f d (90 %%)\n\n",
			f.DownMean, f.DownPeak, f.Median/24, f.Mean/24, f.P90/24)
	}
}

// printLifetimes prints survival by Kaplan-Meier, of all machines and by GPU.
func printLifetimes(w io.Writer, s *describe.Statistics) {
	if s.Lifetimes == nil {
		return
	}
	t := table.New("lifetimes", "n", "lost", "censored", "S(1 h)|%.3f", "S(6 h)|%.3f", "S(12 h)|%.3f", "S(24 h)|%.3f", "median h|%.2f")
	add := func(name string, l *describe.LifetimeStatistics) {
		t.Row(name, l.N, l.Preempted, l.Censored, l.S1, l.S6, l.S12, l.S24, l.Median)
	}
	add("all", s.Lifetimes)
	for _, gpu := range slices.Sorted(maps.Keys(s.LifetimesByGPU)) {
		add(gpu, s.LifetimesByGPU[gpu])
	}
	term.Print(w, t)
	fmt.Fprintln(w)
}

// maxSizes is how many numbers of GPUs are listed.
const maxSizes = 16

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
		if i == maxSizes {
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
