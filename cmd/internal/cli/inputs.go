package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

// OpenMeasured reads a profile: a file, or one that comes with marigram by name.
func OpenMeasured(name string) (*fit.Measured, error) {
	measured, err := fit.OpenMeasured(name)
	if errors.Is(err, fs.ErrNotExist) {
		published, other := fit.PublishedMeasured(name)
		if other != nil {
			return nil, fmt.Errorf("%w (and %w)", err, other)
		}
		return published, nil
	}
	return measured, err
}

// LoadTrace reads a trace for a command that has no options of formats, and says how to
// write the neutral form where the trace needs one.
func LoadTrace(path string) (*traces.Set, error) {
	set, _, err := catalogue.Load(path, traces.Options{})
	var bad *traces.DataError
	if errors.As(err, &bad) && bad.Option != "" {
		return nil, fmt.Errorf("%w; this command has no --%s: write the neutral form with "+
			"marigram traces import %s --%[2]s ... --out FOLDER, and give it FOLDER", err, bad.Option, path)
	}
	return set, err
}

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
	for _, format := range list {
		out = append(out, Name{Name: format.Name, Doc: format.What})
	}
	return out
}

// RecordsHelp lists the formats for a help text: what each holds, how to export it, what is lost,
// and how well it is known.
func RecordsHelp() string {
	var help strings.Builder
	help.WriteString("Formats (the formats of traces import that hold events of machines or prices are read, too):\n")
	for _, format := range formats.RunFormats() {
		fmt.Fprintf(&help, "  %-18s %s.\n", format.Name, format.What)
		fmt.Fprintf(&help, "  %-18s Known from %s.\n", "", format.Records.From)
	}
	return help.String()
}
