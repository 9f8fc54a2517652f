// Package traces is the command marigram traces: traces imported, described, made.
package traces

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

type importFlags struct {
	traceFlags
	Out string `flag:"out" required:"true" help:"write the tables into this <folder>"`
}

func importCommand() *cobra.Command {
	var f importFlags
	return cli.Writes(cli.WithFlags(&cobra.Command{
		Use:   "import FILE... --out DIR",
		Short: "Convert files to the neutral form: Parquet tables in a folder",
		Long: `Reads traces in the format of a vendor or a data set and writes them in the
neutral form. Reports what it repaired. A folder stands for the files in it.

` + cli.NamesHelp("Formats", "formats"),
		Example: `  aws ec2 describe-spot-price-history --instance-types p3.2xlarge --output json > prices.json
  marigram traces import prices.json --out prices`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt, err := f.options()
			if err != nil {
				return err
			}
			report, err := formats.ImportTo(cmd.Context(), f.Format, args, opt, f.Out)
			if _, is := errors.AsType[*traces.WriteError](err); is {
				return cli.Failed(err)
			}
			if err != nil {
				return err
			}
			return f.Give(cmd, report, func(w io.Writer) {
				fmt.Fprintf(w, "%s\nwritten: %s\n", strings.TrimRight(report.String(), "\n"), f.Out)
			})
		},
	}, &f), traces.Files()...)
}

type exportFlags struct {
	Format string `flag:"format" required:"true" names:"@exports" help:"<name> of the format: {names}"`
	Out    string `flag:"out" help:"write into this <file>; by default to the terminal"`
}

var _ = cli.NameList("exports", func() []cli.Name { return cli.Names(formats.ExportFormats()...) })

func exportCommand() *cobra.Command {
	var f exportFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "export TRACE --format FORMAT",
		Short: "Write a trace in another format",
		Long: `Writes a trace (a folder in the neutral form, or a file or folder in any recognised
format) in another format:

  aws-json      its prices as ` + "`aws ec2 describe-spot-price-history`" + ` prints them, character for
                character: newest first, six decimals
  jobs-minimal  its jobs as a CSV table with few columns`,
		Example: `  marigram traces export prices --format aws-json --out prices.json
  marigram traces export cluster_log.csv --format jobs-minimal --out jobs.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := cli.LoadTrace(args[0])
			if err != nil {
				return err
			}
			if f.Out == "" {
				err = formats.Export(f.Format, set, cmd.OutOrStdout())
			} else {
				err = formats.ExportFile(f.Format, set, f.Out)
			}
			if errors.Is(err, formats.ErrNoPlace) {
				return err
			}
			return cli.Failed(err)
		},
	}, &f)
}

// Command returns the command.
func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:     "traces",
		Short:   "Import and describe traces of prices and capacity",
		Example: "  marigram traces stats prices.json",
	}, cli.Interruptible(importCommand()), exportCommand(), statsCommand(), listCommand(),
		cli.Interruptible(pullCommand()), plotCommand())
}
