package traces

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/traces/formats"
)

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
