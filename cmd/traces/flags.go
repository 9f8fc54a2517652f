package traces

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats"
)

const usPerHour = 3600e6

// traceFlags say what a source does not.
type traceFlags struct {
	Format         string        `flag:"format" names:"@formats" help:"<name> of the format; by default recognised by content"`
	Polarity       string        `flag:"polarity" help:"meaning of a 1, if the format does not say: 1=available or 1=preempted"`
	Disorder       string        `flag:"disorder" help:"rows that go back in time: file_order or sort_last_wins; by default an error"`
	Start          string        `flag:"start" help:"<instant> at which a relative clock began, RFC 3339"`
	End            string        `flag:"end" help:"<instant> at which the observation ended (of eviction rates: of the query), RFC 3339"`
	Sampling       time.Duration `flag:"interval" help:"time between two observations, if the source does not state it or states it wrongly"`
	MaxHole        time.Duration `flag:"max-hole" help:"longest time between two polls of a pool that is not a gap; by default ten times the usual time"`
	Unit           time.Duration `flag:"unit" help:"time unit of node events; by default 1ms"`
	PriceArrays    string        `flag:"price-arrays" help:"JSON <file> of price arrays by the name of an availability file, value i for its row i, or a folder of such files"`
	Zone           string        `flag:"zone" help:"zone, if the source does not state it"`
	Region         string        `flag:"region" help:"region, if the source does not state it"`
	InstanceType   string        `flag:"instance-type" help:"instance type, if the source does not state it"`
	Cloud          string        `flag:"cloud" help:"cloud, if the source does not state it: aws, gcp, azure"`
	AllowTruncated bool          `flag:"allow-truncated" help:"accept an incomplete page of prices (with a NextToken, NextPageLink or $skipToken)"`
	cli.Answer
}

func (f *traceFlags) options() (traces.Options, error) {
	opt := traces.Options{
		Polarity:       traces.Polarity(f.Polarity),
		Disorder:       traces.Disorder(f.Disorder),
		Sampling:       f.Sampling,
		MaxHole:        f.MaxHole,
		Unit:           f.Unit,
		PriceArrays:    f.PriceArrays,
		Zone:           f.Zone,
		Region:         f.Region,
		InstanceType:   f.InstanceType,
		Cloud:          f.Cloud,
		AllowTruncated: f.AllowTruncated,
	}
	var err error
	if opt.Start, err = instant("start", f.Start); err != nil {
		return opt, err
	}
	opt.End, err = instant("end", f.End)
	return opt, err
}

// instant reads the value of a flag; the zero time where it is not given.
func instant(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("--%s %q, expected an instant such as 2020-02-20T00:00:00Z", flag, text)
	}
	return at, nil
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
	if f.Format == "" {
		set, report, err = catalogue.Load(path, opt)
	} else {
		set, report, err = formats.Import(f.Format, []string{path}, opt)
	}
	if err == nil && len(report.Skipped) > 0 {
		term.Warn(cmd.ErrOrStderr(), "skipped, not of format %s: %s", report.Format, strings.Join(report.Skipped, " "))
	}
	if err == nil && report.Bridged > 0 {
		term.Warn(cmd.ErrOrStderr(), "%d %s", report.Bridged, report.AboutBridged())
	}
	return set, err
}
