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
	printPools(w, s.Pools)
	printJobs(w, s.Jobs)
	if probes := s.Probes; probes != nil {
		fmt.Fprintf(w, "launch probes: %d; %d of %d requested machines launched; at least one machine in %s, "+
			"all in %s of the probes\n",
			probes.Probes, probes.Fulfilled, probes.Requested,
			table.Format("%.3f", probes.AnyShare), table.Format("%.3f", probes.AllShare))
	}
	printFaults(w, s)
	printLifetimes(w, s)
	if s.MTBPCaveat {
		fmt.Fprintln(w, "note: drops and MTBP are of machines that could be launched, not of machines that ran")
	}
	for _, correlation := range []struct {
		of   string
		mean *float64
	}{
		{"availability, zones of a region", s.AvailabilitySame},
		{"availability, across regions", s.AvailabilityCross},
		{"price, zones of a region", s.PriceSame},
		{"price, across regions", s.PriceCross},
	} {
		if correlation.mean != nil {
			fmt.Fprintf(w, "mean correlation of %s: %.2f\n", correlation.of, *correlation.mean)
		}
	}
	if s.CorrelationNote != "" {
		fmt.Fprintln(w, "note:", s.CorrelationNote)
	}
}

// printPools prints availability and prices by pool, if there is any.
func printPools(w io.Writer, pools []describe.PoolStatistics) {
	if len(pools) == 0 {
		return
	}
	shown := table.New("pool", "rows", "availability|%.3f", "drops", "drops/h|%.3f", "MTBP h|%.2f",
		"price USD/h", "of on-demand|%.3f", "changes/day|%.2f", "unknown h|%.1f", "gaps")
	for i := range pools {
		pool := &pools[i]
		rows := pool.Rows
		var drops, prices, ofOnDemand, changes, unknown, gaps any
		if pool.Rows > 0 {
			drops = pool.DropEvents
		}
		if price := pool.Price; price != nil {
			rows += price.Rows
			prices = fmt.Sprintf("%.4f-%.4f", price.Min, price.Max)
			ofOnDemand = price.OverOnDemand
			changes = price.ChangesPerDay
		}
		if pool.Gaps > 0 {
			unknown = pool.GapHours
			gaps = pool.Gaps
		}
		shown.Row(pool.Pool, rows, pool.Availability, drops, pool.DropsPerHour, pool.MTBPHours,
			prices, ofOnDemand, changes, unknown, gaps)
	}
	term.Print(w, shown)
	fmt.Fprintln(w)
}

// printFaults prints how machines fail and come back, of each pool where they do.
func printFaults(w io.Writer, s *describe.Statistics) {
	for i := range s.Pools {
		faults := s.Pools[i].Faults
		if faults == nil {
			continue
		}
		fmt.Fprintf(w, "%d faults of %d of %d machines, %.2f per 1,000 machine-days; "+
			"%d machines with five or more, one with %d\n",
			faults.N, faults.Faulty, faults.Machines, faults.Rate, faults.Many, faults.MaxFaults)
		fmt.Fprintf(w, "down: %.2f machines in the mean, %d at most; "+
			"for %.2f d (median), %.2f d (mean), %.1f d (90 %%)\n\n",
			faults.DownMean, faults.DownPeak, faults.Median/24, faults.Mean/24, faults.P90/24)
	}
}

// printLifetimes prints survival by Kaplan-Meier, of all machines and by GPU.
func printLifetimes(w io.Writer, s *describe.Statistics) {
	if s.Lifetimes == nil {
		return
	}
	shown := table.New("lifetimes", "n", "lost", "censored",
		"S(1 h)|%.3f", "S(6 h)|%.3f", "S(12 h)|%.3f", "S(24 h)|%.3f", "median h|%.2f")
	add := func(name string, l *describe.LifetimeStatistics) {
		shown.Row(name, l.N, l.Preempted, l.Censored, l.S1, l.S6, l.S12, l.S24, l.Median)
	}
	add("all", s.Lifetimes)
	for _, gpu := range slices.Sorted(maps.Keys(s.LifetimesByGPU)) {
		add(gpu, s.LifetimesByGPU[gpu])
	}
	term.Print(w, shown)
	fmt.Fprintln(w)
}

// maxSizes is how many numbers of GPUs are listed.
const maxSizes = 16

// printJobs prints what is said of jobs, if there are any.
func printJobs(w io.Writer, j *describe.JobStatistics) {
	if j == nil {
		return
	}
	fmt.Fprintf(w, "jobs: %d, %s an hour; %d with a duration, %.1f GPU-hours",
		j.Jobs, table.Format("%.2f", j.PerHour), j.Known, j.GPUHours)
	if j.MeanLoad != nil {
		fmt.Fprintf(w, "; run at once they would use %.1f GPUs on average and %.1f at most", *j.MeanLoad, *j.PeakLoad)
	}
	fmt.Fprintln(w)
	if j.GapCV != nil {
		fmt.Fprintf(w, "time between submissions: coefficient of variation %.2f (1: Poisson)\n", *j.GapCV)
	}
	shown := table.New("hours", "p10|%.3f", "p50|%.3f", "p90|%.3f", "p99|%.3f", "mean|%.3f", "max|%.3f")
	add := func(name string, hours *describe.JobQuantiles) {
		if hours != nil {
			shown.Row(name, hours.P10, hours.P50, hours.P90, hours.P99, hours.Mean, hours.Max)
		}
	}
	add("duration", j.Duration)
	add("queue", j.Queue)
	term.Print(w, shown)
	fmt.Fprintln(w)
	printJobShares(w, j)
}

// printJobShares prints jobs by size, end, hour and day.
func printJobShares(w io.Writer, j *describe.JobStatistics) {
	shown := table.New("GPUs", "jobs", "of jobs|%.3f", "of GPU-hours|%.3f")
	for i, size := range j.Sizes {
		if i == maxSizes {
			shown.Row(fmt.Sprintf("%d further", len(j.Sizes)-i))
			break
		}
		shown.Row(size.GPUs, size.Jobs, size.OfJobs, size.OfHours)
	}
	term.Print(w, shown)
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
