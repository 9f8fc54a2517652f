package calibrate

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
)

type checkFlags struct {
	Profile  string `flag:"profile" help:"CSV <file> of measured runs, or the name of one that comes with marigram"`
	LeaveOut string `flag:"leave-out" help:"<column> of the profile: leave out each of its values in turn"`
	cli.Answer
}

func checkCommand() *cobra.Command {
	var f checkFlags
	return cli.WithFlags(&cobra.Command{
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
			if f.LeaveOut != "" {
				return f.leaveOut(cmd, args[0])
			}
			return f.check(cmd, args[0])
		},
	}, &f)
}

func (f *checkFlags) check(cmd *cobra.Command, path string) error {
	model, err := calibrate.OpenModel(path)
	if err != nil {
		return err
	}
	list := model.Residuals
	means := model.Errors
	rows := "fitted"
	if f.Profile != "" {
		profile, err := cli.OpenMeasured(f.Profile)
		if err != nil {
			return err
		}
		if list, means, err = model.Check(profile); err != nil {
			return err
		}
		rows = "compared"
	}
	for _, r := range list {
		if r.Outside != "" && f.Profile != "" {
			term.Warn(cmd.ErrOrStderr(), "line %d is outside the fitted range of the model: %s", r.Line, r.Outside)
		}
	}
	return f.Give(cmd, struct {
		Residuals []fit.Residual `json:"residuals"`
		Errors    fit.Errors     `json:"errors"`
	}{list, means}, func(w io.Writer) {
		printFitted(w, model)
		printResiduals(w, model, list, means, rows)
	})
}

// leaveOut prints how well the family of a model file predicts the runs of
// each value of a column from the others.
func (f *checkFlags) leaveOut(cmd *cobra.Command, path string) error {
	model, err := calibrate.OpenModel(path)
	if err != nil {
		return err
	}
	if f.Profile == "" {
		return errors.New("--leave-out needs --profile: the runs to fit")
	}
	profile, err := cli.OpenMeasured(f.Profile)
	if err != nil {
		return err
	}
	left, err := model.LeaveOut(profile, f.LeaveOut)
	if err != nil {
		return fmt.Errorf("--leave-out: %w", err)
	}
	return f.Give(cmd, left, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %s\n\n", model.Family, model.Formula)
		printResiduals(w, model, left.Residuals, fit.Errors{}, "")
		if note := left.Residuals[0].Outside; note != "" {
			fmt.Fprintln(w, note)
		}
		for _, u := range left.Unfitted {
			term.Warn(cmd.ErrOrStderr(), "no prediction for %s %s: %s", f.LeaveOut, u.Value, u.Why)
		}
		fmt.Fprintf(w, "each %s left out: mean |residual/measured| %s, worst %s\n",
			f.LeaveOut, cli.Percent(left.Mean), cli.Percent(left.Worst))
	})
}

type predictFlags struct {
	Of []string `flag:"of" help:"a <column=value> of the run; may be repeated"`
	cli.Answer
}

func predictCommand() *cobra.Command {
	var f predictFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "predict MODEL",
		Short: "Predict one run with a model file",
		Long: `Predicts one run with a model file. --of column=value describes the run, with the
columns of calibrate/PROFILES.md; values that all fitted rows share may be left out. It
warns if the run is outside the fitted range of the model, and that a prediction of
the family roofline is an estimate.`,
		Example: `  marigram calibrate fit gavel-resnet50 --as roofline --where gpus=1 -o roof.json
  marigram calibrate predict roof.json --of gpu=A100 --of batch_per_gpu=64`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			model, err := calibrate.OpenModel(args[0])
			if err != nil {
				return err
			}
			value, outside, err := model.PredictOf(f.Of)
			if err != nil {
				return fmt.Errorf("--of: %w", err)
			}
			if outside != "" {
				term.Warn(cmd.ErrOrStderr(), "outside the fitted range of the model: %s", outside)
			}
			return f.Give(cmd, struct {
				Target    string  `json:"target"`
				Unit      string  `json:"unit"`
				Predicted float64 `json:"predicted"`
				Outside   string  `json:"outside"`
			}{model.Target, model.Unit, value, outside}, func(w io.Writer) {
				fmt.Fprintf(w, "%s %s %s\n", model.Target, cli.Significant(value), model.Unit)
			})
		},
	}, &f)
}
