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

// Command returns the command.
func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:     "traces",
		Short:   "Import and describe traces of prices and capacity",
		Example: "  marigram traces stats prices.json",
	}, cli.Interruptible(importCommand()), statsCommand(), listCommand(),
		cli.Interruptible(pullCommand()), plotCommand())
}
