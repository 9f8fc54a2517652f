package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// RecordFlags say what records do not.
type RecordFlags struct {
	Format       string `flag:"format" complete:"@records" help:"<name> of the format of all files; by default each is recognised by its content"`
	Job          string `flag:"job" help:"<name> of the job to read, of files that hold several"`
	Start        string `flag:"start" help:"<instant> at which the run began, RFC 3339, of files whose times count from there"`
	TimeZone     string `flag:"time-zone" help:"<zone> of times that do not say theirs, for example Europe/Berlin; by default UTC"`
	Zone         string `flag:"zone" help:"zone of the instances, if the records do not say it"`
	InstanceType string `flag:"instance-type" help:"type of the instances, if the records do not say it"`
}

// Load reads the files of one run and merges them.
func (f *RecordFlags) Load(name string, paths []string) (*ownruns.Run, error) {
	opt, err := f.Options()
	if err != nil {
		return nil, err
	}
	opt.TraceID = name
	return formats.ImportRun(f.Format, paths, opt)
}

// Options are the flags as the readers of records take them.
func (f *RecordFlags) Options() (opt traces.Options, err error) {
	opt = traces.Options{Job: f.Job, Zone: f.Zone, InstanceType: f.InstanceType}
	if f.Start != "" {
		if opt.Start, err = time.Parse(time.RFC3339Nano, f.Start); err != nil {
			return opt, fmt.Errorf("--start %q, expected an instant such as 2026-01-02T03:04:05Z", f.Start)
		}
	}
	if f.TimeZone != "" {
		if opt.Location, err = time.LoadLocation(f.TimeZone); err != nil || f.TimeZone == "Local" {
			return opt, fmt.Errorf("--time-zone %q is unknown, expected a name such as Europe/Berlin", f.TimeZone)
		}
	}
	if f.Format != "" {
		if _, err := formats.Named(f.Format); err != nil {
			return opt, fmt.Errorf("--format: %w", err)
		}
	}
	return opt, nil
}

var (
	_ = NameList("formats", func() []Name { return formatNames(formats.Formats(formats.Market, formats.Jobs)) })
	_ = NameList("records", func() []Name { return formatNames(formats.RunFormats()) })
)

func formatNames(list []formats.Format) (out []Name) {
	for _, f := range list {
		out = append(out, Name{Name: f.Name, Doc: f.What})
	}
	return out
}

// RecordsHelp lists the formats for a help text: what each holds, how to export it, what is lost,
// and how well it is known.
func RecordsHelp() string {
	var b strings.Builder
	b.WriteString("Formats (the formats of traces import that hold events of machines or prices are read, too):\n")
	for _, f := range formats.RunFormats() {
		fmt.Fprintf(&b, "  %-18s %s.\n", f.Name, f.What)
		fmt.Fprintf(&b, "  %-18s Known from %s.\n", "", f.Records.From)
	}
	return b.String()
}
