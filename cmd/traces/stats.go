package traces

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/traces/describe"
)

func statsCommand() *cobra.Command {
	var f traceFlags
	cmd := &cobra.Command{
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
			if f.json {
				return cli.WriteJSON(cmd.OutOrStdout(), stats)
			}
			return cli.Failed(printStats(cmd.OutOrStdout(), &stats))
		},
	}
	f.add(cmd)
	return cmd
}

func printStats(w io.Writer, s *describe.Statistics) error {
	fmt.Fprintf(w, "%s (%s): %s to %s, %.1f h\n\n", s.TraceID, s.Semantics, s.First, s.Last, s.Hours)
	t := term.NewTable("pool", "rows", "availability", "drops", "drops/h", "MTBP h", "price USD/h", "of on-demand",
		"changes/day", "unknown h", "gaps")
	for i := range s.Pools {
		p := &s.Pools[i]
		cells := []string{p.Pool, fmt.Sprint(p.Rows), optional(p.Availability, "%.3f"), "",
			optional(p.DropsPerHour, "%.3f"), optional(p.MTBPHours, "%.2f"), "", "", "", "", ""}
		if p.Rows > 0 {
			cells[3] = fmt.Sprint(p.DropEvents)
		}
		if price := p.Price; price != nil {
			cells[1] = fmt.Sprint(p.Rows + price.Rows)
			cells[6] = fmt.Sprintf("%.4f-%.4f", price.Min, price.Max)
			cells[7], cells[8] = optional(price.OverOnDemand, "%.3f"), optional(price.ChangesPerDay, "%.2f")
		}
		if p.Gaps > 0 {
			cells[9], cells[10] = fmt.Sprintf("%.1f", p.GapHours), fmt.Sprint(p.Gaps)
		}
		t.Row(cells...)
	}
	if len(s.Pools) > 0 {
		if err := t.Print(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if err := printJobs(w, s.Jobs); err != nil {
		return err
	}
	if p := s.Probes; p != nil {
		fmt.Fprintf(w, "launch probes: %d; %d of %d requested machines launched; at least one machine in %s, all in %s of the probes\n",
			p.Probes, p.Fulfilled, p.Requested, optional(p.AnyShare, "%.3f"), optional(p.AllShare, "%.3f"))
	}
	if err := printLifetimes(w, s); err != nil {
		return err
	}
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
	return nil
}

// printLifetimes prints survival by Kaplan-Meier, of all machines and by GPU.
func printLifetimes(w io.Writer, s *describe.Statistics) error {
	if s.Lifetimes == nil {
		return nil
	}
	t := term.NewTable("lifetimes", "n", "lost", "censored", "S(1 h)", "S(6 h)", "S(12 h)", "S(24 h)", "median h")
	add := func(name string, l *describe.LifetimeStatistics) {
		t.Row(name, fmt.Sprint(l.N), fmt.Sprint(l.Preempted), fmt.Sprint(l.Censored), optional(l.S1, "%.3f"),
			optional(l.S6, "%.3f"),
			optional(l.S12, "%.3f"), optional(l.S24, "%.3f"), optional(l.Median, "%.2f"))
	}
	add("all", s.Lifetimes)
	for _, gpu := range slices.Sorted(maps.Keys(s.LifetimesByGPU)) {
		add(gpu, s.LifetimesByGPU[gpu])
	}
	if err := t.Print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}
