package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/table"
)

type fitFlags struct {
	Family string   `flag:"as" required:"true" complete:"@families" help:"<family> of models: marigram calibrate list"`
	Where  []string `flag:"where" help:"only rows with this <column=value>; may be repeated"`
	Out    string   `flag:"out,o" help:"write the model into this <file>"`
	JSON   bool     `flag:"json" help:"print the model as JSON"`
}

var _ = cli.NameList("families", func() (out []cli.Name) {
	for _, f := range calibrate.Families() {
		out = append(out, cli.Name{Name: f.Name, Doc: f.Formula})
	}
	return out
})

func fitCommand() *cobra.Command {
	var f fitFlags
	return cli.WithFlags(&cobra.Command{
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
	}, &f)
}

func (f *fitFlags) run(cmd *cobra.Command, name string) error {
	family, err := calibrate.FamilyNamed(f.Family)
	if err != nil {
		return fmt.Errorf("--as: %w", err)
	}
	profile, err := cli.OpenMeasured(name)
	if err != nil {
		return err
	}
	model, err := fit.Fit(family, profile, f.Where, cli.Version())
	if err != nil {
		return err
	}
	if f.Out != "" {
		write := func(w io.Writer) error { return cli.WriteJSON(w, model) }
		if err := store.Write(context.Background(), f.Out, write); err != nil {
			return cli.Failed(err)
		}
	}
	return (&cli.Answer{JSON: f.JSON}).Give(cmd, model, func(w io.Writer) {
		printFitted(w, model)
		printResiduals(w, model, model.Residuals, model.Errors, "fitted")
	})
}

func printFitted(w io.Writer, m *fit.Model) {
	fmt.Fprintf(w, "%s: %s\n", m.Family, m.Formula)
	for _, f := range m.For {
		fmt.Fprintf(w, "%s %s; ", f.Column, cmp.Or(f.Value, "(empty)"))
	}
	from := m.Provenance
	fmt.Fprintf(w, "%d rows of %s, %d left out\n\n", len(from.Lines), from.Profile, from.LeftOut)
	parameters := table.New("parameter", "value")
	for _, p := range m.Parameters {
		parameters.Row(fmt.Sprintf("%s (%s): %s", p.Name, p.Unit, p.Doc), p.Value)
	}
	term.Print(w, parameters)
	fmt.Fprintln(w)
	for _, r := range m.ValidRange {
		fmt.Fprintf(w, "fitted for %s from %v to %v %s\n", r.Input, r.Min, r.Max, r.Unit)
	}
	fmt.Fprintf(w, "held out: %s\n\n", m.HeldOut)
}

// printResiduals prints rows that were fitted, or others that were compared.
func printResiduals(w io.Writer, m *fit.Model, list []fit.Residual, e fit.Errors, rows string) {
	residuals := table.New("line", "measured "+m.Unit, "predicted "+m.Unit, "residual "+m.Unit, "|held out/")
	for _, r := range list {
		residuals.Row(r.Line, r.Measured, r.Predicted, r.Residual, r.HeldOut)
	}
	term.Print(w, residuals)
	for _, part := range []struct {
		of    string
		share *float64
	}{{rows, e.Fitted}, {"held out", e.HeldOut}} {
		if part.share != nil {
			fmt.Fprintf(w, "mean |residual|, rows %s: %s of the mean %s\n", part.of, cli.Percent(*part.share), m.Target)
		}
	}
}
