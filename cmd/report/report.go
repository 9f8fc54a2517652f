// Package report is the commands marigram report, a page of results, and explain, a
// decision and its reasons.
package report

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/report"
)

// Command returns the command.
func Command() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report DIR -o FILE",
		Short: "One page about results: objectives, costs, figures, timelines, decisions",
		Long: `Makes a page of what marigram run wrote into DIR: which objectives were met and by
how much, costs and times with intervals, figures, where hours and dollars went,
the timelines of runs to zoom into, every decision with its reason, and the
command that makes it all again. One HTML file: it needs no network, no server,
and prints. Timelines are those of 20 runs at most, of the lowest seeds that kept
one; longer ones are drawn as means over equal spans of time, which the page says.`,
		Example: `  marigram run quickstart --out out
  marigram report out -o report.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := readRuns(cmd, args[0])
			if err != nil {
				return err
			}
			if err := atomicfile.Write(out, func(w io.Writer) error { return report.Page(w, &set) }); err != nil {
				return cli.Failed(err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), out)
			return cli.Failed(err)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "report.html", "write the page into this `file`")
	return cmd
}
