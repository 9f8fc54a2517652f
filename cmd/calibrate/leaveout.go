package calibrate

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
)

// checkLeftOut prints how well the family of a model file predicts the runs of
// each value of a column from the others.
func checkLeftOut(cmd *cobra.Command, model, profile, column string, asJSON bool) error {
	m, err := calibrate.OpenModel(model)
	if err != nil {
		return err
	}
	if profile == "" {
		return errors.New("--leave-out needs --profile: the runs to fit")
	}
	p, err := cli.OpenMeasured(profile)
	if err != nil {
		return err
	}
	left, err := m.LeaveOut(p, column)
	if err != nil {
		return fmt.Errorf("--leave-out: %w", err)
	}
	out := cmd.OutOrStdout()
	if asJSON {
		return cli.WriteJSON(out, left)
	}
	fmt.Fprintf(out, "%s: %s\n\n", m.Family, m.Formula)
	if err := printResiduals(out, m, left.Residuals, fit.Errors{}, ""); err != nil {
		return cli.Failed(err)
	}
	if note := left.Residuals[0].Outside; note != "" {
		fmt.Fprintln(out, note)
	}
	for _, u := range left.Unfitted {
		term.Warn(cmd.ErrOrStderr(), "no prediction for %s %s: %s", column, u.Value, u.Why)
	}
	_, err = fmt.Fprintf(out, "each %s left out: mean |residual/measured| %s, worst %s\n", column,
		cli.Percent(left.Mean), cli.Percent(left.Worst))
	return cli.Failed(err)
}
