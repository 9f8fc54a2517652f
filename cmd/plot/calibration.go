package plot

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/spf13/cobra"
)

type calibrationFlags struct {
	Profile string `flag:"profile" help:"CSV <file> of measured runs, or the name of one that comes with marigram"`
}

func calibrationCommand() *cobra.Command {
	var f calibrationFlags
	return figureCommand(&cobra.Command{
		Use:   "calibration MODEL -o FILE",
		Short: "Predictions of a model file against measurements, with residuals",
		Long: `Draws the output of marigram calibrate check: the prediction of each run against its
measurement, with the residual below. Rows held out of the fit and rows outside the
fitted range have their own markers. Without --profile the rows are those of the fit.`,
		Example: `  marigram plot calibration model.json -o fit.svg
  marigram plot calibration model.json --profile others.csv -o check.pdf`,
	}, func(_ *cobra.Command, args []string) (*canvas.Figure, error) {
		return drawCalibration(args[0], f.Profile)
	}, &f)
}

func drawCalibration(model, profile string) (*canvas.Figure, error) {
	m, err := calibrate.OpenModel(model)
	if err != nil {
		return nil, err
	}
	list, means, rows, kind := m.Residuals, m.Errors, "fitted to "+m.Provenance.Profile, plots.FittedTo
	if profile != "" {
		p, err := cli.OpenMeasured(profile)
		if err != nil {
			return nil, err
		}
		if list, means, err = m.Check(p); err != nil {
			return nil, err
		}
		rows, kind = "compared with "+p.Name, plots.ComparedWith
	}
	var points []plots.Prediction
	for _, r := range list {
		p := plots.Prediction{Measured: r.Measured, Predicted: r.Predicted, Kind: kind}
		switch {
		case r.Outside != "":
			p.Kind = plots.OutsideOfRange
		case r.HeldOut:
			p.Kind = plots.HeldOutOfFit
		}
		points = append(points, p)
	}
	about := []string{rows}
	for _, f := range m.For {
		if f.Value != "" {
			about = append(about, f.Column+" "+f.Value)
		}
	}
	for _, part := range []struct {
		of    string
		share *float64
	}{{"mean |residual|", means.Fitted}, {"held out", means.HeldOut}} {
		if part.share != nil {
			about = append(about, fmt.Sprintf("%s %s", part.of, cli.Percent(*part.share)))
		}
	}
	return plots.Calibration(m.Family+" ("+filepath.Base(model)+")", strings.Join(about, "; "), m.Target, m.Unit, points)
}
