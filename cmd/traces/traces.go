package traces

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/traces"
)

func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:     "traces",
		Short:   "Import and describe histories of prices and capacity",
		Example: "  marigram traces stats prices.json",
	}, cli.Interruptible(tracesImportCommand()), tracesExportCommand(), tracesStatsCommand(), tracesListCommand(),
		cli.Interruptible(tracesPullCommand()), tracesPlotCommand(),
		tracesFitCommand(), tracesSynthCommand())
}

// traceFlags say what a source does not.
type traceFlags struct {
	format   string
	opt      traces.Options
	polarity string
	disorder string
	start    string
	end      string
	json     bool
}

func (f *traceFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "", "`name` of the format; recognised by content if absent")
	flags.StringVar(&f.polarity, "polarity", "",
		"what a 1 means, where the format does not say: 1=available or 1=preempted")
	flags.StringVar(&f.disorder, "disorder", "",
		"rows that go back in time: refused if absent, file_order or sort_last_wins")
	flags.StringVar(&f.start, "start", "", "`instant` at which a relative clock began, RFC 3339")
	flags.StringVar(&f.end, "end", "", "`instant` at which the observation ended (of eviction rates: of the "+
		"query), RFC 3339")
	flags.DurationVar(&f.opt.Sampling, "interval", 0,
		"true distance of two observations, where the source says it wrong or not at all")
	flags.DurationVar(&f.opt.MaxHole, "max-hole", 0,
		"longest silence between two polls of a pool that is no gap; ten times their usual distance if absent")
	flags.DurationVar(&f.opt.Unit, "unit", 0, "unit of the times of node events; 1ms if absent")
	flags.StringVar(&f.opt.Zone, "zone", "", "zone of sources that do not name it")
	flags.StringVar(&f.opt.Region, "region", "", "region of sources that do not name it")
	flags.StringVar(&f.opt.InstanceType, "instance-type", "", "instance type of sources that do not name it")
	flags.StringVar(&f.opt.Cloud, "cloud", "", "cloud of sources that do not name it: aws, gcp, azure")
	flags.BoolVar(&f.opt.AllowTruncated, "allow-truncated", false,
		"accept a page of prices that was cut (it has a NextToken, NextPageLink or $skipToken)")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	cli.Must(cmd.RegisterFlagCompletionFunc("format", completeFormats))
}

func completeFormats(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, f := range traces.Formats() {
		out = append(out, cobra.CompletionWithDesc(f.Name, f.What))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (f *traceFlags) options() (traces.Options, error) {
	opt := f.opt
	opt.Polarity, opt.Disorder = traces.Polarity(f.polarity), traces.Disorder(f.disorder)
	for _, x := range []struct {
		flag, text string
		at         *time.Time
	}{{"start", f.start, &opt.Start}, {"end", f.end, &opt.End}} {
		if x.text == "" {
			continue
		}
		t, err := time.Parse(time.RFC3339, x.text)
		if err != nil {
			return opt, fmt.Errorf("--%s %q, expected an instant such as 2020-02-20T00:00:00Z", x.flag, x.text)
		}
		*x.at = t
	}
	if f.format != "" && !known(f.format) {
		return opt, fmt.Errorf("--format %q is not known%s", f.format, didYouMean(f.format))
	}
	return opt, nil
}

func known(format string) bool {
	for _, f := range traces.Formats() {
		if f.Name == format {
			return true
		}
	}
	return false
}

func didYouMean(format string) string {
	var names []string
	for _, f := range traces.Formats() {
		names = append(names, f.Name)
	}
	if near := experiments.Nearest(format, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; there are " + strings.Join(names, ", ")
}

// formatsHelp lists the formats for a help text.
func formatsHelp() string {
	var b strings.Builder
	b.WriteString("Formats:\n")
	for _, f := range traces.Formats() {
		fmt.Fprintf(&b, "  %-20s %s\n", f.Name, f.What)
	}
	return b.String()
}

func tracesImportCommand() *cobra.Command {
	var f traceFlags
	var out string
	cmd := &cobra.Command{
		Use:   "import FILE... --out DIR",
		Short: "Convert files to the neutral form: Parquet tables in a folder",
		Long: `Reads histories in a vendor's or a data set's own format and writes them in the
neutral form, counting what it repaired. A folder stands for the files in it.

` + formatsHelp(),
		Example: `  aws ec2 describe-spot-price-history --instance-types p3.2xlarge --output json > prices.json
  marigram traces import prices.json --out prices`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt, err := f.options()
			if err != nil {
				return err
			}
			report, err := traces.ImportTo(cmd.Context(), f.format, args, opt, out)
			var write *traces.WriteError
			if errors.As(err, &write) {
				return cli.Failed(err)
			}
			if err != nil {
				return err
			}
			if f.json {
				return cli.WriteJSON(cmd.OutOrStdout(), report)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\nwritten: %s\n", strings.TrimRight(report.String(), "\n"), out)
			return cli.Failed(err)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "write the tables into this `folder`")
	cli.Must(cmd.MarkFlagRequired("out"))
	return cmd
}

func tracesExportCommand() *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use:   "export TRACE --format FORMAT",
		Short: "Write a history in a format of others",
		Long: `Writes a trace (a folder in the neutral form, or a file or folder in any format that
is recognised) in a format of others:

  aws-json  its prices as ` + "`aws ec2 describe-spot-price-history`" + ` prints them, character for
            character: newest first, six decimals`,
		Example: "  marigram traces export prices --format aws-json --out prices.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(traces.ExportFormats(), format) {
				return fmt.Errorf("--format %q is not known; there are %s", format, strings.Join(traces.ExportFormats(), ", "))
			}
			set, _, err := traces.Load(args[0], traces.Options{})
			if err != nil {
				return err
			}
			if out == "" {
				err = traces.Export(format, set, cmd.OutOrStdout())
			} else {
				err = traces.ExportFile(format, set, out)
			}
			if errors.Is(err, traces.ErrNoPlace) {
				return err
			}
			return cli.Failed(err)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "`name` of the format: "+strings.Join(traces.ExportFormats(), ", "))
	cmd.Flags().StringVar(&out, "out", "", "write into this `file`; the terminal if absent")
	cli.Must(cmd.MarkFlagRequired("format"))
	cli.CompleteFlag(cmd, "format", traces.ExportFormats())
	return cmd
}

func tracesStatsCommand() *cobra.Command {
	var f traceFlags
	cmd := &cobra.Command{
		Use:   "stats TRACE",
		Short: "Describe a history: prices, availability, preemptions, correlations",
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
			stats := traces.Stats(set)
			if f.json {
				return cli.WriteJSON(cmd.OutOrStdout(), stats)
			}
			return cli.Failed(printStats(cmd.OutOrStdout(), &stats))
		},
	}
	f.add(cmd)
	return cmd
}

// load reads a trace as the flags say, and warns of files of a folder that are
// not part of it.
func (f *traceFlags) load(cmd *cobra.Command, path string) (*traces.Set, error) {
	opt, err := f.options()
	if err != nil {
		return nil, err
	}
	var set *traces.Set
	var report traces.Report
	if f.format == "" {
		set, report, err = traces.Load(path, opt)
	} else {
		set, report, err = traces.Import(f.format, []string{path}, opt)
	}
	if n := len(report.Skipped); err == nil && n > 0 {
		term.Warn(cmd.ErrOrStderr(), "skipped, not of format %s: %s", report.Format, strings.Join(report.Skipped, " "))
	}
	if err == nil && report.Bridged > 0 {
		term.Warn(cmd.ErrOrStderr(), "%d %s", report.Bridged, report.AboutBridged())
	}
	return set, err
}

func printStats(w io.Writer, s *traces.Statistics) error {
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
	if err := t.Print(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if p := s.Probes; p != nil {
		fmt.Fprintf(w, "launch probes: %d, %d machines of %d came; any at all: %s, all: %s of the probes\n",
			p.Probes, p.Fulfilled, p.Requested, optional(p.AnyShare, "%.3f"), optional(p.AllShare, "%.3f"))
	}
	if err := printLifetimes(w, s); err != nil {
		return err
	}
	if s.MTBPCaveat {
		fmt.Fprintln(w, "note: drops and MTBP are of capacity that could be launched, not of machines that ran")
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
func printLifetimes(w io.Writer, s *traces.Statistics) error {
	if s.Lifetimes == nil {
		return nil
	}
	t := term.NewTable("lives", "n", "lost", "censored", "S(1 h)", "S(6 h)", "S(12 h)", "S(24 h)", "median h")
	add := func(name string, l *traces.LifetimeStatistics) {
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

func optional(x *float64, format string) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf(format, *x)
}
