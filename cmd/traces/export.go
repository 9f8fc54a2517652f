package traces

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/traces/formats"
)

func exportCommand() *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use:   "export TRACE --format FORMAT",
		Short: "Write a history in another format",
		Long: `Writes a trace (a folder in the neutral form, or a file or folder in any recognised
format) in another format:

  aws-json      its prices as ` + "`aws ec2 describe-spot-price-history`" + ` prints them, character for
                character: newest first, six decimals
  jobs-minimal  its jobs as a CSV table with few columns`,
		Example: `  marigram traces export prices --format aws-json --out prices.json
  marigram traces export cluster_log.csv --format jobs-minimal --out jobs.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(formats.ExportFormats(), format) {
				return fmt.Errorf("--format %q is unknown; the formats are %s", format, strings.Join(formats.ExportFormats(), ", "))
			}
			set, err := cli.LoadTrace(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				err = formats.Export(format, set, cmd.OutOrStdout())
			} else {
				err = formats.ExportFile(format, set, out)
			}
			if errors.Is(err, formats.ErrNoPlace) {
				return err
			}
			return cli.Failed(err)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "`name` of the format: "+strings.Join(formats.ExportFormats(), ", "))
	cmd.Flags().StringVar(&out, "out", "", "write into this `file`; by default to the terminal")
	cli.Must(cmd.MarkFlagRequired("format"))
	cli.CompleteFlag(cmd, "format", formats.ExportFormats())
	return cmd
}
