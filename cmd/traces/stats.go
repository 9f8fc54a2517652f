package traces

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/flags"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/traces/describe"
)

func statsCommand() *cobra.Command {
	var f traceFlags
	return flags.On(&cobra.Command{
		Use:   "stats TRACE",
		Short: "Describe a trace: prices, availability, preemptions, correlations; jobs",
		Long: `Describes a trace: a folder in the neutral form, or a file or folder in any format
that can be imported.

` + formatsHelp(),
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
