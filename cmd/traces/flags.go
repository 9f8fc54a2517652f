package traces

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/spelling"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats"
)

const usPerHour = 3600e6

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
	flags.StringVar(&f.format, "format", "", "`name` of the format; by default recognised by content")
	flags.StringVar(&f.polarity, "polarity", "",
		"meaning of a 1, if the format does not say: 1=available or 1=preempted")
	flags.StringVar(&f.disorder, "disorder", "",
		"rows that go back in time: file_order or sort_last_wins; by default an error")
	flags.StringVar(&f.start, "start", "", "`instant` at which a relative clock began, RFC 3339")
	flags.StringVar(&f.end, "end", "", "`instant` at which the observation ended (of eviction rates: of the "+
		"query), RFC 3339")
	flags.DurationVar(&f.opt.Sampling, "interval", 0,
		"time between two observations, if the source does not state it or states it wrongly")
	flags.DurationVar(&f.opt.MaxHole, "max-hole", 0,
		"longest time between two polls of a pool that is not a gap; by default ten times the usual time")
	flags.DurationVar(&f.opt.Unit, "unit", 0, "time unit of node events; by default 1ms")
	flags.StringVar(&f.opt.Zone, "zone", "", "zone, if the source does not state it")
	flags.StringVar(&f.opt.Region, "region", "", "region, if the source does not state it")
	flags.StringVar(&f.opt.InstanceType, "instance-type", "", "instance type, if the source does not state it")
	flags.StringVar(&f.opt.Cloud, "cloud", "", "cloud, if the source does not state it: aws, gcp, azure")
	flags.BoolVar(&f.opt.AllowTruncated, "allow-truncated", false,
		"accept an incomplete page of prices (with a NextToken, NextPageLink or $skipToken)")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	cli.Must(cmd.RegisterFlagCompletionFunc("format", completeFormats))
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
		return opt, fmt.Errorf("--format %q is unknown%s", f.format, didYouMean(f.format))
	}
	return opt, nil
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
		set, report, err = catalogue.Load(path, opt)
	} else {
		set, report, err = formats.Import(f.format, []string{path}, opt)
	}
	if n := len(report.Skipped); err == nil && n > 0 {
		term.Warn(cmd.ErrOrStderr(), "skipped, not of format %s: %s", report.Format, strings.Join(report.Skipped, " "))
	}
	if err == nil && report.Bridged > 0 {
		term.Warn(cmd.ErrOrStderr(), "%d %s", report.Bridged, report.AboutBridged())
	}
	return set, err
}

func completeFormats(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, f := range formats.Formats() {
		out = append(out, cobra.CompletionWithDesc(f.Name, f.What))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func known(format string) bool {
	for _, f := range formats.Formats() {
		if f.Name == format {
			return true
		}
	}
	return false
}

func didYouMean(format string) string {
	var names []string
	for _, f := range formats.Formats() {
		names = append(names, f.Name)
	}
	if near := spelling.Nearest(format, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; there are " + strings.Join(names, ", ")
}

// formatsHelp lists the formats for a help text.
func formatsHelp() string {
	var b strings.Builder
	b.WriteString("Formats:\n")
	for _, f := range formats.Formats() {
		fmt.Fprintf(&b, "  %-20s %s\n", f.Name, f.What)
	}
	return b.String()
}
