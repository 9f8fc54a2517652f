package calibrate

import (
	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
)

func checkCommand() *cobra.Command {
	var profile, leaveOut string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Compare a model file with measured runs",
		Long: `Predicts the runs of a profile with a model file and prints the residuals, with a
warning for each run outside the fitted range of the model. Without --profile, prints
the residuals of the fit.

With --leave-out COLUMN, the model family is fitted again to the profile, each time
without the runs of one value of the column (one batch size, one GPU), and predicts
those runs. This measures how well it predicts what was not measured. If no fit is
possible without a value, there is a warning.

The error of a fit is the mean |residual| divided by the mean measured value. The
error with --leave-out is the mean of |residual/measured|, in which small and large
runs count the same. The two cannot be compared.`,
		Example: `  marigram calibrate check model.json
  marigram calibrate check model.json --profile runs.csv --leave-out batch_per_gpu
  marigram calibrate check model.json --profile others.csv --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if leaveOut != "" {
				return checkLeftOut(cmd, args[0], profile, leaveOut, asJSON)
			}
			return checkModel(cmd, args[0], profile, asJSON)
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "",
		"CSV `file` of measured runs, or the name of one that comes with marigram")
	cmd.Flags().StringVar(&leaveOut, "leave-out", "", "`column` of the profile: leave out each of its values in turn")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func checkModel(cmd *cobra.Command, model, profile string, asJSON bool) error {
	m, err := calibrate.OpenModel(model)
	if err != nil {
		return err
	}
	list, means, rows := m.Residuals, m.Errors, "fitted"
	if profile != "" {
		p, err := cli.OpenMeasured(profile)
		if err != nil {
			return err
		}
		if list, means, err = m.Check(p); err != nil {
			return err
		}
		rows = "compared"
	}
	for _, r := range list {
		if r.Outside != "" && profile != "" {
			term.Warn(cmd.ErrOrStderr(), "line %d is outside the fitted range of the model: %s", r.Line, r.Outside)
		}
	}
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), struct {
			Residuals []fit.Residual `json:"residuals"`
			Errors    fit.Errors     `json:"errors"`
		}{list, means})
	}
	if err := printFitted(cmd.OutOrStdout(), m); err != nil {
		return cli.Failed(err)
	}
	return cli.Failed(printResiduals(cmd.OutOrStdout(), m, list, means, rows))
}
