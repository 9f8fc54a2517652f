package reproduce

import (
	"encoding/csv"
	"fmt"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/papers"
	_ "github.com/marigram/marigram/papers/all"
	"github.com/spf13/cobra"
)

// printSensitivity prints what the claims notice as CSV, and sums it up on stderr.
func printSensitivity(cmd *cobra.Command, list []papers.Claim) error {
	showFigure := func(figure string) { fmt.Fprintln(cmd.ErrOrStderr(), figure) }
	rows, err := papers.Sensitivity(cmd.Context(), list, showFigure)
	if err != nil {
		return err
	}
	out := csv.NewWriter(cmd.OutOrStdout())
	records := [][]string{papers.SensitivityColumns}
	verdicts := 0
	values := 0
	for _, r := range rows {
		records = append(records, r.Row())
		switch {
		case r.Verdicts > 0:
			verdicts++
		case r.Values > 0:
			values++
		}
	}
	if err := out.WriteAll(records); err != nil {
		return cli.Failed(err)
	}
	unnoticed := len(rows) - verdicts - values
	_, err = fmt.Fprintf(cmd.ErrOrStderr(),
		"%d parameters: %d change a verdict, %d only numbers, %d are noticed by no claim\n",
		len(rows), verdicts, values, unnoticed)
	return cli.Failed(err)
}
