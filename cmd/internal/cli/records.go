package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/marigram/marigram/traces/ownruns"
	"github.com/marigram/marigram/traces/ownruns/sources"
)

// RecordFlags say what records do not.
type RecordFlags struct {
	format, job, start, timeZone, zone, instanceType string
}

// Add adds the flags.
func (f *RecordFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "format", "", "`name` of the format of all files; by default each is recognised by its content")
	flags.StringVar(&f.job, "job", "", "`name` of the job to read, of files that hold several")
	flags.StringVar(&f.start, "start", "", "`instant` at which the run began, RFC 3339, of files whose times count from there")
	flags.StringVar(&f.timeZone, "time-zone", "", "`zone` of times that do not say theirs, for example Europe/Berlin; by default UTC")
	flags.StringVar(&f.zone, "zone", "", "zone of the instances, if the records do not say it")
	flags.StringVar(&f.instanceType, "instance-type", "", "type of the instances, if the records do not say it")
}

// Load reads the files of one run and merges them.
func (f *RecordFlags) Load(name string, paths []string) (*ownruns.Run, error) {
	opt, err := f.Options()
	if err != nil {
		return nil, err
	}
	opt.Name = name
	return sources.Load(paths, opt)
}

// Options are the flags as the readers of records take them.
func (f *RecordFlags) Options() (opt sources.Options, err error) {
	opt = sources.Options{Format: f.format, Job: f.job, Zone: f.zone, InstanceType: f.instanceType}
	if f.start != "" {
		if opt.Start, err = time.Parse(time.RFC3339Nano, f.start); err != nil {
			return opt, fmt.Errorf("--start %q, expected an instant such as 2026-01-02T03:04:05Z", f.start)
		}
	}
	if f.timeZone != "" {
		if opt.Location, err = time.LoadLocation(f.timeZone); err != nil || f.timeZone == "Local" {
			return opt, fmt.Errorf("--time-zone %q is unknown, expected a name such as Europe/Berlin", f.timeZone)
		}
	}
	if f.format != "" {
		if _, err := sources.Named(f.format); err != nil {
			return opt, fmt.Errorf("--format: %w", err)
		}
	}
	return opt, nil
}

// RecordFormats lists the formats.
func RecordFormats() (names []string) {
	for _, f := range sources.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// CompleteRecords completes the names of formats.
func CompleteRecords(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, f := range sources.Formats() {
		out = append(out, cobra.CompletionWithDesc(f.Name, f.What))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// RecordsHelp lists the formats for a help text: what each holds, how to export it, what is lost,
// and how well it is known.
func RecordsHelp() string {
	var b strings.Builder
	b.WriteString("Formats (the formats of traces import that hold events of machines or prices are read, too):\n")
	for _, f := range sources.Formats() {
		fmt.Fprintf(&b, "  %-18s %s.\n", f.Name, f.What)
		fmt.Fprintf(&b, "  %-18s Known from %s.\n", "", f.From)
	}
	return b.String()
}
