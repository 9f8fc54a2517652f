package traces

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

func importCommand() *cobra.Command {
	var f traceFlags
	var out string
	cmd := &cobra.Command{
		Use:   "import FILE... --out DIR",
		Short: "Convert files to the neutral form: Parquet tables in a folder",
		Long: `Reads histories in the format of a vendor or a data set and writes them in the
neutral form. Reports what it repaired. A folder stands for the files in it.

` + formatsHelp(),
		Example: `  aws ec2 describe-spot-price-history --instance-types p3.2xlarge --output json > prices.json
  marigram traces import prices.json --out prices`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt, err := f.options()
			if err != nil {
				return err
			}
			report, err := formats.ImportTo(cmd.Context(), f.format, args, opt, out)
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
	return cli.Writes(cmd, traces.Files()...)
}
