package calibrate

import (
	"fmt"
	"io"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/spf13/cobra"
)

func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "calibrate",
		Short: "Fit models to measured runs, and hold them against others",
		Example: `  marigram calibrate list
  marigram calibrate fit runs.csv --as step-time-linear --where gpu=V100 -o v100.json
  marigram calibrate check v100.json --profile others.csv`,
	}, calibrateFitCommand(), calibrateCheckCommand(), calibratePredictCommand(), calibrateSummaryCommand(),
		calibrateStallsCommand(), calibrateListCommand())
}

type fitFlags struct {
	family string
	where  []string
	out    string
	json   bool
}

func calibrateFitCommand() *cobra.Command {
	var f fitFlags
	cmd := &cobra.Command{
		Use:   "fit PROFILE",
		Short: "Fit a family of models to a profile of measured runs",
		Long: `Fits a family of models to a profile of measured runs and prints parameters and
residuals. PROFILE is a CSV file, one run a row (calibrate/PROFILES.md has its columns),
or the name of one that comes with marigram. Every fifth row, from the third, is
held out of the fit and compared with it.

With -o the model is written as JSON: parameters with units, the range of inputs
in which it was fitted, residuals by row, and what it was made of. A spec takes
the speeds of instances from it (model: speeds).`,
		Example: `  marigram calibrate fit gavel-resnet50 --as step-time-linear --where gpu=V100 --where gpus=1
  marigram calibrate fit runs.csv --as data-parallel -o model.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return fit.PublishedMeasuredNames(), cobra.ShellCompDirectiveDefault
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.family, "as", "", "`family` of models: marigram calibrate list")
	flags.StringArrayVar(&f.where, "where", nil, "only rows with this `column=value`; may be given again for more")
	flags.StringVarP(&f.out, "out", "o", "", "write the model into this `file`")
	flags.BoolVar(&f.json, "json", false, "print the model as JSON")
	cli.Must(cmd.MarkFlagRequired("as"))
	cli.CompleteFlag(cmd, "as", familyNames())
	return cmd
}

func familyNames() []string {
	var names []string
	for _, f := range calibrate.Families() {
		names = append(names, f.Name)
	}
	return names
}

func (f *fitFlags) run(cmd *cobra.Command, name string) error {
	family, err := calibrate.FamilyNamed(f.family)
	if err != nil {
		return fmt.Errorf("--as: %w", err)
	}
	profile, err := cli.OpenMeasured(name)
	if err != nil {
		return err
	}
	m, err := fit.Fit(family, profile, f.where, cli.Version())
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := writeModel(f.out, m); err != nil {
			return cli.Failed(err)
		}
	}
	if f.json {
		return cli.WriteJSON(cmd.OutOrStdout(), m)
	}
	if err := printFitted(cmd.OutOrStdout(), m); err != nil {
		return cli.Failed(err)
	}
	return cli.Failed(printResiduals(cmd.OutOrStdout(), m, m.Residuals, m.Errors, "fitted"))
}

// writeModel writes a model file, whole or not at all.
func writeModel(path string, m *fit.Model) error {
	return atomicfile.Write(path, func(w io.Writer) error { return cli.WriteJSON(w, m) })
}

func printFitted(w io.Writer, m *fit.Model) error {
	fmt.Fprintf(w, "%s: %s\n", m.Family, m.Formula)
	for _, f := range m.For {
		fmt.Fprintf(w, "%s %s; ", f.Column, orNone(f.Value))
	}
	from := m.Provenance
	fmt.Fprintf(w, "%d rows of %s, %d left out\n\n", len(from.Lines), from.Profile, from.LeftOut)
	t := term.NewTable("parameter", "value")
	for _, p := range m.Parameters {
		t.Row(fmt.Sprintf("%s (%s): %s", p.Name, p.Unit, p.Doc), cli.Significant(p.Value))
	}
	if err := t.Print(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, r := range m.ValidRange {
		fmt.Fprintf(w, "fitted for %s from %v to %v %s\n", r.Input, r.Least, r.Most, r.Unit)
	}
	_, err := fmt.Fprintf(w, "held out: %s\n\n", m.HeldOut)
	return err
}

func orNone(s string) string {
	if s == "" {
		return "(empty)"
	}
	return s
}

// printResiduals prints rows that were fitted, or others that were compared.
func printResiduals(w io.Writer, m *fit.Model, list []fit.Residual, e fit.Errors,
	rows string) error {
	t := term.NewTable("line", "measured "+m.Unit, "predicted "+m.Unit, "residual "+m.Unit, "")
	for _, r := range list {
		held := ""
		if r.HeldOut {
			held = "held out"
		}
		t.Row(fmt.Sprint(r.Line), cli.Significant(r.Measured), cli.Significant(r.Predicted), cli.Significant(r.Residual),
			held)
	}
	if err := t.Print(w); err != nil {
		return err
	}
	for _, part := range []struct {
		of    string
		share *float64
	}{{rows, e.Fitted}, {"held out", e.HeldOut}} {
		if part.share != nil {
			fmt.Fprintf(w, "mean |residual| of the rows %s: %s of the mean %s\n", part.of, cli.Percent(*part.share), m.Target)
		}
	}
	return nil
}

func calibrateCheckCommand() *cobra.Command {
	var profile, leaveOut string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Compare a model file with measured runs",
		Long: `Predicts the runs of a profile with a model file and prints the residuals, with a
warning for each run that is outside of what the model was fitted on. Without
--profile, prints the residuals of the fit.

With --leave-out the family of the model is fitted anew to the profile, without the
runs of each value of a column in turn (each batch, each GPU), and these are predicted:
how good it is for what was not measured. A value without which nothing can be fitted
is a warning.

The error of a fit is the mean |residual| as a share of the mean of what was measured.
With --leave-out it is the mean of |residual/measured|, in which small runs weigh as
much as large ones: the two are not to be compared.`,
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
	cmd.Flags().StringVar(&leaveOut, "leave-out", "", "`column` of the profile whose values are left out of a fit in turn")
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
			term.Warn(cmd.ErrOrStderr(), "line %d is outside of what the model was fitted on: %s", r.Line, r.Outside)
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
