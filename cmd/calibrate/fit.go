package calibrate

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/store"
)

type fitFlags struct {
	family string
	where  []string
	out    string
	json   bool
}

func fitCommand() *cobra.Command {
	var f fitFlags
	cmd := &cobra.Command{
		Use:   "fit PROFILE",
		Short: "Fit a family of models to a profile of measured runs",
		Long: `Fits a family of models to a profile of measured runs and prints parameters and
residuals. PROFILE is a CSV file with one run per row (calibrate/PROFILES.md lists its
columns), or the name of a profile that comes with marigram. Every fifth row, starting
at the third, is held out of the fit and compared with its prediction.

With -o the model is written as JSON: parameters with units, the range of inputs
in which it was fitted, residuals by row, and its sources. A spec takes the speeds
of instances from it (model: speeds).`,
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
	flags.StringArrayVar(&f.where, "where", nil, "only rows with this `column=value`; may be repeated")
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
	return store.Write(context.Background(), path, func(w io.Writer) error { return cli.WriteJSON(w, m) })
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
			fmt.Fprintf(w, "mean |residual|, rows %s: %s of the mean %s\n", part.of, cli.Percent(*part.share), m.Target)
		}
	}
	return nil
}
